import SignalObserver
import Testing
import Turns

/// What the examples of QuickObserver do, in our words; the README lists them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct QuickObserverExampleTests {
  struct Failure: Error, Equatable {}
  typealias Report = Result<Int, Failure>

  final class Observable {
    @EmitterArg<Report> var changed
    var once: some SignalSource<Report> { changed.prefix(1) }

    func report(_ item: Int) { _changed.invoke(.success(item)) }
    func report(error: Failure) { _changed.invoke(.failure(error)) }
  }

  final class Owner: Sendable {
    let trace = Trace<Report>()
  }

  let observable = Observable()

  @Test func `a class is observable by declaring what it sends`() {
    final class Thermometer {
      @EmitterArg<Double> var changed
      func measure(_ degrees: Double) { _changed.invoke(degrees) }
    }
    let thermometer = Thermometer()
    let (trace, _) = thermometer.changed.traced()
    thermometer.measure(36.6)
    #expect(trace.entries == [36.6])
  }

  @Test func `every report is given to an owner as long as it lives`() {
    var owner: Owner? = Owner()
    @Weakly var released = owner
    let trace = owner!.trace
    observable.changed.connect(owner!, on: .inline) { owner, report in owner.trace.add(report) }
    for item in 1...2 { observable.report(item) }
    owner = nil
    observable.report(3)
    #expect(released == nil)
    #expect(trace.entries == [.success(1), .success(2)])
  }

  @Test func `a one-shot is called for exactly one report`() {
    let (trace, observer) = observable.changed.prefix(1).traced()
    for item in 1...2 { observable.report(item) }
    #expect(trace.entries == [.success(1)])
    #expect(observer.isCancelled)
    #expect(observable.changed.slotCount == 0)
  }

  @Test func `items and errors reach all, and both end a one-shot`() {
    let (all, _) = observable.changed.traced()
    let (first, _) = observable.changed.prefix(1).traced()
    observable.report(error: Failure())
    let (second, _) = observable.changed.prefix(1).traced()
    observable.report(1)
    observable.report(2)
    #expect(all.entries == [.failure(Failure()), .success(1), .success(2)])
    #expect(first.entries == [.failure(Failure())])
    #expect(second.entries == [.success(1)])
  }

  @Test func `a new observer, and only it, is given the value at once`() {
    let value = EmitterValue(1)
    let (first, _) = value.signal.traced()
    let (second, _) = value.signal.traced()
    value.set(2)
    #expect(first.entries == [1, 2])
    #expect(second.entries == [1, 2])
  }

  @Test func `without a value a new observer waits for the next report`() {
    let replay = observable.changed.replay(1)
    let (first, _) = replay.traced()
    #expect(first.entries == [])
    observable.report(1)
    let (second, _) = replay.traced()
    #expect(first.entries == [.success(1)])
    #expect(second.entries == [.success(1)])
  }

  @Test func `what offers one-shots only calls once, and the signal offers both`() {
    let (once, _) = observable.once.traced()
    let (always, _) = observable.changed.traced()
    for item in 1...2 { observable.report(item) }
    #expect(once.entries == [.success(1)])
    #expect(always.entries == [.success(1), .success(2)])
    #expect(!((observable.once as Any) is Signal<Report>))
  }

  @Test func `a type-erased observable behaves as the one that it holds`() {
    let erased: any SignalSource<Report> = observable.changed
    let (trace, observer) = erased.traced()
    observable.report(1)
    observer.cancel()
    observable.report(2)
    #expect(trace.entries == [.success(1)])
  }
}

