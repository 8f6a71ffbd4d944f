#if canImport(Combine)
  public import Combine

  extension SignalSource where Payload: Sendable {
    /// A publisher of the payloads of the source, for code that uses Combine.
    ///
    /// Each subscription is a connection of its own. Cancelling the subscription ends the
    /// connection, and the subscription finishes when the emitter has died. Payloads are delivered
    /// one at a time, and wait for the demand of the subscriber. They are delivered on the emitting
    /// thread, or on another thread that is sending at that moment. Payloads that had to wait are
    /// delivered on the thread that requests them.
    public var publisher: some Publisher<Payload, Never> { SignalPublisher(source: self) }
  }

  private struct SignalPublisher<Source: SignalSource>: Publisher where Source.Payload: Sendable {
    typealias Output = Source.Payload
    typealias Failure = Never

    let source: Source

    func receive<S: Subscriber<Output, Never>>(subscriber: S) {
      let subscription = SignalSubscription(AnySubscriber(subscriber))
      let end = Finally { subscription.finish() }
      subscriber.receive(subscription: subscription)
      let observer = source.attach(
        SignalSlot(.inline, #fileID, #line) { subscription.send($0) }.holding(end))
      subscription.set(observer)
    }
  }

  /// Connects a subscriber to a slot.
  ///
  /// `@unchecked Sendable`: one thread at a time (`isSending`) calls the subscriber, after the
  /// lock, as Combine asks of a publisher. A subscriber that must stay on one thread would break
  /// this.
  private final class SignalSubscription<Payload: Sendable>: Subscription, @unchecked Sendable {
    /// Type-erased, so that the captures are `Sendable` for every type of subscriber.
    typealias Receiver = AnySubscriber<Payload, Never>

    private struct State {
      var subscriber: Receiver?
      var demand = Subscribers.Demand.none
      var pending = Fifo<Payload>()
      var isSending = false
      var isFinished = false
      var observer: SignalObserver?
    }

    private enum Step {
      case send(Payload, Receiver)
      case finish(Receiver)
      case wait
    }

    private let state: Lock<State>

    init(_ subscriber: Receiver) {
      state = Lock(State(subscriber: subscriber))
    }

    /// Stores the connection, or cancels it if the subscription has ended before this call.
    func set(_ observer: SignalObserver) {
      let isCancelled = state.withLock { state in
        if state.subscriber != nil { state.observer = observer }
        return state.subscriber == nil
      }
      if isCancelled { observer.cancel() }
    }

    func send(_ payload: Payload) {
      advance { $0.pending.append(payload) }
    }

    func finish() {
      advance { $0.isFinished = true }
    }

    func request(_ demand: Subscribers.Demand) {
      advance { $0.demand += demand }
    }

    func cancel() {
      var old = State()
      state.withLock { state in
        swap(&state, &old)
        state.isSending = old.isSending
      }
      // After the lock, like the release of pending payloads.
      old.observer?.cancel()
    }

    /// Changes the state, and then sends the payloads in demand, unless another thread is sending.
    private func advance(_ change: (inout State) -> Void) {
      let isMine = state.withLock { state in
        guard state.subscriber != nil else { return false }
        change(&state)
        defer { state.isSending = true }
        return !state.isSending
      }
      guard isMine else { return }
      while true {
        switch state.withLock(Self.step) {
        case .send(let payload, let subscriber):
          let demand = subscriber.receive(payload)
          state.withLock { $0.demand += demand }
        case .finish(let subscriber):
          subscriber.receive(completion: .finished)
          cancel()
        case .wait: return
        }
      }
    }

    private static func step(_ state: inout State) -> Step {
      if let subscriber = state.subscriber {
        if state.demand > .none, let payload = state.pending.popFirst() {
          state.demand -= 1
          return .send(payload, subscriber)
        }
        if state.isFinished, state.pending.isEmpty { return .finish(subscriber) }
      }
      state.isSending = false
      return .wait
    }
  }

  extension Publisher where Output: Sendable, Failure == Never {
    /// A source of the values of the publisher, with all connect forms.
    ///
    /// Each connection is a subscription of its own. When the connection ends, the subscription is
    /// cancelled. When the publisher finishes, the connection ends. Until then, the connection
    /// keeps the publisher.
    public var source: some SignalSource<Output> { PublisherSource(publisher: self) }
  }

  private struct PublisherSource<Upstream: Publisher>: SignalSource
  where Upstream.Output: Sendable, Upstream.Failure == Never {
    typealias Payload = Upstream.Output

    let publisher: Upstream

    func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
      let emitter = EmitterCore<Payload>()
      let subscriber = SourceSubscriber(emitter)
      let end = Finally { subscriber.cancel() }
      let observer = emitter.signal.attach(slot.holding(end))
      publisher.subscribe(subscriber)
      return observer
    }
  }

  /// A subscriber that emits the values that it receives.
  ///
  /// `@unchecked Sendable`: Combine lets a subscription be cancelled on any thread. A subscription
  /// that does not allow it would break this.
  private final class SourceSubscriber<Input: Sendable>: Subscriber, @unchecked Sendable {
    typealias Failure = Never

    private struct State {
      var emitter: EmitterCore<Input>?
      var subscription: (any Subscription)?
    }

    private let state: Lock<State>

    init(_ emitter: EmitterCore<Input>) {
      state = Lock(State(emitter: emitter))
    }

    func receive(subscription: any Subscription) {
      let isWanted = state.withLock { state in
        guard state.emitter != nil, state.subscription == nil else { return false }
        state.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ payload: Input) -> Subscribers.Demand {
      let emitter = state.withLock { $0.emitter }
      emitter?.emit(payload, from: nil)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { drop() }

    func cancel() { drop()?.cancel() }

    /// Releases the emitter, after the lock, and returns the subscription.
    ///
    /// The connection ends with the emitter.
    @discardableResult
    private func drop() -> (any Subscription)? {
      var old = State()
      state.withLock { swap(&$0, &old) }
      return old.subscription
    }
  }
#endif
