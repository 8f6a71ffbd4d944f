#if canImport(UIKit) && !os(watchOS)
  public import Foundation
  public import SignalObserver
  public import UIKit

  extension UICollectionViewDiffableDataSource where SectionIdentifierType == Int {
    /// Creates a data source that shows the newest items of a source, in one section, by their ids.
    ///
    /// ```swift
    /// dataSource = UICollectionViewDiffableDataSource(
    ///   library.$books, in: collectionView
    /// ) { view, indexPath, book in
    ///   view.dequeueConfiguredReusableCell(using: row, for: indexPath, item: book)
    /// }
    /// ```
    ///
    /// With each array, on the main actor, an item with a new id is inserted, an id that is missing
    /// is removed, and the others move to their places. An item that is not equal to the one with
    /// the same id before has its cell configured again, or replaced before iOS 15. The first array
    /// is not animated. Of items with the same id, the first is shown. If another thread sends
    /// arrays faster than the main actor takes them, those in between are not shown.
    ///
    /// A collection view holds its data source weakly: keep it. The connection ends with it.
    ///
    /// - Parameters:
    ///   - items: The arrays, for example the signal of an ``SignalObserver/EmitterValue``.
    ///   - collectionView: The view.
    ///   - cell: Makes or configures the cell of an item. The data source keeps it.
    /// - Complexity: O(*n*) in the number of items, for each array.
    @MainActor public convenience init<Item: Identifiable & Equatable & Sendable>(
      _ items: some SignalSource<[Item]>, in collectionView: UICollectionView,
      cell: @escaping @MainActor (UICollectionView, IndexPath, Item) -> UICollectionViewCell?
    ) where Item.ID == ItemIdentifierType {
      let shown = ShownItems<Item>()
      self.init(collectionView: collectionView) { @MainActor view, indexPath, id in
        shown.byID[id].flatMap { cell(view, indexPath, $0) }
      }
      items.buffering(.newest(1)).connect(self) { @MainActor source, items in
        let (snapshot, isFirst) = shown.take(items)
        source.apply(snapshot, animatingDifferences: !isFirst)
      }
    }
  }

  /// The items that a data source shows.
  @MainActor private final class ShownItems<Item: Identifiable & Equatable & Sendable>
  where Item.ID: Sendable {
    private(set) var byID: [Item.ID: Item] = [:]
    private var isFirst = true

    func take(_ items: [Item]) -> (NSDiffableDataSourceSnapshot<Int, Item.ID>, isFirst: Bool) {
      let before = byID
      byID = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
      var seen: Set<Item.ID> = []
      let ids = items.map(\.id).filter { seen.insert($0).inserted }
      var snapshot = NSDiffableDataSourceSnapshot<Int, Item.ID>()
      snapshot.appendSections([0])
      snapshot.appendItems(ids, toSection: 0)
      let changed = ids.filter { before[$0] != nil && before[$0] != byID[$0] }
      if #available(iOS 15, tvOS 15, *) {
        snapshot.reconfigureItems(changed)
      } else {
        snapshot.reloadItems(changed)
      }
      defer { isFirst = false }
      return (snapshot, isFirst)
    }
  }
#endif
