// Stands in for AppKit: what the library and its tests use, and no more. Each declaration has the
// address of Apple's own, whose signature it has. Nothing here is drawn.

@_exported public import AppleRuntime
public import Foundation

/// https://developer.apple.com/documentation/appkit/nsresponder
@MainActor open class NSResponder: AssociatingObject {}

/// https://developer.apple.com/documentation/appkit/nsview
@MainActor open class NSView: NSResponder {
  /// https://developer.apple.com/documentation/appkit/nsview/prepareforreuse()
  open func prepareForReuse() {}
}

/// https://developer.apple.com/documentation/appkit/nsstackview
@MainActor open class NSStackView: NSView {
  /// https://developer.apple.com/documentation/appkit/nsstackview/views
  public private(set) var views: [NSView] = []

  /// https://developer.apple.com/documentation/appkit/nsstackview/init(views:)
  public convenience init(views: [NSView]) {
    self.init()
    self.views = views
  }
}

/// https://developer.apple.com/documentation/appkit/nsviewcontroller
@MainActor open class NSViewController: NSResponder {
  /// https://developer.apple.com/documentation/appkit/nsviewcontroller/view
  open var view: NSView {
    get {
      if shown == nil { loadView() }
      if !isLoaded {
        isLoaded = true
        viewDidLoad()
      }
      return shown ?? NSView()
    }
    set { shown = newValue }
  }

  private var shown: NSView?
  private var isLoaded = false

  /// https://developer.apple.com/documentation/appkit/nsviewcontroller/loadview()
  open func loadView() { view = NSView() }

  /// https://developer.apple.com/documentation/appkit/nsviewcontroller/viewdidload()
  open func viewDidLoad() {}
}

/// https://developer.apple.com/documentation/appkit/nscontrol
@MainActor open class NSControl: NSView {
  /// https://developer.apple.com/documentation/appkit/nscontrol/target
  open weak var target: AnyObject?
  /// https://developer.apple.com/documentation/appkit/nscontrol/action
  open var action: Selector?
  /// https://developer.apple.com/documentation/appkit/nscontrol/stringvalue
  open var stringValue = ""
  /// https://developer.apple.com/documentation/appkit/nscontrol/doublevalue
  open var doubleValue = 0.0
  /// https://developer.apple.com/documentation/appkit/nscontrol/integervalue
  open var integerValue = 0

  /// https://developer.apple.com/documentation/appkit/nscontrol/textdidchangenotification
  nonisolated public class var textDidChangeNotification: NSNotification.Name {
    NSNotification.Name("NSControlTextDidChangeNotification")
  }

  /// https://developer.apple.com/documentation/appkit/nscontrol/performclick(_:)
  open func performClick(_ sender: Any?) {
    if let action { (target as? any Receiving)?.perform(action, with: self) }
  }
}

/// https://developer.apple.com/documentation/appkit/nsbutton
@MainActor open class NSButton: NSControl {
  /// https://developer.apple.com/documentation/appkit/nsbutton/title
  open var title = ""
}

/// https://developer.apple.com/documentation/appkit/nstextfield
@MainActor open class NSTextField: NSControl {
  /// What a user's edit does.
  public func edit(_ text: String) {
    stringValue = text
    NotificationCenter.default.post(name: NSControl.textDidChangeNotification, object: self)
  }
}

/// https://developer.apple.com/documentation/appkit/nsswitch
@MainActor open class NSSwitch: NSControl {
  /// https://developer.apple.com/documentation/appkit/nsswitch/state
  open var state = StateValue.off

  /// https://developer.apple.com/documentation/appkit/nscontrol/statevalue
  public typealias StateValue = NSControlStateValue
}

/// https://developer.apple.com/documentation/appkit/nscontrol/statevalue
public struct NSControlStateValue: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// https://developer.apple.com/documentation/appkit/nscontrol/statevalue/on
  public static let on = NSControlStateValue(rawValue: 1)
  /// https://developer.apple.com/documentation/appkit/nscontrol/statevalue/off
  public static let off = NSControlStateValue(rawValue: 0)
}

/// https://developer.apple.com/documentation/appkit/nsslider
@MainActor open class NSSlider: NSControl {}

/// https://developer.apple.com/documentation/appkit/nsstepper
@MainActor open class NSStepper: NSControl {}

/// https://developer.apple.com/documentation/appkit/nslevelindicator
@MainActor open class NSLevelIndicator: NSControl {}

/// https://developer.apple.com/documentation/appkit/nssegmentedcontrol
@MainActor open class NSSegmentedControl: NSControl {
  /// https://developer.apple.com/documentation/appkit/nssegmentedcontrol/selectedsegment
  open var selectedSegment = -1
}

/// https://developer.apple.com/documentation/appkit/nsdatepicker
@MainActor open class NSDatePicker: NSControl {
  /// https://developer.apple.com/documentation/appkit/nsdatepicker/datevalue
  open var dateValue = Date(timeIntervalSince1970: 0)
}

/// https://developer.apple.com/documentation/appkit/nssearchfield
@MainActor open class NSSearchField: NSTextField {
  /// What a click on the button that empties the field does.
  public func empty() {
    stringValue = ""
    performClick(nil)
  }
}

/// https://developer.apple.com/documentation/appkit/nstext
@MainActor open class NSText: NSView {
  /// https://developer.apple.com/documentation/appkit/nstext/string
  open var string = ""

  /// https://developer.apple.com/documentation/appkit/nstext/didchangenotification
  nonisolated public class var didChangeNotification: NSNotification.Name {
    NSNotification.Name("NSTextDidChangeNotification")
  }
}

/// https://developer.apple.com/documentation/appkit/nstextview
@MainActor open class NSTextView: NSText {
  /// What a user's edit does.
  public func edit(_ text: String) {
    string = text
    NotificationCenter.default.post(name: NSText.didChangeNotification, object: self)
  }
}

/// https://developer.apple.com/documentation/appkit/nsmenuitem
@MainActor open class NSMenuItem: AssociatingObject {
  /// https://developer.apple.com/documentation/appkit/nsmenuitem/target
  open weak var target: AnyObject?
  /// https://developer.apple.com/documentation/appkit/nsmenuitem/action
  open var action: Selector?

  /// What choosing it does.
  public func choose() {
    if let action { (target as? any Receiving)?.perform(action, with: self) }
  }
}

/// https://developer.apple.com/documentation/appkit/nstoolbaritem
@MainActor open class NSToolbarItem: AssociatingObject {
  /// https://developer.apple.com/documentation/appkit/nstoolbaritem/target
  open weak var target: AnyObject?
  /// https://developer.apple.com/documentation/appkit/nstoolbaritem/action
  open var action: Selector?

  /// What a click does.
  public func click() {
    if let action { (target as? any Receiving)?.perform(action, with: self) }
  }
}

/// https://developer.apple.com/documentation/appkit/nsgesturerecognizer
@MainActor open class NSGestureRecognizer: AssociatingObject {
  /// https://developer.apple.com/documentation/appkit/nsgesturerecognizer/target
  open weak var target: AnyObject?
  /// https://developer.apple.com/documentation/appkit/nsgesturerecognizer/action
  open var action: Selector?

  /// What a click or a drag does.
  public func recognize() {
    if let action { (target as? any Receiving)?.perform(action, with: self) }
  }
}
