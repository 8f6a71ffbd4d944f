// Stands in for UIKit: what the library, its tests and its examples use, and no more. Each declaration
// has the address of Apple's own, whose signature it has. Nothing here is drawn: a control keeps its
// properties, and `sendActions(for:)` does what a finger does.

@_exported public import AppleRuntime
public import Foundation

/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: AssociatingObject {}

/// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiview/ishidden
  open var isHidden = false
  /// https://developer.apple.com/documentation/uikit/uiview/subviews
  open private(set) var subviews: [UIView] = []

  /// https://developer.apple.com/documentation/uikit/uiview/addsubview(_:)
  open func addSubview(_ view: UIView) { subviews.append(view) }

  /// https://developer.apple.com/documentation/uikit/uiview/addgesturerecognizer(_:)
  open func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
    recognizers.append(gestureRecognizer)
  }

  private var recognizers: [UIGestureRecognizer] = []
}

/// https://developer.apple.com/documentation/uikit/uistackview
@MainActor open class UIStackView: UIView {
  /// https://developer.apple.com/documentation/uikit/uistackview/axis
  open var axis = NSLayoutConstraint.Axis.horizontal

  /// https://developer.apple.com/documentation/uikit/uistackview/init(arrangedsubviews:)
  public convenience init(arrangedSubviews views: [UIView]) {
    self.init()
    for view in views { addSubview(view) }
  }
}

/// https://developer.apple.com/documentation/uikit/nslayoutconstraint
@MainActor open class NSLayoutConstraint: NSObject {
  /// https://developer.apple.com/documentation/uikit/nslayoutconstraint/axis
  public enum Axis: Int, Sendable { case horizontal, vertical }
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiapplication/didenterbackgroundnotification
  nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
    NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
  }
}

/// https://developer.apple.com/documentation/uikit/uinavigationitem
@MainActor open class UINavigationItem: NSObject {
  /// https://developer.apple.com/documentation/uikit/uinavigationitem/rightbarbuttonitem
  open var rightBarButtonItem: UIBarButtonItem?
}

/// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/view
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open lazy var view: UIView! = UIView()
  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/navigationitem
  public let navigationItem = UINavigationItem()

  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/loadview()
  open func loadView() {}

  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/viewdidload()
  open func viewDidLoad() {}

  private var isLoaded = false

  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/loadviewifneeded()
  open func loadViewIfNeeded() {
    if isLoaded { return }
    isLoaded = true
    loadView()
    viewDidLoad()
  }
}

/// https://developer.apple.com/documentation/uikit/uilabel
@MainActor open class UILabel: UIView {
  /// https://developer.apple.com/documentation/uikit/uilabel/text
  open var text: String?
}

/// https://developer.apple.com/documentation/uikit/uiactionhandler
///
/// An SDK may say that it runs on the main actor: the library compiles with both.
#if ANNOTATED
  public typealias UIActionHandler = @MainActor (UIAction) -> Void
#else
  public typealias UIActionHandler = (UIAction) -> Void
#endif

/// https://developer.apple.com/documentation/uikit/uiaction
@MainActor open class UIAction: NSObject {
  fileprivate let handler: UIActionHandler

  /// https://developer.apple.com/documentation/uikit/uiaction/init(title:image:identifier:discoverabilitytitle:attributes:state:handler:)
  ///
  /// Of its parameters, the ones that have no default here, or are given.
  public init(title: String = "", handler: @escaping UIActionHandler) { self.handler = handler }
}

/// https://developer.apple.com/documentation/uikit/uibaritem
@MainActor open class UIBarItem: AssociatingObject {}

/// https://developer.apple.com/documentation/uikit/uibarbuttonitem
@MainActor open class UIBarButtonItem: UIBarItem {
  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/style-swift.enum
  public enum Style: Int, Sendable { case plain }

  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/target
  open weak var target: AnyObject?
  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/action
  open var action: Selector?
  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/primaryaction
  open var primaryAction: UIAction?

  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/init(primaryaction:)
  @available(iOS 14, tvOS 14, visionOS 1, *)
  public convenience init(primaryAction: UIAction?) {
    self.init()
    self.primaryAction = primaryAction
  }

  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/init(title:style:target:action:)
  public convenience init(
    title: String?, style: UIBarButtonItem.Style, target: Any?, action: Selector?
  ) {
    self.init()
    self.target = target as AnyObject?
    self.action = action
  }

