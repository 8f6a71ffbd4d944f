extension SignalSource {
  /// Sends the result of `transform` for each payload, and nothing if the result is `nil`.
  ///
  /// - Parameter transform: A function that runs once for each delivery, in the place of the slot.
  ///   No lock is held meanwhile.
  /// - Returns: A source of the results that are not `nil`.
  @inlinable
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output?
  ) -> some SignalSource<Output> where Payload: Sendable {
    CompactMapped(base: self, transform: transform)
  }

  /// Sends the value of each success, and drops the failures.
  @inlinable
  public func successes<Success: Sendable, Failure>() -> some SignalSource<Success>
  where Payload == Result<Success, Failure> {
    CompactMapped(base: self) { result in
      if case .success(let value) = result { value } else { nil }
    }
  }

  /// Sends the error of each failure, and drops the successes.
  @inlinable
  public func failures<Success: Sendable, Failure>() -> some SignalSource<Failure>
  where Payload == Result<Success, Failure> {
    CompactMapped(base: self) { result in
      if case .failure(let error) = result { error } else { nil }
    }
  }
}

/// A source that sends the results of a transform that are not `nil`.
@usableFromInline
struct CompactMapped<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  @usableFromInline let base: Base
  @usableFromInline let transform: @Sendable (Base.Payload) -> Payload?

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Payload) -> Payload?) {
    self.base = base
    self.transform = transform
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    base.attach(slot.compactAdapted(transform))
  }
}
