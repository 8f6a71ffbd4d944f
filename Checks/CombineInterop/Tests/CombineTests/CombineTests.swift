import Combine
import SignalObserver
import Testing

@Suite struct PublisherTests {
  final class Trace: @unchecked Sendable {
    // Used by one thread.
    var elements: [String] = []
  }

  @Test func `a publisher sends what the signal sends, and finishes with the emitter`() {
    var emitter: EmitterArg<Int>? = EmitterArg()
    let trace = Trace()
    let cancellable = emitter?.signal.publisher.sink(
      receiveCompletion: { _ in trace.elements.append("end") },
      receiveValue: { trace.elements.append("\($0)") })
    emitter?.invoke(1)
    emitter?.invoke(2)
    emitter = nil

    withExtendedLifetime(cancellable) { #expect(trace.elements == ["1", "2", "end"]) }
  }

  @Test func `each subscription is a connection, which ends when it is cancelled`() {
    let emitter = EmitterArg<Int>()
    let publisher = emitter.signal.publisher
    let trace = Trace()
    let first = publisher.sink { trace.elements.append("first \($0)") }
    let second = publisher.sink { trace.elements.append("second \($0)") }
    #expect(emitter.signal.slotCount == 2)
    first.cancel()
    emitter.invoke(1)
    second.cancel()

    #expect(trace.elements == ["second 1"])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `payloads wait for demand, and the end for payloads`() {
    var emitter: EmitterArg<Int>? = EmitterArg()
    let subscriber = Slow()
    emitter?.signal.publisher.subscribe(subscriber)
    for payload in 1...3 { emitter?.invoke(payload) }
    emitter = nil
    #expect(subscriber.trace == [])
    subscriber.subscription?.request(.max(2))
    #expect(subscriber.trace == ["1", "2"])
    subscriber.subscription?.request(.max(1))

    #expect(subscriber.trace == ["1", "2", "3", "end"])
  }

  @Test func `operators work on it, and a subscriber may emit`() {
    let emitter = EmitterArg<Int>()
    let trace = Trace()
    let cancellable = emitter.signal.publisher.filter { $0 > 1 }.map { "\($0)" }.sink {
      trace.elements.append($0)
      if $0 == "2" { emitter.invoke(3) }
    }
    emitter.invoke(1)
    emitter.invoke(2)

    withExtendedLifetime(cancellable) { #expect(trace.elements == ["2", "3"]) }
  }

  private final class Slow: Subscriber {
    var subscription: (any Subscription)?
    var trace: [String] = []

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      trace.append("\(input)")
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { trace.append("end") }
  }
}

@Suite struct PublisherSourceTests {
  final class Label {
    var texts: [String] = []

    func show(_ text: String) { texts.append(text) }
  }

  @Test func `a publisher is a source, whose connection ends when it finishes`() {
    let subject = PassthroughSubject<String, Never>()
    let label = Label()
    let observer = subject.source.connect(label, Label.show, nil)
    subject.send("a")
    #expect(!observer.isCancelled)
    subject.send(completion: .finished)
    subject.send("b")

    #expect(label.texts == ["a"])
    #expect(observer.isCancelled)
  }

  @Test func `a value that is sent while it is subscribed to is delivered`() {
    let subject = CurrentValueSubject<String, Never>("now")
    let label = Label()
    subject.source.connect(label, Label.show, nil)
    subject.send("later")

    #expect(label.texts == ["now", "later"])
  }

  @Test func `cancelling the observer cancels the subscription`() {
    let subject = PassthroughSubject<String, Never>()
    var isCancelled = false
    let label = Label()
    let publisher = subject.handleEvents(receiveCancel: { isCancelled = true })
    let observer = publisher.source.connect(label, Label.show, nil)
    observer.cancel()
    subject.send("a")

    #expect(isCancelled)
    #expect(label.texts == [])
  }

  @Test func `a dead target cancels the subscription at the next value`() {
    let subject = PassthroughSubject<String, Never>()
    var isCancelled = false
    var label: Label? = Label()
    let publisher = subject.handleEvents(receiveCancel: { isCancelled = true })
    label.map { _ = publisher.source.connect($0, Label.show, nil) }
    label = nil
    subject.send("a")

    #expect(isCancelled)
  }

  @Test func `a publisher that is finished gives an observer that is cancelled`() {
    let label = Label()
    let observer = Just("only").source.connect(label, Label.show, nil)

    #expect(label.texts == ["only"])
    #expect(observer.isCancelled)
  }
}
