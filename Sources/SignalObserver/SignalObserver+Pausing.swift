extension SignalObserver {
  /// Drops what is emitted, and what comes due, until ``resume()`` (guarantee 11).
  ///
  /// Not counted: one `resume()` ends any number of `suspend()`. A call in progress is not
  /// interrupted.
  public func suspend() {
    flags.suspend()
  }

  /// Lets the slot be called again, by what is emitted from now on and by what was emitted before
  /// and has not come due.
  ///
  /// Nothing is replayed. On an observer that is not suspended, or is cancelled, this does nothing.
  public func resume() {
    flags.resume()
    if let lane, let berth { lane.resumed(berth)?.resume() }
  }

  /// Whether the connection exists, and is suspended.
  public var isSuspended: Bool { flags.isSuspended }
}
