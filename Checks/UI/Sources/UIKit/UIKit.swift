// Stands in for UIKit: what the library, its tests and its examples use, and no more. Each declaration
// has the address of Apple's own, whose signature it has. Nothing here is drawn: a control keeps its
// properties, and `sendActions(for:)` does what a finger does.

@_exported public import AppleRuntime
@_exported public import Foundation

/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: AssociatingObject {}

/// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiview/ishidden
  open var isHidden = false
}

/// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/viewdidload()
  open func viewDidLoad() {}

  private var isLoaded = false

  /// https://developer.apple.com/documentation/uikit/uiviewcontroller/loadviewifneeded()
  open func loadViewIfNeeded() {
    if isLoaded { return }
    isLoaded = true
    viewDidLoad()
  }
}

/// https://developer.apple.com/documentation/uikit/uilabel
@MainActor open class UILabel: UIView {
  /// https://developer.apple.com/documentation/uikit/uilabel/text
  open var text: String?
}

/// https://developer.apple.com/documentation/uikit/uiactionhandler
public typealias UIActionHandler = (UIAction) -> Void

/// https://developer.apple.com/documentation/uikit/uiaction
@MainActor open class UIAction: NSObject {
  fileprivate let handler: UIActionHandler

  /// https://developer.apple.com/documentation/uikit/uiaction/init(title:image:identifier:discoverabilitytitle:attributes:state:handler:)
  ///
  /// Of its parameters, the ones that have no default here, or are given.
  public init(title: String = "", handler: @escaping UIActionHandler) { self.handler = handler }
}

/// https://developer.apple.com/documentation/uikit/uibarbuttonitem
@MainActor open class UIBarButtonItem: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/primaryaction
  open var primaryAction: UIAction?

  /// https://developer.apple.com/documentation/uikit/uibarbuttonitem/init(primaryaction:)
  public init(primaryAction: UIAction?) { self.primaryAction = primaryAction }

  /// What a tap does.
  public func tap() { if let primaryAction { primaryAction.handler(primaryAction) } }
}

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
