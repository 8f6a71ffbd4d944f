#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit
  public import SignalObserver

  extension NSControl {
    /// Sends whenever the control sends its action.
    ///
    /// ```swift
    /// button.actionSent.connect(self, Editor.save)
    /// ```
    ///
    /// A control has one target and one action. The signal takes both, and the control no longer
    /// calls an earlier target: connect that target to the signal instead.
    ///
    /// The signal emits on the main actor, before the control goes on. A control always has the
    /// same signal. The control owns the emitter, so the connections end with the control. The
    /// signal does not hold the control.
    public var actionSent: SignalVoid {
      Attachments.of(self).content(of: "action") {
        let receiver = ActionReceiver()
        // The control holds its target weakly. The attachments hold it strongly.
        target = receiver
        action = Selector(("receive:"))
        return receiver
      }.emitter.signal
    }
  }

  /// The target of a control.
  @MainActor final class ActionReceiver: NSObject {
    let emitter = EmitterVoid()

    #if canImport(ObjectiveC)
      @objc(receive:)
    #endif
    func receive(_ sender: Any?) { emitter.invoke() }
  }

  extension EmitterValue where Value: Sendable & Equatable {
    /// Creates a value that is bound to a property of a control, in both directions.
    ///
    /// ```swift
    /// let level = EmitterValue(of: \.integerValue, on: levelIndicator)
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
      of property: ReferenceWritableKeyPath<Control, Value>, on control: Control
    ) {
      self.init(of: property, on: control, changedBy: control.actionSent)
    }

    /// The same, for a control that does not report the changes of its user by its action.
    @MainActor fileprivate init<Control: NSControl>(
      of property: ReferenceWritableKeyPath<Control, Value>, on control: Control,
      changedBy changed: SignalVoid
    ) {
      self = Attachments.of(control).content(of: property) {
        let value = EmitterValue.shown(by: property, of: control)
        changed.connect(control) { @MainActor control in value.set(control[keyPath: property]) }
        return value
      }
    }
  }

  // MARK: - Short names

  extension NSButton {
    /// Sends when the button is clicked.
    public var tapped: SignalVoid { actionSent }
  }

  extension NSTextField {
    /// The text, two-way: each edit sets it, and setting it shows it.
    ///
    /// It leaves the field's target and action alone.
    public var emitterValue: EmitterValue<String> {
      let edits = Attachments.of(self).content(of: "edits") { NotificationEmitter(self) }
      return EmitterValue(of: \.stringValue, on: self, changedBy: edits.emitter.signal)
    }
  }

  /// Sends when the text of a field is edited.
  private final class NotificationEmitter {
    let emitter = EmitterVoid()
    private let token: any NSObjectProtocol

    @MainActor init(_ field: NSTextField) {
      token = NotificationCenter.default.addObserver(
        forName: NSControl.textDidChangeNotification, object: field, queue: nil
      ) { [emitter] _ in
        // AppKit posts the notification on the main thread. Without a queue, the block runs on the
        // thread that posts.
        MainActor.assumeIsolated { emitter.invoke() }
      }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  extension NSSwitch {
    /// Whether the switch is on, two-way.
    public var emitterValue: EmitterValue<Bool> { EmitterValue(of: \.isOn, on: self) }

    private var isOn: Bool {
      get { state == .on }
      set { state = newValue ? .on : .off }
    }
  }

  extension NSSlider {
    /// The slider's value, two-way.
    public var emitterValue: EmitterValue<Double> { EmitterValue(of: \.doubleValue, on: self) }
  }

  extension NSStepper {
    /// The stepper's value, two-way.
    public var emitterValue: EmitterValue<Double> { EmitterValue(of: \.doubleValue, on: self) }
  }

  extension NSSegmentedControl {
    /// The index of the selected segment, two-way; -1 if none is.
    public var emitterValue: EmitterValue<Int> { EmitterValue(of: \.selectedSegment, on: self) }
  }

  extension NSDatePicker {
    /// The date, two-way.
    public var emitterValue: EmitterValue<Date> { EmitterValue(of: \.dateValue, on: self) }
  }
#endif
