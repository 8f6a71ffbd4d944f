extension Emitter {
  /// Sends `payload` as ``invoke(_:isolation:)`` does, and returns how many slots it has reached.
  ///
  /// ```swift
  /// if failed.invokeAndCount(error) == 0 { print("nobody handles", error) }
  /// ```
  ///
  /// A slot counts if the emission calls it, or adds the payload to those that wait for it. So a
  /// slot does not count if it is suspended or cancelled, or if its target is dead. A slot counts
  /// even if an operator before it drops the payload, or its limit of ``SignalBuffering`` does.
  /// Behind `merge` and the like, it counts while it is suspended, too.
  ///
  /// To know before whether a payload is worth making, use ``Signal/hasSlots``.
  ///
  /// - Parameters:
  ///   - payload: The value to send.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  /// - Returns: The number of slots.
  /// - Complexity: As for ``invoke(_:isolation:)``. It loads the target of each slot once more.
  public func invokeAndCount(
    _ payload: Payload, isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    // A slot may drop the emitter, whose death would end the connections.
    withExtendedLifetime(core) {
      unsafe withUnsafePointer(to: payload) {
        unsafe core.signal.list.emitAnywhere(
          $0, from: isolation.map { ObjectIdentifier($0) }, counts: true)
      }
    }
  }

  /// Emits without a payload, and returns how many slots it has reached.
  ///
  /// Everything else is as for ``invokeAndCount(_:isolation:)``.
  public func invokeAndCount(isolation: isolated (any Actor)? = #isolation) -> Int
  where Payload == Void {
    invokeAndCount((), isolation: isolation)
  }

  /// Sends two arguments, and returns how many slots it has reached.
  ///
  /// Everything else is as for ``invokeAndCount(_:isolation:)``.
  public func invokeAndCount<First, Second>(
    _ first: First, _ second: Second, isolation: isolated (any Actor)? = #isolation
  ) -> Int where Payload == (First, Second) {
    invokeAndCount((first, second), isolation: isolation)
  }
}
