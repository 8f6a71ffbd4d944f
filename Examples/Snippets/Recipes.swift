// Operators that are made of others, or of public API, for the article "Operators".
import SignalObserver

extension SignalSource where Payload: Sendable {
  /// Sends each payload with the latest one of `other`, once there is one.
  ///
  /// It ends when both have ended.
  func withLatest<Other: Sendable>(
    from other: some SignalSource<Other>
  ) -> some SignalSource<(Payload, Other)> {
    merge(other.map { (Payload?.none, Other?.some($0)) }, map { ($0, nil) })
      .scan((nil, nil)) { latest, next in (next.0, next.1 ?? latest.1) }
      .compactMap { mine, theirs in
        mine.flatMap { mine in theirs.map { (mine, $0) } }
      }
  }
}

extension SignalSource where Payload: Sendable {
  /// Sends the latest payload when `trigger` sends, if there is a new one.
  ///
  /// It ends when both have ended.
  func sample<Trigger: Sendable>(
    on trigger: some SignalSource<Trigger>
  ) -> some SignalSource<Payload> {
    merge(map { Payload?.some($0) }, trigger.map { _ in nil })
      .scan((Payload?.none, Payload?.none)) { last, next in
        (next, next == nil ? last.0 : nil)
      }
      .compactMap { $1 }
  }
}

/// Sends one payload on connecting, and ends.
struct Just<Payload: Sendable>: SignalSource {
  let payload: Payload

  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let value = EmitterValue(payload)
    return withExtendedLifetime(value) { value.signal.attach(slot) }
  }
}

extension SignalSource where Payload: Sendable {
  /// Sends `payload` on connecting, and then the payloads of this source.
  func start(with payload: Payload) -> some SignalSource<Payload> {
    merge(Just(payload: payload), self)
  }
}

// snippet.flatMapLatest
/// Sends the payloads of a source that is made of the latest payload.
struct FlatMapLatest<Base: SignalSource, Payload: Sendable>: SignalSource
where Base.Payload: Sendable {
  let base: Base
  let transform: @Sendable (Base.Payload) -> any SignalSource<Payload>

  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let output = Emitter<Payload>()
    let (inner, outer) = (EmitterValue(ObserverBag()), ObserverBag())
    let observer = output.signal.attach(slot.holding(inner.signal).holding(outer))
    // A replay delivers one at a time what threads send, and has the current value of a value.
    base.replay(1).connect(on: .inline) { [transform] payload in
      let bag = ObserverBag()
      inner.set(bag)  // ends the connection to the source before
      func follow(_ source: some SignalSource<Payload>) {
        // It may send at once, and a slot then choose the next source.
        source.connect(on: .inline) { output.invoke($0) }.store(in: bag)
      }
      follow(transform(payload))
    }.store(in: outer)
    return observer
  }
}
// snippet.end

extension SignalSource where Payload: Sendable {
  /// Sends the payloads of the source that `transform` makes of the latest one.
  func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Payload) -> any SignalSource<Output>
  ) -> some SignalSource<Output> {
    FlatMapLatest(base: self, transform: transform)
  }

  /// Sends the payloads of the source that came last.
  func switchToLatest() -> some SignalSource<Payload.Payload>
  where Payload: SignalSource, Payload.Payload: Sendable {
    flatMapLatest { $0 }
  }
}

extension SignalSource where Payload: Sendable {
  /// Ends the connection when nothing has been sent for `duration`.
  func timeout<C: Clock>(
    after duration: Duration, clock: C = ContinuousClock()
  ) -> some SignalSource<Payload> where C.Duration == Duration {
    prefix(until: map { _ in }.start(with: ()).debounce(for: duration, clock: clock))
  }
}

/// Sends the payloads of one connection to many, as long as the emitter lives.
func share<Payload: Sendable>(_ source: some SignalSource<Payload>) -> Emitter<Payload> {
  let shared = Emitter<Payload>()
  source.bind(to: shared)
  return shared
}

/// A child with a value, as in `Cart`.
@MainActor final class Item {
  @EmitterValue var price = 0
}

// snippet.children
/// Adds up the prices of items that come and go.
@MainActor final class Cart {
  @EmitterValue var items: [Item] = []
  @EmitterValue private(set) var total = 0
  private var prices = ObserverBag()

  init() { $items.connect(self) { me, items in me.follow(items) } }

  private func follow(_ items: [Item]) {
    let prices = ObserverBag()
    self.prices = prices  // ends the connections to earlier items
    combineLatest(items.map(\.$price)).map { $0.reduce(0, +) }
      .bind(to: _total).store(in: prices)
  }
}
// snippet.end
