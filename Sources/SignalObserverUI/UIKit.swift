#if canImport(UIKit) && !os(watchOS)
  public import SignalObserver
  public import UIKit

  extension UIControl {
    /// Sends whenever one of `events` happens to the control.
    ///
    /// ```swift
    /// slider.signal(for: .touchUpInside).connect(self, Player.seek)
    /// ```
    ///
    /// The signal emits on the main actor, before the control goes on. The control owns the
    /// emitter, so the connections end with the control. The signal does not hold the control.
    ///
    /// - Parameter events: The events. A set of several is one signal, which does not tell them
    ///   apart.
    /// - Returns: The signal, always the same one for the same events.
    public func signal(for events: UIControl.Event) -> SignalVoid {
      Attachments.of(self).content(of: events.rawValue) {
        let emitter = EmitterVoid()
        addAction(UIAction { _ in emitter.invoke() }, for: events)
        return emitter
      }.signal
    }
  }

  extension EmitterValue where Value: Sendable & Equatable {
    /// Creates a value that is bound to a property of a control, in both directions.
    ///
    /// ```swift
    /// let page = EmitterValue(of: \.currentPage, on: pageControl)
    /// ```
    ///
    /// The most used controls have such a value by name, for example `textField.emitterValue`.
    ///
    /// When the user changes the control, the value is set, on the main actor. When the value is
    /// set, on any thread, the control follows on the main actor, and shows the newest value. UIKit
    /// does not report that a program has assigned the property: set the value instead.
    ///
    /// A control may be unable to show the value, for example a slider with a smaller maximum. It
    /// then shows another one, and the value stays.
    ///
    /// The same property, control and events always give the same value. The control owns the
    /// value, and the value does not hold the control.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - control: The control.
    ///   - events: The events with which the user changes the property.
    @MainActor public init<Control: UIControl>(
      of property: ReferenceWritableKeyPath<Control, Value>, on control: Control,
      for events: UIControl.Event = .valueChanged
    ) {
      let key: [AnyHashable] = [property, events.rawValue]
      self = Attachments.of(control).content(of: key) {
        let value = EmitterValue.shown(by: property, of: control)
        // Weak: the control owns the action.
        let action = UIAction { [weak control] _ in
          if let control { value.set(control[keyPath: property]) }
        }
        control.addAction(action, for: events)
        return value
      }
    }
  }

  // MARK: - Short names

  extension UIButton {
    /// Sends when the button's primary action is triggered: a tap, a click, or a press of the
    /// remote.
    ///
    /// ```swift
    /// button.tapped.connect(self, Editor.save)
    /// ```
    public var tapped: SignalVoid { signal(for: .primaryActionTriggered) }
  }

  extension UITextField {
    /// The text, two-way: each edit sets it, and setting it shows it.
    public var emitterValue: EmitterValue<String> {
      EmitterValue(of: \.shownText, on: self, for: .editingChanged)
    }

    private var shownText: String {
      get { text ?? "" }
      set { text = newValue }
    }
  }

  extension UISegmentedControl {
    /// The index of the selected segment, two-way; `noSegment` if none is.
    public var emitterValue: EmitterValue<Int> {
      EmitterValue(of: \.selectedSegmentIndex, on: self)
    }
  }

  #if !os(tvOS)
    extension UISwitch {
      /// Whether the switch is on, two-way.
      public var emitterValue: EmitterValue<Bool> { EmitterValue(of: \.isOn, on: self) }
    }

    extension UISlider {
      /// The slider's value, two-way.
      public var emitterValue: EmitterValue<Float> { EmitterValue(of: \.value, on: self) }
    }

    extension UIStepper {
      /// The stepper's value, two-way.
      public var emitterValue: EmitterValue<Double> { EmitterValue(of: \.value, on: self) }
    }

    extension UIDatePicker {
      /// The date, two-way.
      public var emitterValue: EmitterValue<Date> { EmitterValue(of: \.date, on: self) }
    }
  #endif
#endif
