extension Wiring {
  /// A source that is one end of something outside the program, which it names.
  ///
  /// ```swift
  /// /// Scores that arrive from a bus, under a subject.
  /// final class RemoteScores: Wiring.Endpoint {
  ///   private let received = EmitterArg<Int>()
  ///
  ///   let endpoint = "games.scores"
  ///   var endpointSignal: any SignalSource { received.signal }
  ///
  ///   func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
  ///     received.signal.attach(slot)
  ///   }
  /// }
  /// ```
  ///
  /// A ``Wiring`` shows the name as a node of its own, which sends payloads to ``endpointSignal``.
  /// The counterpart for payloads that leave the program is ``SignalSlot/leaving(for:)``. A bus
  /// between processes uses both with the same names, and the pictures of its processes then fit
  /// together.
  public protocol Endpoint: SignalSource {
    /// The name of the other end, such as a subject of a message bus.
    var endpoint: String { get }

    /// The signal in this program that sends what arrives from there.
    var endpointSignal: any SignalSource { get }
  }
}