  /// What a tap does.
  public func tap() {
    if let primaryAction {
      primaryAction.handler(primaryAction)
    } else if let action {
      (target as? any Receiving)?.perform(action, with: self)
    }
  }
}

/// https://developer.apple.com/documentation/uikit/uigesturerecognizer
@MainActor open class UIGestureRecognizer: AssociatingObject {
  /// https://developer.apple.com/documentation/uikit/uigesturerecognizer/state-swift.enum
  public enum State: Int, Sendable { case possible, began, changed, ended }

  /// https://developer.apple.com/documentation/uikit/uigesturerecognizer/state-swift.property
  open private(set) var state = State.possible

  private struct Pair {
    weak var target: AnyObject?
    let action: Selector
  }

  private var pairs: [Pair] = []

  /// https://developer.apple.com/documentation/uikit/uigesturerecognizer/addtarget(_:action:)
  open func addTarget(_ target: Any, action: Selector) {
    pairs.append(Pair(target: target as AnyObject, action: action))
  }

  /// What a finger does.
  public func recognize(_ state: State) {
    self.state = state
    for pair in pairs { (pair.target as? any Receiving)?.perform(pair.action, with: self) }
  }
}

/// https://developer.apple.com/documentation/uikit/uitapgesturerecognizer
@MainActor open class UITapGestureRecognizer: UIGestureRecognizer {}

/// https://developer.apple.com/documentation/uikit/uipangesturerecognizer
@MainActor open class UIPanGestureRecognizer: UIGestureRecognizer {}

/// https://developer.apple.com/documentation/uikit/uicontrol
@MainActor open class UIControl: UIView {
  /// https://developer.apple.com/documentation/uikit/uicontrol/event
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// https://developer.apple.com/documentation/uikit/uicontrol/event/touchupinside
    public static let touchUpInside = Event(rawValue: 1 << 6)
    /// https://developer.apple.com/documentation/uikit/uicontrol/event/touchupoutside
    public static let touchUpOutside = Event(rawValue: 1 << 7)
    /// https://developer.apple.com/documentation/uikit/uicontrol/event/valuechanged
    public static let valueChanged = Event(rawValue: 1 << 12)
    /// https://developer.apple.com/documentation/uikit/uicontrol/event/primaryactiontriggered
    public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    /// https://developer.apple.com/documentation/uikit/uicontrol/event/editingchanged
    public static let editingChanged = Event(rawValue: 1 << 17)
  }

  private var actions: [(action: UIAction, events: Event)] = []

  /// How many actions the control has.
  public var actionCount: Int { actions.count }

  /// https://developer.apple.com/documentation/uikit/uicontrol/addaction(_:for:)
  @available(iOS 14, tvOS 14, visionOS 1, *)
  open func addAction(_ action: UIAction, for controlEvents: UIControl.Event) {
    actions.append((action, controlEvents))
  }

  /// https://developer.apple.com/documentation/uikit/uicontrol/sendactions(for:)
  open func sendActions(for controlEvents: UIControl.Event) {
    for each in actions where !each.events.isDisjoint(with: controlEvents) {
      each.action.handler(each.action)
    }
  }
}

/// https://developer.apple.com/documentation/uikit/uibutton
@MainActor open class UIButton: UIControl {}

/// https://developer.apple.com/documentation/uikit/uitextfield
@MainActor open class UITextField: UIControl {
  /// https://developer.apple.com/documentation/uikit/uitextfield/text
  open var text: String? = ""
}

/// https://developer.apple.com/documentation/uikit/uiswitch
@MainActor open class UISwitch: UIControl {
  /// https://developer.apple.com/documentation/uikit/uiswitch/ison
  open var isOn = false
}

