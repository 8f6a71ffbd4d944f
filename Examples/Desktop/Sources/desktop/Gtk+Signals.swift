// Widgets of GTK 4 as sources and as sinks. Copy this file.
//
//     button.clicked.connect(player, Player.start)
//     entry.text.signal.debounce(for: .milliseconds(300)).connect(list, List.filter)
//     player.$title.bind(to: \.text, of: label.control)

import CGtk
import SignalObserver

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
  /// The same widget, for functions that take a type whose fields are known.
  func cast<Object>() -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Object.self)
  }

  /// The same widget, for functions that take a type whose fields are not.
  var opaque: OpaquePointer { OpaquePointer(self) }

  /// Whether GTK made the widget as one of this type.
  func isA(_ type: GType) -> Bool { g_type_check_instance_is_a(cast(), type) != 0 }

  /// The widget as a target, and the owner of its properties: a dead widget is a dead target.
  @MainActor var control: Control { Control.of(self) }

  /// Sends when a button is clicked.
  @MainActor var clicked: SignalVoid { control.signal("clicked") }
  /// Sends when the text of a field changes, by the user or by the program.
  @MainActor var changed: SignalVoid { control.signal("changed") }
  /// Sends when the widget ends.
  @MainActor var destroyed: SignalVoid { control.signal("destroy") }
  /// The text of a field: each edit sets it, and the field follows when it is set.
  @MainActor var text: EmitterValue<String> { control.textValue }
}

/// A widget as Swift's objects see it.
///
///     widget ──▶ handlers of GTK ──▶ Sender ──▶ Control, emitter
///
/// Nothing points back. When the widget is destroyed, GTK releases what its handlers hold. The
/// control dies, and with it every connection to the widget and from it. Keep no control: keep the
/// widget.
@MainActor final class Control {
  /// Nil once the widget is destroyed: a slot that is running may hold the control for longer.
  private var widget: Widget?
  /// Whether the program sets the text, which GTK first deletes and then inserts: two changes.
  private var isSettingText = false
  private var signals: [String: SignalVoid] = [:]
  fileprivate private(set) lazy var textValue = makeTextValue()

  private init(_ widget: Widget) { self.widget = widget }

  private static let key = "SignalObserver.Control"

  /// Returns the control of `widget`, which is made at the first call.
  fileprivate static func of(_ widget: Widget) -> Control {
    if let known = g_object_get_data(widget.cast(), key) {
      return Unmanaged<Control>.fromOpaque(known).takeUnretainedValue()
    }
    let control = Control(widget)
    g_object_set_data(widget.cast(), key, Unmanaged.passUnretained(control).toOpaque())
    // Every widget has this signal, so from here on GTK owns the control.
    control.signal("destroy").connect(control, Control.end)
    return control
  }

  private func end() {
    if let widget { g_object_set_data(widget.cast(), Self.key, nil) }
    widget = nil
  }

  /// Returns a signal that GTK knows by this name, and that has no arguments.
  func signal(_ name: String) -> SignalVoid {
    if let signal = signals[name] { return signal }
    let sender = Sender<Void>(self)
    let handler: @convention(c) (gpointer, gpointer) -> Void = { _, data in
      MainActor.assumeIsolated { Sender<Void>.at(data).emitter.invoke() }
    }
    if let widget { sender.hand(to: widget, name, unsafeBitCast(handler, to: GCallback.self)) }
    signals[name] = sender.emitter.signal
    return sender.emitter.signal
  }

  private func makeTextValue() -> EmitterValue<String> {
    let value = EmitterValue(text)
    signal("changed").connect(self) { control in
      if !control.isSettingText { value.set(control.text) }
    }
    // Weak: the value holds this slot. The newest, so that an older value undoes no edit.
    value.signal.connect(self) { [weak signal = value.signal] control, sent in
      let newest = signal?.value ?? sent
      if control.text != newest { control.text = newest }
    }
    return value
  }

  /// The text of a label or a field.
  var text: String {
    get {
      guard let widget else { return "" }
      let isLabel = widget.isA(gtk_label_get_type())
      return String(
        cString: isLabel ? gtk_label_get_text(widget.opaque) : gtk_editable_get_text(widget.opaque))
    }
    set {
      guard let widget else { return }
      isSettingText = true
      defer { isSettingText = false }
      let isLabel = widget.isA(gtk_label_get_type())
      (isLabel ? gtk_label_set_text : gtk_editable_set_text)(widget.opaque, newValue)
    }
  }

  /// Whether the user can use the widget.
  var isEnabled: Bool {
    get { widget.map { gtk_widget_get_sensitive($0) != 0 } ?? false }
    set { if let widget { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) } }
  }

  /// How much of a progress bar is full, from 0 to 1.
  var fraction: Double {
    get { widget.map { gtk_progress_bar_get_fraction($0.opaque) } ?? 0 }
    set { if let widget { gtk_progress_bar_set_fraction(widget.opaque, newValue) } }
  }
}

/// What GTK holds for one signal of one object.
@MainActor private final class Sender<Payload: Sendable> {
  let emitter = Emitter<Payload>()
  private let control: Control?

  init(_ control: Control?) { self.control = control }

  /// Gives the sender to GTK, which releases it when the object ends.
  ///
  /// GTK calls `handler` by the type that the signal has, whatever type it is passed as.
  func hand(to object: UnsafeMutableRawPointer, _ name: String, _ handler: GCallback) {
    g_signal_connect_data(
      object, name, handler, Unmanaged.passRetained(self).toOpaque(),
      { data, _ in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, G_CONNECT_AFTER)
  }

  /// GTK holds the sender while it calls a handler, so this is the address of an object.
  static func at(_ data: gpointer) -> Sender {
    Unmanaged<Sender>.fromOpaque(data).takeUnretainedValue()
  }
}

/// Returns a signal that sends the answer of the user, and that ends with the dialog.
@MainActor func responded(_ dialog: UnsafeMutablePointer<GtkNativeDialog>) -> SignalArg<Int32> {
  let sender = Sender<Int32>(nil)
  let handler: @convention(c) (gpointer, Int32, gpointer) -> Void = { _, response, data in
    MainActor.assumeIsolated { Sender<Int32>.at(data).emitter.invoke(response) }
  }
  sender.hand(to: dialog, "response", unsafeBitCast(handler, to: GCallback.self))
  return sender.emitter.signal
}
