#if canImport(UIKit) && !os(watchOS)
  #if os(tvOS)
    import Foundation
  #else
    public import Foundation
  #endif
  public import SignalObserver
  public import UIKit

  extension UIControl {
    /// Sends whenever one of `events` happens to the control.
    ///
    /// ```swift
    /// slider.signal(for: [.touchUpInside, .touchUpOutside])
    ///   .connect(player, Player.seek)
    /// ```
    ///
    /// The signal emits on the main actor, before the control continues. The control owns the
    /// emitter, so the connections end with the control. The signal does not hold the control.
    ///
    /// It needs iOS 14 or tvOS 14, whose actions are closures. On older systems, add a target and
    /// an action, and emit there.
    ///
    /// - Parameter events: The events. A set of several is one signal, which does not tell them
    ///   apart.
    /// - Returns: The signal, always the same one for the same events.
    @available(iOS 14, tvOS 14, visionOS 1, *)
    public func signal(for events: UIControl.Event) -> SignalVoid {
      Attachments.of(self).content(of: events.rawValue) {
        let emitter = EmitterVoid()
        addAction(UIAction { @MainActor _ in emitter.invoke() }, for: events)
        return emitter
      }.signal
    }
  }

  extension EmitterValue where Value: Sendable & Equatable {
    /// Creates a value that is bound to a property of a control, in both directions.
    ///
    /// ```swift
    /// EmitterValue(\.currentPage, of: pageControl).signal
    ///   .connect(player, Player.show)
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
    /// It needs iOS 14 or tvOS 14, whose actions are closures. On older systems, add a target and
    /// an action, and emit there.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - control: The control.
    ///   - events: The events with which the user changes the property.
    @available(iOS 14, tvOS 14, visionOS 1, *)
    @MainActor public init<Control: UIControl>(
      _ property: ReferenceWritableKeyPath<Control, Value>, of control: Control,
      for events: UIControl.Event = .valueChanged
    ) {
      let key: [AnyHashable] = [property, events.rawValue]
      self = Attachments.of(control).content(of: key) {
        let value = EmitterValue.shown(by: property, of: control)
        // Weak: the control owns the action.
        let action = UIAction { @MainActor [weak control] _ in
          if let control { value.set(control[keyPath: property]) }
        }
        control.addAction(action, for: events)
        return value
      }
    }
  }

  extension UIGestureRecognizer {
    /// Sends whenever the recognizer calls its targets: at each change of its state.
    ///
    /// ```swift
    /// tap.actionSent.connect(toolbox, Toolbox.select)
    /// // The recognizer as the target: the slot does not hold it.
    /// pan.actionSent.connect(pan) { pan in toolbox.drag(pan) }
    /// ```
    ///
    /// Other targets of the recognizer stay. The signal emits on the main actor, and is always the
    /// same one. The recognizer owns the emitter, so the connections end with the recognizer.
    public var actionSent: SignalVoid {
      Attachments.of(self).content(of: "action") {
        let receiver = ActionReceiver()
        // The recognizer does not hold it. The attachments do.
        addTarget(receiver, action: ActionReceiver.selector)
        return receiver
      }.emitter.signal
    }
  }

  extension UIBarButtonItem: ActionSender {
    /// Sends whenever the item is tapped.
    ///
    /// ```swift
    /// saveItem.actionSent.connect(self, EditorController.save)
    /// ```
    ///
    /// The signal takes the target and the action of the item. UIKit ignores both if the item has a
    /// `primaryAction` or shows a view of its own. A debug build prints a line if an earlier action
    /// is replaced, and if there is a primary action. The item owns the emitter, so the connections
    /// end with the item.
    public var actionSent: SignalVoid {
      #if DEBUG
        if primaryAction != nil {
          ActionReceiver.report("\(self) sends its primary action instead")
        }
      #endif
      return ActionReceiver.signal(of: self)
    }
  }

  extension UIView {
    /// Ends the connections of the use before, and returns a bag for those of this use.
    ///
    /// A table or a collection uses its cells again. What a cell connects for one item must end
    /// when the cell shows the next:
    ///
    /// ```swift
    /// // Ends when the cell is used for another book.
    /// library.reading.signal.map { $0 != book.id }
    ///   .bind(to: \.isHidden, of: cell.bookmark).store(in: cell.beginUse())
    /// ```
    ///
    /// They also end with the view. To end them when the cell leaves the screen, call it in
    /// `prepareForReuse`, too.
    ///
    /// - Returns: A new, empty bag. What is stored in an older one after this ends with that bag.
    @discardableResult public func beginUse() -> ObserverBag { Attachments.of(self).beginUse() }
  }

  // MARK: - Short names

  extension UIButton {
    /// Sends when the button's primary action is triggered: a tap, a click, or a press of the
    /// remote.
    ///
    /// ```swift
    /// button.tapped.connect(player, Player.seek)
    /// ```
    @available(iOS 14, tvOS 14, visionOS 1, *)
    public var tapped: SignalVoid { signal(for: .primaryActionTriggered) }
  }

  extension UITextField {
    /// The text, in both directions: each edit sets the value, and a set shows it.
    ///
    /// ```swift
    /// document.title.bond(givingTo: titleField.emitterValue)
    /// ```
    ///
    /// Each access returns the same value. The control owns it, and it does not hold the control.
    /// If another thread sets the value, the control follows on the main actor.
    ///
    /// It needs iOS 14 or tvOS 14, as that of all controls of UIKit but text views.
    @available(iOS 14, tvOS 14, visionOS 1, *)
    public var emitterValue: EmitterValue<String> {
      EmitterValue(\.shownText, of: self, for: .editingChanged)
    }

    private var shownText: String {
      get { text ?? "" }
      set { text = newValue }
    }
  }

  extension UITextView {
    /// The text, in both directions, as ``UIKit/UITextField/emitterValue``.
    public var emitterValue: EmitterValue<String> {
      .shown(
        by: \.shownText, of: self, on: "edits",
        changedBy: NotificationCenter.default.source(
          for: UITextView.textDidChangeNotification, object: self))
    }

    private var shownText: String {
      get { text ?? "" }
      set { text = newValue }
    }
  }

  extension UISegmentedControl {
    /// The index of the selected segment, in both directions; `noSegment` if none is.
    ///
    /// Everything else is as for ``UIKit/UITextField/emitterValue``.
    @available(iOS 14, tvOS 14, visionOS 1, *)
    public var emitterValue: EmitterValue<Int> {
      EmitterValue(\.selectedSegmentIndex, of: self)
    }
  }

  #if !os(tvOS)
    extension UISwitch {
      /// Whether the switch is on, in both directions, as ``UIKit/UITextField/emitterValue``.
      @available(iOS 14, tvOS 14, visionOS 1, *)
      public var emitterValue: EmitterValue<Bool> { EmitterValue(\.isOn, of: self) }
    }

    extension UISlider {
      /// The slider's value, in both directions, as ``UIKit/UITextField/emitterValue``.
      @available(iOS 14, tvOS 14, visionOS 1, *)
      public var emitterValue: EmitterValue<Float> { EmitterValue(\.value, of: self) }
    }

    extension UISearchBar {
      /// The text that is searched for, in both directions.
      ///
      /// It is the ``UIKit/UITextField/emitterValue`` of the bar's text field.
      @available(iOS 14, tvOS 14, visionOS 1, *)
      public var emitterValue: EmitterValue<String> { searchTextField.emitterValue }
    }

    extension UIStepper {
      /// The stepper's value, in both directions, as ``UIKit/UITextField/emitterValue``.
      @available(iOS 14, tvOS 14, visionOS 1, *)
      public var emitterValue: EmitterValue<Double> { EmitterValue(\.value, of: self) }
    }

    extension UIDatePicker {
      /// The date, in both directions, as ``UIKit/UITextField/emitterValue``.
      @available(iOS 14, tvOS 14, visionOS 1, *)
      public var emitterValue: EmitterValue<Date> { EmitterValue(\.date, of: self) }
    }
  #endif
#endif
