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

  @Test func `A-4.4.1: a class is observable by declaring what it sends`() {
    final class Thermometer {
      @EmitterArg<Double> var changed
      func measure(_ degrees: Double) { _changed.invoke(degrees) }
    }
    let thermometer = Thermometer()
    let (trace, _) = thermometer.changed.traced()
    thermometer.measure(36.6)
    #expect(trace.entries == [36.6])
  }

  @Test func `A-4.4.2: every report is given to an owner as long as it lives`() {
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

  @Test func `A-4.4.3: a one-shot is called for exactly one report`() {
    let (trace, observer) = observable.changed.prefix(1).traced()
    for item in 1...2 { observable.report(item) }
    #expect(trace.entries == [.success(1)])
    #expect(observer.isCancelled)
    #expect(observable.changed.slotCount == 0)
  }

  @Test func `A-4.4.4: items and errors reach all, and both end a one-shot`() {
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

  @Test func `A-4.4.5: a new observer, and only it, is given the value at once`() {
    let value = EmitterValue(1)
    let (first, _) = value.signal.traced()
    let (second, _) = value.signal.traced()
    value.set(2)
    #expect(first.entries == [1, 2])
    #expect(second.entries == [1, 2])
  }

  @Test func `A-4.4.6: without a value a new observer waits for the next report`() {
    let replay = observable.changed.replay(1)
    let (first, _) = replay.traced()
    #expect(first.entries == [])
    observable.report(1)
    let (second, _) = replay.traced()
    #expect(first.entries == [.success(1)])
    #expect(second.entries == [.success(1)])
  }

  @Test func `A-4.4.7: what offers one-shots only calls once, and the signal offers both`() {
    let (once, _) = observable.once.traced()
    let (always, _) = observable.changed.traced()
    for item in 1...2 { observable.report(item) }
    #expect(once.entries == [.success(1)])
    #expect(always.entries == [.success(1), .success(2)])
    #expect(!((observable.once as Any) is Signal<Report>))
  }

  @Test func `A-4.4.8: a type-erased observable behaves as the one that it holds`() {
    let erased: any SignalSource<Report> = observable.changed
    let (trace, observer) = erased.traced()
    observable.report(1)
    observer.cancel()
    observable.report(2)
    #expect(trace.entries == [.success(1)])
  }
}
