import SignalObserver
import Testing

/// What the examples of LightweightObservable do, in our words; the numbers are theirs.
@Suite struct LightweightObservableExampleTests {
  final class Clock {
    private let time = EmitterValue("4:20 PM")
    var formattedTime: SignalValue<String> { time.signal }
    lazy var sameTime: SignalValue<String> = time.signal

    func tick(_ text: String) { time.value = text }
    func tock(_ text: String) { time.set(text) }
  }

  @Test func `4, 5, 6, 15: a read-only view follows both ways to set, and can be read`() {
    let clock = Clock()
    let (first, _) = clock.formattedTime.traced()
    let (second, _) = clock.sameTime.traced()
    clock.tick("4:21 PM")
    clock.tock("4:22 PM")
    #expect(first.elements == ["4:20 PM", "4:21 PM", "4:22 PM"])
    #expect(second.elements == first.elements)
    #expect(clock.formattedTime.value == "4:22 PM")
  }

  @Test func `3, 7: an event starts empty, and old values begin with the second`() {
    let emitter = EmitterArg<Int>()
    let (events, _) = emitter.signal.traced()
    let (pairs, _) = emitter.signal.scan(Optional<(Int?, Int)>.none) { ($0?.1, $1) }
      .map { [$0!.0, $0!.1] }.traced()
    #expect(events.elements.isEmpty)
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(events.elements == [1, 2])
    #expect(pairs.elements == [[nil, 1], [1, 2]])
  }

  @Test func `9, 10, 11: a subscription lives as long as its token, or its bag`() {
    let clock = Clock()
    let bag = ObserverBag()
    let (scoped, observer) = clock.formattedTime.traced()
    var token: ScopedObserver? = observer.scoped()
    let traces = (0..<2).map { _ in
      let (trace, observer) = clock.formattedTime.traced()
      observer.store(in: bag)
      return trace
    }
    _ = token
    token = nil
    clock.tick("a")
    bag.cancelAll()
    clock.tick("b")
    #expect(scoped.elements == ["4:20 PM"])
    #expect(traces.map(\.elements) == [["4:20 PM", "a"], ["4:20 PM", "a"]])
  }

  @Test func `12, 13: a filter of old and new is given the last one that passed`() {
    let emitter = EmitterArg<Int>()
    let (trace, _) = emitter.signal.removeDuplicates { old, new in new <= old }.traced()
    for number in [1, 3, 2, 3, 4] { emitter.invoke(number) }
    #expect(trace.elements == [1, 3, 4])
  }

  @Test func `14: a user's filter is an extension`() {
    let emitter = EmitterArg<Int>()
    let (trace, _) = emitter.signal.only(2).traced()
    for number in [1, 2, 3, 2] { emitter.invoke(number) }
    #expect(trace.elements == [2, 2])
  }

  @Test func `16: a view that is released is not set any more, and leaks nothing`() {
    final class View: @unchecked Sendable { var text = "" }
    final class Controller {
      let view = View()
      init(_ clock: Clock) { clock.formattedTime.bind(to: \.text, on: view, nil) }
    }
    let clock = Clock()
    var controller: Controller? = Controller(clock)
    weak let view = controller!.view
    clock.tick("4:21 PM")
    #expect(view?.text == "4:21 PM")
    controller = nil
    #expect(view == nil)
    clock.tick("4:22 PM")
  }
}

extension SignalSource where Payload: Equatable & Sendable {
  fileprivate func only(_ payload: Payload) -> some SignalSource<Payload> {
    filter { $0 == payload }
  }
}

/// What the examples of QuickObserver do, in our words; the numbers are theirs.
@Suite struct QuickObserverExampleTests {
  struct Failure: Error, Equatable {}
  typealias Report = Result<Int, Failure>

  final class Observable {
    @EmitterArg<Report> var changed
    var once: some SignalSource<Report> { changed.once() }

    func report(_ item: Int) { _changed.invoke(.success(item)) }
    func report(error: Failure) { _changed.invoke(.failure(error)) }
  }

  final class Owner: Sendable {
    let trace = Trace<Report>()
  }

  @Test func `2, 4: every report is given to a living owner, errors too`() {
    let observable = Observable()
    var owner: Owner? = Owner()
    weak let kept = owner
    let trace = owner!.trace
    observable.changed.connect(owner!, nil) { owner, report in owner.trace.add(report) }
    observable.report(1)
    observable.report(error: Failure())
    owner = nil
    observable.report(2)
    #expect(kept == nil)
    #expect(trace.elements == [.success(1), .failure(Failure())])
  }

  @Test func `3, 7: what offers one-shots only calls once`() {
    let observable = Observable()
    let (trace, _) = observable.once.traced()
    observable.report(error: Failure())
    observable.report(1)
    #expect(trace.elements == [.failure(Failure())])
  }

  @Test func `5, 6: a new observer, and only it, is given the value if there is one`() {
    let observable = Observable()
    let replay = observable.changed.replay(1)
    let (first, _) = replay.traced()
    #expect(first.elements.isEmpty)
    observable.report(1)
    let (second, _) = replay.traced()
    observable.report(2)
    #expect(first.elements == [.success(1), .success(2)])
    #expect(second.elements == first.elements)
  }

  @Test func `8: a type-erased observable behaves as the one that it holds`() {
    let observable = Observable()
    let erased: any SignalSource<Report> = observable.changed
    let (trace, _) = erased.traced()
    observable.report(1)
    #expect(trace.elements == [.success(1)])
  }
}
