public import Dispatch

// Closures on a queue, and inline.

extension DispatchQueue? {
  /// No queue: the slot runs on the emitting thread, before `invoke` returns.
  ///
  /// The same as `nil`, with a name: `connect(label, Label.show, .inline)`.
  public static var inline: DispatchQueue? { nil }
}

extension SignalSource {
  /// Connects a closure that runs on `queue`, or inline.
  ///
  /// ```swift
  /// player.scoreChanged.connect(on: queue) { score in log.write(score) }
  /// player.scoreChanged.connect(on: .inline) { score in log.write(score) }
  /// ```
  ///
  /// Delivery is as for a method with a queue: always later on a queue, before `invoke` returns with
  /// `.inline`. The closure is kept until the connection ends: with ``SignalObserver/cancel()``, or
  /// with the emitter.
  ///
  /// - Parameters:
  ///   - queue: Where the slot runs: a queue, or `.inline`.
  ///   - fileID: Where `connect` is called, for the signal's debug description.
  ///   - line: Where `connect` is called, for the signal's debug description.
  ///   - body: The closure. Two parameters fit a signal with two arguments.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised.
  @inlinable
  @discardableResult
  public func connect(
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ body: @escaping @Sendable (Payload) -> Void
  ) -> SignalObserver where Payload: Sendable {
    attach(SignalSlot(Delivery(queue: queue), fileID, line, body))
  }

  /// Connects a closure that is given its target and runs on `queue`, or inline.
  ///
  /// ```swift
  /// player.scoreChanged.connect(log, on: queue) { log, score in log.write(score) }
  /// ```
  ///
  /// `target` is held weakly, and the connection ends with it. Delivery is as for a method with a
  /// queue.
  ///
  /// > Important: A class that is not `Sendable` is given to the closure on `queue`, or on the
  /// emitting thread, wherever it is connected. That nobody uses it elsewhere at that time is your
  /// promise: the compiler does not check it.
  @inlinable
  @discardableResult
  public func connect<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, Payload) -> Void
  ) -> SignalObserver where Payload: Sendable {
    attach(
      SignalSlot(target, calling: body, Delivery(queue: queue), fileID, line))
  }

  /// Connects a closure that is given its target and the two payloads, and runs on `queue`, or
  /// inline.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject, First: Sendable, Second: Sendable>(
    _ target: Target, on queue: DispatchQueue?, fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target, First, Second) -> Void
  ) -> SignalObserver where Payload == (First, Second) {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, payload in
        body(target, payload.0, payload.1)
      })
  }
}

// Of signals, and not of all sources: where what an operator sends is not known yet, these would be
// taken for what the closure is, and its mistakes be told by them.
extension Signal where Payload == Void {
  /// Connects a closure that is given its target to a signal without a payload, and runs on
  /// `queue`, or inline.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func connect<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, fileID: StaticString = #fileID,
    line: UInt32 = #line, _ body: @escaping @Sendable (Target) -> Void
  ) -> SignalObserver {
    attach(
      SignalSlot(target, Delivery(queue: queue), fileID, line) { target, _ in
        body(target)
      })
  }
}
