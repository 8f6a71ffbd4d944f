extension SignalObserver {
  /// Drops emissions, and deliveries that come due, until ``resume()`` (guarantee 11).
  ///
  /// Calls are not counted: one `resume()` ends any number of calls of `suspend()`. A slot that is
  /// being called is not interrupted.
  public func suspend() {
    flags.suspend()
  }

  /// Lets the slot be called again: for later emissions, and for earlier ones that have not come
  /// due.
  ///
  /// Nothing is replayed. If the observer is cancelled, or not suspended, the call does nothing.
  public func resume() {
    flags.resume()
    if let lane, let berth { lane.resumed(berth)?.resume() }
  }

  /// Whether the connection is suspended, and has not ended.
  public var isSuspended: Bool { flags.isSuspended }
}
