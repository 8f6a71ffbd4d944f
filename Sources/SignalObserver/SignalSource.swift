/// A type to which you can connect slots: a ``Signal``, a value, or a source that is derived from
/// one.
///
/// The protocol has one requirement, which attaches a slot. The connect forms are extensions of the
/// protocol, and `Signal<Void>` has a few more. To write an operator, declare a
/// small struct that conforms to it. Let the struct adapt the slot that it is given, and attach the
/// adapted slot to its base. The operator then has the connect forms, and keeps no state except
/// that of each connection. <doc:Operators> shows one with state.
///
/// A conformance belongs to no actor: the compiler could not tell where an `any SignalSource` may
/// be used.
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
public protocol SignalSource<Payload>: SendableMetatype {
  /// The type of the values that the source sends.
  associatedtype Payload

  /// Attaches `slot`.
  ///
  /// A connect form calls this once for each connection, on the thread and the isolation of its
  /// caller. No lock is held meanwhile.
  ///
  /// - Parameter slot: The slot, which holds its target until this returns. Attach it, or what it
  ///   is adapted to, and do not keep it.
  /// - Returns: The handle of the connection. An operator returns what its base returns.
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver
}