/// https://developer.apple.com/documentation/uikit/uislider
@MainActor open class UISlider: UIControl {
  /// https://developer.apple.com/documentation/uikit/uislider/value
  open var value: Float {
    get { shown }
    set { shown = min(max(newValue, 0), maximumValue) }
  }
  /// https://developer.apple.com/documentation/uikit/uislider/maximumvalue
  open var maximumValue: Float = 1

  private var shown: Float = 0
}

/// https://developer.apple.com/documentation/uikit/uistepper
@MainActor open class UIStepper: UIControl {
  /// https://developer.apple.com/documentation/uikit/uistepper/value
  open var value: Double = 0
}

/// https://developer.apple.com/documentation/uikit/uisegmentedcontrol
@MainActor open class UISegmentedControl: UIControl {
  /// https://developer.apple.com/documentation/uikit/uisegmentedcontrol/selectedsegmentindex
  open var selectedSegmentIndex = -1
}

/// https://developer.apple.com/documentation/uikit/uidatepicker
@MainActor open class UIDatePicker: UIControl {
  /// https://developer.apple.com/documentation/uikit/uidatepicker/date
  open var date = Date(timeIntervalSince1970: 0)
}

/// https://developer.apple.com/documentation/uikit/uipagecontrol
@MainActor open class UIPageControl: UIControl {
  /// https://developer.apple.com/documentation/uikit/uipagecontrol/currentpage
  open var currentPage = 0
}

/// https://developer.apple.com/documentation/uikit/uitextview
@MainActor open class UITextView: UIView {
  /// https://developer.apple.com/documentation/uikit/uitextview/text
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var text: String! = ""

  /// https://developer.apple.com/documentation/uikit/uitextview/textdidchangenotification
  nonisolated public class var textDidChangeNotification: NSNotification.Name {
    NSNotification.Name("UITextViewTextDidChangeNotification")
  }

  /// What a user's edit does.
  public func edit(_ text: String) {
    self.text = text
    NotificationCenter.default.post(name: UITextView.textDidChangeNotification, object: self)
  }
}

/// https://developer.apple.com/documentation/uikit/uisearchtextfield
@MainActor open class UISearchTextField: UITextField {}

/// https://developer.apple.com/documentation/uikit/uisearchbar
@MainActor open class UISearchBar: UIView {
  /// https://developer.apple.com/documentation/uikit/uisearchbar/searchtextfield
  public let searchTextField = UISearchTextField()
}

// MARK: - Collections

/// https://developer.apple.com/documentation/uikit/uicollectionreusableview
@MainActor open class UICollectionReusableView: UIView {
  /// https://developer.apple.com/documentation/uikit/uicollectionreusableview/prepareforreuse()
  open func prepareForReuse() {}
}

/// https://developer.apple.com/documentation/uikit/uicollectionviewcell
@MainActor open class UICollectionViewCell: UICollectionReusableView {
  public nonisolated required override init() { super.init() }

  /// https://developer.apple.com/documentation/uikit/uicollectionviewcell/contentview
  public let contentView = UIView()
}

/// https://developer.apple.com/documentation/uikit/uicollectionview
///
/// Every item is on the screen.
@MainActor open class UICollectionView: UIView {
  fileprivate(set) var cells: [AnyHashable: UICollectionViewCell] = [:]
  fileprivate(set) var order: [AnyHashable] = []
  fileprivate var pool: [UICollectionViewCell] = []

  /// The cells, from the first to the last.
  public var shownCells: [UICollectionViewCell] { order.compactMap { cells[$0] } }
  /// Which updates were animated.
  public fileprivate(set) var animations: [Bool] = []

  /// https://developer.apple.com/documentation/uikit/uicollectionview/dequeueconfiguredreusablecell(using:for:item:)
  open func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
    using registration: CellRegistration<Cell, Item>, for indexPath: IndexPath, item: Item?
  ) -> Cell {
    // The cell of an item that is configured again is the one that shows it.
    let cell = (reconfigured ?? pool.popLast()) as? Cell ?? Cell.init()
    if let item { registration.handler(cell, indexPath, item) }
    return cell
  }

  fileprivate var reconfigured: UICollectionViewCell?

  /// https://developer.apple.com/documentation/uikit/uicollectionview/cellregistration
  @available(iOS 14, tvOS 14, visionOS 1, *)
  @MainActor public struct CellRegistration<Cell: UICollectionViewCell, Item> {
    fileprivate let handler: Handler

    /// https://developer.apple.com/documentation/uikit/uicollectionview/cellregistration/handler
    public typealias Handler = (Cell, IndexPath, Item) -> Void

    /// https://developer.apple.com/documentation/uikit/uicollectionview/cellregistration/init(handler:)
    public init(handler: @escaping Handler) { self.handler = handler }
  }
}

