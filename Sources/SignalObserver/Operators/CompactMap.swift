extension SignalSource {
  /// Sends what `transform` makes of each payload, unless that is `nil`.
  @inlinable
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> Output?
  ) -> some SignalSource<Output> where Payload: Sendable {
    CompactMapped(base: self, transform: transform)
  }

  /// Sends the values of the successes, and drops the failures.
  @inlinable
  public func successes<Success: Sendable, Failure>() -> some SignalSource<Success>
  where Payload == Result<Success, Failure> {
    CompactMapped(base: self) { result in
      if case .success(let value) = result { value } else { nil }
    }
  }

  /// Sends the errors of the failures, and drops the successes.
  @inlinable
  public func failures<Success: Sendable, Failure>() -> some SignalSource<Failure>
  where Payload == Result<Success, Failure> {
    CompactMapped(base: self) { result in
      if case .failure(let error) = result { error } else { nil }
    }
  }
}

/// A source that sends what a transform makes of another one's payloads, or nothing.
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