/// What the examples of LightweightObservable do, in our words; the README lists them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LightweightObservableExampleTests {
  final class Clock {
    private let time = EmitterValue("4:20 PM")
    var formattedTime: SignalValue<String> { time.signal }
    lazy var sameTime: SignalValue<String> = time.signal

    func tick(_ text: String) { time.value = text }
    func tock(_ text: String) { time.set(text) }
  }

  /// `@unchecked Sendable`: one thread at a time.
  final class Label: @unchecked Sendable {
    var text = ""
    var note: String?
  }

  let clock = Clock()
  let emitter = EmitterArg<Int>()

  @Test func `what is mapped is what arrives`() {
    let (trace, _) = emitter.signal.map { $0 * 2 }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(trace.entries == [2, 4, 6])
  }

  @Test func `a loop awaits every value`() async {
    var iterator = clock.formattedTime.values.makeAsyncIterator()
    clock.tick("4:21 PM")
    clock.tick("4:22 PM")
    var seen: [String] = []
    for _ in 0..<3 { seen.append(await iterator.next() ?? "-") }
    #expect(seen == ["4:20 PM", "4:21 PM", "4:22 PM"])
  }

  @Test func `an event starts empty, and then reaches its slots`() {
    let (trace, _) = emitter.signal.traced()
    #expect(trace.entries == [])
    emitter.invoke(1)
    #expect(trace.entries == [1])
  }

  @Test func `a value is set in two ways, which both tell`() {
    let (trace, _) = clock.formattedTime.traced()
    clock.tick("4:21 PM")
    clock.tock("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM", "4:22 PM"])
  }

  @Test func `a computed property is the view that cannot set`() {
    let (trace, _) = clock.formattedTime.traced()
    clock.tick("4:21 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(!((clock.formattedTime as Any) is EmitterValue<String>))
  }

  @Test func `a lazy property is the same view`() {
    let (trace, _) = clock.sameTime.traced()
    clock.tick("4:21 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(clock.sameTime === clock.formattedTime)
  }

  @Test func `a value sends the current one and then old and new, an event new ones only`() {
    let (times, _) = clock.formattedTime.scan([String?]()) { [$0.last ?? nil, $1] }.traced()
    let (events, _) = emitter.signal.scan([Int?]()) { [$0.last ?? nil, $1] }.traced()
    clock.tick("4:21 PM")
    for number in 1...2 { emitter.invoke(number) }
    #expect(times.entries == [[nil, "4:20 PM"], ["4:20 PM", "4:21 PM"]])
    #expect(events.entries == [[nil, 1], [1, 2]])
  }

  @Test func `a property, optional or not, gets the initial value and each new one`() {
    let label = Label()
    clock.formattedTime.bind(to: \.text, of: label, on: nil)
    clock.formattedTime.bind(to: \.note, of: label, on: nil)
    #expect([label.text, label.note] == ["4:20 PM", "4:20 PM"])
    clock.tick("4:21 PM")
    #expect([label.text, label.note] == ["4:21 PM", "4:21 PM"])
  }

  @Test func `a subscription lives as long as its token`() {
    let (trace, observer) = clock.formattedTime.traced()
    var token: ObserverBag? = observer.scoped()
    withExtendedLifetime(token) { clock.tick("4:21 PM") }
    token = nil
    clock.tick("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
  }

  @Test func `a binding lives as long as its token`() {
    let label = Label()
    var token: ObserverBag? = clock.formattedTime.bind(to: \.text, of: label, on: nil).scoped()
    withExtendedLifetime(token) { clock.tick("4:21 PM") }
    token = nil
    clock.tick("4:22 PM")
    #expect(label.text == "4:21 PM")
  }

  @Test func `emptying a bag ends all subscriptions and bindings in it`() {
    let (bag, label) = (ObserverBag(), Label())
    let (trace, observer) = clock.formattedTime.traced()
    observer.store(in: bag)
    clock.formattedTime.bind(to: \.text, of: label, on: nil).store(in: bag)
    clock.tick("4:21 PM")
    bag.cancelAll()
    clock.tick("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(label.text == "4:21 PM")
  }

  @Test func `a filter of old and new is given the last one that passed`() {
    let (trace, _) = emitter.signal.removeDuplicates { old, new in new <= old }.traced()
    for number in [1, 3, 2, 3, 4] { emitter.invoke(number) }
    #expect(trace.entries == [1, 3, 4])
  }

  @Test func `what is equal to the last one is not sent`() {
    let (trace, _) = clock.formattedTime.removeDuplicates().traced()
    for text in ["4:20 PM", "4:21 PM", "4:21 PM"] { clock.tick(text) }
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
  }

  @Test func `a user's filter is an extension`() {
    let (trace, _) = emitter.signal.only(2).traced()
    for number in [1, 2, 3, 2] { emitter.invoke(number) }
    #expect(trace.entries == [2, 2])
  }

  @Test func `the current value is read synchronously`() {
    #expect(clock.formattedTime.value == "4:20 PM")
    clock.tick("4:21 PM")
    #expect(clock.formattedTime.value == "4:21 PM")
  }

  @Test func `a view that is released is not set any more, and leaks nothing`() {
    final class Controller {
      let label = Label()
      let observers = ObserverBag()

      init(_ clock: Clock) {
        clock.formattedTime.bind(to: \.text, of: label, on: nil).store(in: observers)
      }
    }
    var controller: Controller? = Controller(clock)
    @Weakly var released = controller
    @Weakly var label = controller!.label
    clock.tick("4:21 PM")
    #expect(label?.text == "4:21 PM")
    controller = nil
    #expect(released == nil)
    #expect(label == nil)
    clock.tick("4:22 PM")
    #expect(clock.formattedTime.value == "4:22 PM")
  }
}

extension SignalSource where Payload: Equatable & Sendable {
  fileprivate func only(_ payload: Payload) -> some SignalSource<Payload> {
    filter { $0 == payload }
  }
}
