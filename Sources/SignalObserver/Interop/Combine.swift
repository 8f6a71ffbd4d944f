#if canImport(Combine)
  public import Combine

  extension SignalSource where Payload: Sendable {
    /// A publisher of what the source sends, for code that uses Combine.
    ///
    /// Each subscription is a connection of its own, made when it is subscribed to and ended when it
    /// is cancelled; it finishes when the emitter is gone. Payloads arrive one at a time, and wait for the
    /// subscriber's demand: on the emitting thread; on another that is sending meanwhile, if there is one;
    /// on the one that requests, if they had to wait.
    public var publisher: SignalPublisher<Self> { SignalPublisher(source: self) }
  }

  /// What ``SignalSource/publisher`` returns.
  public struct SignalPublisher<Source: SignalSource>: Publisher where Source.Payload: Sendable {
    /// What the source sends.
    public typealias Output = Source.Payload
    /// A signal does not fail.
    public typealias Failure = Never

    let source: Source

    /// Connects `subscriber`.
    public func receive<S: Subscriber<Output, Never>>(subscriber: S) {
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
  /// `@unchecked Sendable`: everything that changes is guarded by the lock. The subscriber is called
  /// by one thread at a time (`isSending`), after the lock, as Combine asks of a publisher.
  private final class SignalSubscription<Payload: Sendable>: Subscription, @unchecked Sendable {
    /// Of any type, so that what is captured is `Sendable` whatever the subscriber's type is.
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

    /// The connection, which may have ended, or been cancelled, before it was known.
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
      // After the lock, as is the release of what was pending.
      old.observer?.cancel()
    }

    /// Changes the state, then sends what is wanted, unless somebody is at it, who will.
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
    /// A source of what the publisher sends, with all connect forms.
    ///
    /// Each connection is a subscription of its own, cancelled when the connection ends; the
    /// connection ends when the publisher finishes. Until then it keeps the publisher.
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

  /// Emits what it receives.
  ///
  /// `@unchecked Sendable`: the lock guards everything; a subscription may be cancelled on any
  /// thread, as Combine says.
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
      emitter?.signal.emit(payload, from: nil)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { drop() }

    func cancel() { drop()?.cancel() }

    /// Lets go of the emitter, after the lock: its connection ends with it.
    @discardableResult
    private func drop() -> (any Subscription)? {
      var old = State()
      state.withLock { swap(&$0, &old) }
      return old.subscription
    }
  }
#endif
