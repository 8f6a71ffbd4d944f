import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct SuspendingCaseTests {
  let log = Log()
  let made = Made.current
  let queue = DispatchQueue(label: "cases")

  @Test func `S5 suspending on the queue in the middle of a burst lets no more of it through`() {
    let emitter = made.emitter(Int.self)
    let observer = Box<SignalObserver>()
    let hold = Gate()
    queue.async { hold.pass() }
    emitter.signal.connect(on: queue) { if $0 == 50 { observer.value?.suspend() } }
    observer.value = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
    for value in 1...100 { emitter.invoke(value) }

    // Both slots wait for one queue, so the second is called with 49 before the first is with 50.
    hold.open()
    queue.sync {}
    queue.sync {}
    let before = (1...49).map { "\($0)" }
    #expect(log.entries == before)
    observer.value?.resume()
    emitter.invoke(101)
    queue.sync {}

    #expect(log.entries == before + ["101"])
  }

  @Test(arguments: Place.allCases)
  func `S7 a slot that was suspended and cancelled is not brought back by resuming`(
    place: Place
  ) async {
    let emitter = made.emitter(Int.self)
    let observer = place.connect(emitter.signal, queue) { [log] in log.add("cancelled \($0)") }
    place.connect(emitter.signal, queue) { [log] in log.add("other \($0)") }

    observer.suspend()
    observer.cancel()
    observer.resume()
    emitter.invoke(1)

    #expect(await log.entries(1) == ["other 1"])
    #expect(observer.isCancelled)
    #expect(!observer.isSuspended)
  }

  @Test func `S9 every reference to an observer suspends the same slot`() {
    let emitter = made.emitter(Int.self)
    let observer = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }
    let copies = [observer, observer]

    copies[1].suspend()
    emitter.invoke(1)
    #expect(copies.map(\.isSuspended) == [true, true])
    copies[0].resume()
    emitter.invoke(2)

    #expect(log.entries == ["2"])
  }
}
