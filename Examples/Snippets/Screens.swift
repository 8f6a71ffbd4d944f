// Controls that send, values that controls follow, and views that receive.

#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import SignalObserver
  import SignalObserverUI
  import UIKit

  // snippet.model
  /// Knows nothing of screens.
  final class Document: Sendable {
    let title = EmitterValue("Untitled")
    let text = EmitterValue("")
    let saved = EmitterVoid()

    func save() { saved.invoke() }
  }
  // snippet.end

  // snippet.controller
  final class EditorController: UIViewController {
    private let document = Document()
    private let heading = UILabel()
    private let titleField = UITextField()
    private let textView = UITextView()
    private let hint = UILabel()
    private let saveItem = UIBarButtonItem(
      title: "Save", style: .plain, target: nil, action: nil)

    override func loadView() {
      let stack = UIStackView(
        arrangedSubviews: [heading, titleField, textView, hint])
      stack.axis = .vertical
      view = stack
      navigationItem.rightBarButtonItem = saveItem
    }

    override func viewDidLoad() {
      super.viewDidLoad()
      // In both directions; the document's title and text are shown first.
      document.title.bond(givingTo: titleField.emitterValue)
      document.text.bond(givingTo: textView.emitterValue)
      // Views as sinks.
      document.title.signal.bind(to: \.text, of: heading)
      document.saved.signal.connect(hint) { hint in hint.text = "Saved" }
      // The method is private, and needs no @objc.
      saveItem.actionSent.connect(self, EditorController.save)
      NotificationCenter.default
        .source(for: UIApplication.didEnterBackgroundNotification)
        .connect(self, EditorController.save)
    }

    private func save() { document.save() }
  }
  // snippet.end

  // snippet.collection
  struct Book: Identifiable, Equatable {
    let id: Int
    var title: String
  }

  @MainActor final class Library {
    @EmitterValue private(set) var books: [Book] = []
    let reading = EmitterValue(0)
  }

  final class BookCell: UICollectionViewCell {
    let title = UILabel()
    let bookmark = UIView()
  }

  final class ShelfController: UICollectionViewController {
    private let library = Library()
    // The collection view does not hold it.
    private var dataSource: UICollectionViewDiffableDataSource<Int, Book.ID>?

    override func viewDidLoad() {
      super.viewDidLoad()
      let row = UICollectionView.CellRegistration<BookCell, Book> {
        [library] cell, _, book in
        cell.title.text = book.title
        // Ends when the cell is used for another book.
        library.reading.signal.map { $0 != book.id }
          .bind(to: \.isHidden, of: cell.bookmark).store(in: cell.beginUse())
      }
      dataSource = UICollectionViewDiffableDataSource(
        library.$books, in: collectionView
      ) { view, indexPath, book in
        view.dequeueConfiguredReusableCell(using: row, for: indexPath, item: book)
      }
    }
  }
  // snippet.end

  @MainActor final class Player {
    func seek() {}
    func show(_ page: Int) { print(page) }
  }

  @MainActor func follow(
    _ slider: UISlider, _ button: UIButton, _ pageControl: UIPageControl, _ player: Player,
    _ level: UILabel
  ) {
    // snippet.events
    slider.signal(for: [.touchUpInside, .touchUpOutside])
      .connect(player, Player.seek)
    slider.emitterValue.signal.map { "\(Int($0 * 100)) %" }
      .bind(to: \.text, of: level)
    // snippet.end
    // snippet.button
    button.tapped.connect(player, Player.seek)
    // snippet.end
    // snippet.property
    EmitterValue(\.currentPage, of: pageControl).signal
      .connect(player, Player.show)
    // snippet.end
  }

  @MainActor final class Toolbox {
    func select() {}
    func drag(_ pan: UIPanGestureRecognizer) {}
  }

  @MainActor func follow(
    _ tap: UITapGestureRecognizer, _ pan: UIPanGestureRecognizer, _ toolbox: Toolbox
  ) {
    // snippet.gestures
    tap.actionSent.connect(toolbox, Toolbox.select)
    // The recognizer as the target: the slot does not hold it.
    pan.actionSent.connect(pan) { pan in toolbox.drag(pan) }
    // snippet.end
  }
#endif
