// Stands in for AppKit: what the library and its tests use, and no more. Each declaration has the
// address of Apple's own, whose signature it has. Nothing here is drawn.

@_exported public import AppleRuntime
@_exported public import Foundation

/// https://developer.apple.com/documentation/appkit/nsresponder
@MainActor open class NSResponder: AssociatingObject {}

/// https://developer.apple.com/documentation/appkit/nsview
@MainActor open class NSView: NSResponder {}

/// What the Objective-C runtime does where there is one: it finds a method by its name.
@MainActor public protocol Receiving: AnyObject {
  func perform(_ selector: Selector, with sender: Any?)
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
@MainActor open class NSButton: NSControl {}

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
