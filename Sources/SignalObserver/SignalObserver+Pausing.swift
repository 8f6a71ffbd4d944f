extension SignalObserver {
  /// Drops each payload that is emitted, or whose turn comes, before ``resume()`` is called
  /// ([guarantee 11](doc:Guarantees)).
  ///
  /// ```swift
  /// let observer = player.scoreChanged.connect(label, Label.show)
  /// observer.suspend()
  /// player.goal(1)  // dropped, not kept for later
  /// observer.resume()
  /// player.goal(2)  // 2
  /// observer.cancel()
  /// player.goal(3)  // nobody is called, now or later
  /// ```
  ///
  /// Suspend an observer to pause its connection, and cancel it to end the connection for good.
  /// Calls are not counted: one `resume()` undoes any number of calls to `suspend()`. A call of the
  /// slot that is in progress continues.
  ///
  /// - Complexity: O(1).
  public func suspend() {
    // Relaxed, as all uses of the flags: see `isActive`.
    word.bitwiseOr(Self.suspended)
  }

  /// Ends the pause: from now on, each payload whose turn it is calls the slot again.
  ///
  /// That includes payloads that were emitted before, and whose turn is still to come.
  ///
  /// Payloads that were dropped stay dropped. If the observer is cancelled, or not suspended, this
  /// does nothing. For an example, see ``suspend()``.
  ///
  /// Methods of `track` that have missed a change are called later, on their isolation.
  ///
  /// - Complexity: O(1).
  public func resume() {
    if word.bitwiseAnd(~Self.suspended) & Self.suspended != 0 { lineMailbox?.onResume?() }
  }

  /// Whether the observer is suspended and its connection has not ended.
  ///
  /// If another thread uses the observer, the answer may be out of date at once.
  public var isSuspended: Bool {
    word.load(ordering: .relaxed) & (Self.suspended | Self.over) == Self.suspended
  }
}