/// https://developer.apple.com/documentation/uikit/uicollectionviewcontroller
@MainActor open class UICollectionViewController: UIViewController {
  /// https://developer.apple.com/documentation/uikit/uicollectionviewcontroller/collectionview
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var collectionView: UICollectionView! = UICollectionView()
}

/// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct
public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
> {
  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/sectionidentifiers
  public private(set) var sectionIdentifiers: [SectionIdentifierType] = []
  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/itemidentifiers
  public private(set) var itemIdentifiers: [ItemIdentifierType] = []
  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/reconfigureditemidentifiers
  public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/init()
  public init() {}

  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/appendsections(_:)
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
    sectionIdentifiers += identifiers
  }

  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/appenditems(_:tosection:)
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    precondition(
      sectionIdentifier.map(sectionIdentifiers.contains) ?? !sectionIdentifiers.isEmpty,
      "items without their section")
    itemIdentifiers += identifiers
    precondition(Set(itemIdentifiers).count == itemIdentifiers.count, "an identifier twice")
  }

  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/reloaditems(_:)
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {}

  /// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshot-swift.struct/reconfigureitems(_:)
  @available(iOS 15, tvOS 15, visionOS 1, *)
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    precondition(
      identifiers.allSatisfy(itemIdentifiers.contains), "an identifier that is not there")
    reconfiguredItemIdentifiers += identifiers
  }
}

/// https://developer.apple.com/documentation/uikit/uicollectionviewdiffabledatasource-9tqpa
@MainActor @preconcurrency
open class UICollectionViewDiffableDataSource<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject {
  /// https://developer.apple.com/documentation/uikit/uicollectionviewdiffabledatasource-9tqpa/cellprovider
  #if ANNOTATED
    public typealias CellProvider =
      @MainActor (UICollectionView, IndexPath, ItemIdentifierType) -> UICollectionViewCell?
  #else
    public typealias CellProvider =
      (UICollectionView, IndexPath, ItemIdentifierType) -> UICollectionViewCell?
  #endif

  private weak var view: UICollectionView?
  private let cellProvider: CellProvider

  /// https://developer.apple.com/documentation/uikit/uicollectionviewdiffabledatasource-9tqpa/init(collectionview:cellprovider:)
  public init(collectionView: UICollectionView, cellProvider: @escaping CellProvider) {
    view = collectionView
    self.cellProvider = cellProvider
  }

  /// https://developer.apple.com/documentation/uikit/uicollectionviewdiffabledatasource-9tqpa/apply(_:animatingdifferences:completion:)
  open func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
    animatingDifferences: Bool = true, completion: (() -> Void)? = nil
  ) {
    guard let view else { return }
    // Apple's documentation does not say what happens otherwise.
    precondition(
      snapshot.reconfiguredItemIdentifiers.allSatisfy { view.cells[$0] != nil },
      "an item that is not shown yet is configured again")
    view.animations.append(animatingDifferences)
    let ids = snapshot.itemIdentifiers
    for (id, cell) in view.cells where !ids.contains(where: { AnyHashable($0) == id }) {
      view.cells[id] = nil
      cell.prepareForReuse()
      view.pool.append(cell)
    }
    view.order = ids.map(AnyHashable.init)
    for (index, id) in ids.enumerated() {
      view.reconfigured = view.cells[id]
      let isAgain = snapshot.reconfiguredItemIdentifiers.contains(id)
      if view.reconfigured == nil || isAgain {
        view.cells[id] = cellProvider(view, IndexPath(indexes: [0, index]), id)
      }
    }
    view.reconfigured = nil
    completion?()
  }
}
