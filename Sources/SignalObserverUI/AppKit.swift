#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit
  public import Foundation
  public import SignalObserver

  extension NSControl: ActionSender {
    /// Sends whenever the control sends its action.
    ///
    /// ```swift
    /// button.actionSent.connect(mixer, Mixer.reset)
    /// ```
    ///
    /// A control has one target and one action. The signal takes both, and the control no longer
    /// calls an earlier target, even one that a storyboard has set. Connect that target to the
    /// signal instead. A debug build prints a line when that happens.
    ///
    /// The signal emits on the main actor, before the control continues. A control always has the
    /// same signal. The control owns the emitter, so the connections end with the control. The
    /// signal does not hold the control.
    public var actionSent: SignalVoid { ActionReceiver.signal(of: self) }
  }

  extension NSMenuItem: ActionSender {
    /// Sends whenever the item is chosen.
    ///
    /// It takes the item's target and action, as ``AppKit/NSControl/actionSent`` does. A menu that
    /// enables its items by itself then always enables this one.
    public var actionSent: SignalVoid { ActionReceiver.signal(of: self) }
  }

  extension NSToolbarItem: ActionSender {
    /// Sends whenever the item is clicked.
    ///
    /// It takes the item's target and action, as ``AppKit/NSControl/actionSent`` does. An item with
    /// a view of its own sends nothing: connect to the view.
    public var actionSent: SignalVoid { ActionReceiver.signal(of: self) }
  }

  extension NSGestureRecognizer: ActionSender {
    /// Sends whenever the recognizer calls its target: at each change of its state.
    ///
    /// ```swift
    /// click.actionSent.connect(mixer, Mixer.reset)
    /// ```
    ///
    /// It takes the recognizer's target and action, as ``AppKit/NSControl/actionSent`` does.
    public var actionSent: SignalVoid { ActionReceiver.signal(of: self) }
  }

  extension NSView {
    /// Ends the connections of the use before, and returns a bag for those of this use.
    ///
    /// A table uses its cells again. What a cell connects for one row must end when the cell shows
    /// the next:
    ///
    /// ```swift
    /// let use = cell.beginUse()
    /// mixer.level.signal.map { "\($0)" }.bind(to: \.stringValue, of: cell.field).store(in: use)
    /// ```
    ///
    /// They also end with the view. To end them when the cell leaves the screen, call it in
    /// `prepareForReuse`, too.
    ///
    /// - Returns: A new, empty bag. What is stored in an older one after this ends with that bag.
    @discardableResult public func beginUse() -> ObserverBag { Attachments.of(self).beginUse() }
  }

  extension EmitterValue where Value: Sendable & Equatable {
    /// Creates a value that is bound to a property of a control, in both directions.
    ///
    /// ```swift
    /// let level = EmitterValue(\.integerValue, of: levelIndicator)
    /// ```
    ///
    /// The most used controls have such a value by name, for example `slider.emitterValue`.
    ///
    /// When the control sends its action, the value is set, on the main actor. When the value is
    /// set, on any thread, the control follows on the main actor, and shows the newest value.
    /// AppKit does not report that a program has assigned the property: set the value instead.
    ///
    /// The same property of the same control always gives the same value. It takes the target and
    /// the action of the control, as ``AppKit/NSControl/actionSent`` does. The control owns the
    /// value, and the value does not hold the control.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - control: The control.
    @MainActor public init<Control: NSControl>(
      _ property: ReferenceWritableKeyPath<Control, Value>, of control: Control
    ) {
      self = .shown(by: property, of: control, on: "action", changedBy: control.actionSent)
    }
  }

  // MARK: - Short names

  extension NSButton {
    /// Sends when the button is clicked.
    ///
    /// It is ``AppKit/NSControl/actionSent`` by another name, and takes the target and the action,
    /// too.
    public var tapped: SignalVoid { actionSent }
  }

  extension NSTextField {
    /// The text, in both directions: each edit sets the value, and a set shows it.
    ///
    /// Each access returns the same value. The control owns it, and it does not hold the control.
    /// If another thread sets the value, the control follows on the main actor.
    ///
    /// It leaves the field's target and action alone, except those of a search field: the button
    /// that empties a search field is told by its action alone.
    public var emitterValue: EmitterValue<String> {
      let edits = NotificationCenter.default.source(
        for: NSControl.textDidChangeNotification, object: self)
      return self is NSSearchField
        ? .shown(by: \.stringValue, of: self, on: "edits", changedBy: merge(edits, actionSent))
        : .shown(by: \.stringValue, of: self, on: "edits", changedBy: edits)
    }
  }

  extension NSTextView {
    /// The text, in both directions, as ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<String> {
      .shown(
        by: \.string, of: self, on: "edits",
        changedBy: NotificationCenter.default.source(
          for: NSText.didChangeNotification, object: self))
    }
  }

  extension NSSwitch {
    /// Whether the switch is on, in both directions.
    ///
    /// It takes the control's target and action, as ``AppKit/NSControl/actionSent`` does.
    /// Everything else is as for ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<Bool> { EmitterValue(\.isOn, of: self) }

    private var isOn: Bool {
      get { state == .on }
      set { state = newValue ? .on : .off }
    }
  }

  extension NSSlider {
    /// The slider's value, in both directions.
    ///
    /// It takes the control's target and action, as ``AppKit/NSControl/actionSent`` does.
    /// Everything else is as for ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<Double> { EmitterValue(\.doubleValue, of: self) }
  }

  extension NSStepper {
    /// The stepper's value, in both directions.
    ///
    /// It takes the control's target and action, as ``AppKit/NSControl/actionSent`` does.
    /// Everything else is as for ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<Double> { EmitterValue(\.doubleValue, of: self) }
  }

  extension NSSegmentedControl {
    /// The index of the selected segment, in both directions; -1 if none is.
    ///
    /// It takes the control's target and action, as ``AppKit/NSControl/actionSent`` does.
    /// Everything else is as for ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<Int> { EmitterValue(\.selectedSegment, of: self) }
  }

  extension NSDatePicker {
    /// The date, in both directions.
    ///
    /// It takes the control's target and action, as ``AppKit/NSControl/actionSent`` does.
    /// Everything else is as for ``AppKit/NSTextField/emitterValue``.
    public var emitterValue: EmitterValue<Date> { EmitterValue(\.dateValue, of: self) }
  }
#endif
