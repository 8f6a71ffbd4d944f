/// Anything that slots can be connected to: a ``Signal``, and what is derived from one.
///
/// One requirement attaches a slot, and every connect form is an extension of it. To write an
/// operator, make a small struct that conforms, adapts the slot it is given, and attaches that to
/// its base: it then has all connect forms, and no state but the connection's own.
///
/// ```swift
/// struct Celsius<Base: SignalSource<Double>>: SignalSource {
///   let fahrenheit: Base
///
///   func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
///     fahrenheit.attach(slot.adapted { ($0 - 32) / 1.8 })
///   }
/// }
/// ```
public protocol SignalSource<Payload> {
  /// What the source sends.
  associatedtype Payload

  /// Connects `slot`. Called once for each connection, where `connect` was called.
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver
}
