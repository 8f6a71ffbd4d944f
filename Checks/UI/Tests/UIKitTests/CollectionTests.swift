import Dispatch
import Foundation
import SignalObserver
import SignalObserverUI
import Testing
import UIKit

@MainActor @Suite struct CollectionTests {
  struct Book: Identifiable, Equatable {
    let id: Int
    var title: String
  }

  final class Cell: UICollectionViewCell {
    let label = UILabel()
    var uses = 0
  }

  final class Library {
    @EmitterValue var books: [Book] = []
  }

  /// A collection of books, each in a cell that has counted how often it was configured.
  struct Shelf {
    let view = UICollectionView()
    var source: UICollectionViewDiffableDataSource<Int, Int>?

    @MainActor init(_ library: Library) {
      let row = UICollectionView.CellRegistration<Cell, Book> { cell, _, book in
        cell.label.text = book.title
        cell.uses += 1
      }
      source = UICollectionViewDiffableDataSource(library.$books, in: view) {
        view, indexPath, book in
        view.dequeueConfiguredReusableCell(using: row, for: indexPath, item: book)
      }
    }

    @MainActor var cells: [Cell] { view.shownCells.compactMap { $0 as? Cell } }
    @MainActor var titles: [String?] { cells.map(\.label.text) }
  }

  @Test func `items are shown in order, by their ids`() {
    let library = Library()
    library.books = [Book(id: 1, title: "Dune"), Book(id: 2, title: "Solaris")]
    let shelf = Shelf(library)
    #expect(shelf.titles == ["Dune", "Solaris"])
    let (dune, solaris) = (shelf.cells[0], shelf.cells[1])
    library.books = [
      Book(id: 2, title: "Solaris"), Book(id: 3, title: "Ubik"), Book(id: 1, title: "Dune 2"),
    ]

    #expect(shelf.titles == ["Solaris", "Ubik", "Dune 2"])
    #expect(shelf.cells[0] === solaris && shelf.cells[2] === dune)
    // What has not changed is not configured again.
    #expect((solaris.uses, dune.uses) == (1, 2))
    #expect(shelf.view.animations == [false, true])
  }

  @Test func `of items with the same id the first is shown`() {
    let library = Library()
    let shelf = Shelf(library)
    library.books = [Book(id: 1, title: "a"), Book(id: 2, title: "b"), Book(id: 1, title: "c")]

    #expect(shelf.titles == ["a", "b"])
  }

  @Test func `what another thread sets is shown on the main actor, the newest at last`() async {
    let value = EmitterValue<[Book]>([])
    let view = UICollectionView()
    let source = UICollectionViewDiffableDataSource(value.signal, in: view) { _, _, book in
      let cell = Cell()
      cell.label.text = book.title
      return cell
    }
    DispatchQueue.global().sync {
      for number in 1...100 { value.value = [Book(id: number, title: "\(number)")] }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }

    withExtendedLifetime(source) {
      #expect(view.shownCells.compactMap { ($0 as? Cell)?.label.text } == ["100"])
      // The empty one, and the newest.
      #expect(view.animations == [false, true])
    }
  }

  @Test func `the connection ends with the data source, which nothing holds`() {
    let library = Library()
    var shelf: Shelf? = Shelf(library)
    weak let source = shelf?.source
    #expect(library.$books.slotCount == 1)
    shelf = nil
    library.books = [Book(id: 1, title: "Dune")]

    #expect(source == nil)
    #expect(library.$books.slotCount == 0)
  }

  @Test func `what a cell connects for one use ends with the next`() {
    let titles = [EmitterValue("Dune"), EmitterValue("Solaris")]
    var cell: Cell? = Cell()
    var older: ObserverBag?
    for title in titles {
      guard let cell else { return }
      let use = cell.beginUse()
      title.signal.bind(to: \.text, of: cell.label).store(in: use)
      if let older { EmitterVoid().signal.connect { () in }.store(in: older) }
      older = use
    }
    titles[0].value = "late"
    #expect(cell?.label.text == "Solaris")
    #expect(titles.map(\.signal.slotCount) == [0, 1])
    cell?.beginUse()
    #expect(titles.map(\.signal.slotCount) == [0, 0])

    // And with the cell.
    let label = UILabel()
    if let cell { titles[0].signal.bind(to: \.text, of: label).store(in: cell.beginUse()) }
    #expect(titles[0].signal.slotCount == 1)
    cell = nil
    #expect(titles[0].signal.slotCount == 0)
  }
}
