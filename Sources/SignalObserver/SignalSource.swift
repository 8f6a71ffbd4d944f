/// A type to which slots can be connected: a ``Signal``, a value, or a source that is derived from
/// one.
///
/// The one requirement attaches a slot. Every connect form is an extension of the protocol. To
/// write an operator, make a small struct that conforms. It adapts the slot that it is given, and
/// attaches the adapted slot to its base. The operator then has all connect forms, and no state
/// except that of each connection.
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
  /// The type of the values that the source sends.
  associatedtype Payload

  /// Attaches `slot`.
  ///
  /// A connect form calls this once for each connection, on the thread and the isolation of its
  /// caller.
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver
}
