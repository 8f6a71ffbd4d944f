import Testing

@testable import SignalObserver
import Turns

/// What the leaves have in common, each by itself.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PartsTests {
  @Test func `what is to be done finally is done once`() {
    let log = Log()
    var end: Finally? = Finally { log.add("done") }
    #expect(end != nil)
    #expect(log.entries.isEmpty)
    end = nil
    #expect(log.entries == ["done"])
  }

  @Test func `an end ends its connection, and releases it`() {
    let emitter = EmitterArg<Int>()
    let end = ConnectionEnd()
    var observer: SignalObserver? = end.ends(emitter.signal.connect(on: .inline) { _ in })
    @Weakly var kept = observer
    #expect(observer?.isCancelled == false)
    #expect(!end.isEnded)
    end.end()
    #expect(observer?.isCancelled == true)
    #expect(end.isEnded)
    observer = nil
    #expect(kept == nil)
  }

  @Test func `an end that is called before its connection is set ends it`() {
    let emitter = EmitterArg<Int>()
    let end = ConnectionEnd()
    end.end()
    #expect(end.ends(emitter.signal.connect(on: .inline) { _ in }).isCancelled)
  }

  @Test func `a quota gives as often as it says`() {
    let quota = Quota(2)
    #expect(quota.take() == 1)
    #expect(quota.take() == 0)
    #expect(quota.take() == nil)
  }

  @Test func `threads that take of a quota at once take all of it, and no more`() {
    let quota = Quota(100_000)
    let counts = Trace<Int>()
    onThreads(2) { _ in
      var count = 0
      while quota.take() != nil { count += 1 }
      counts.add(count)
    }
    #expect(counts.entries.reduce(0, +) == 100_000)
  }

  @Test func `a bag that cancels all observers releases them`() {
    let emitter = EmitterArg<Int>()
    let bag = ObserverBag()
    var observer: SignalObserver? = emitter.signal.connect(on: .inline) { _ in }
    @Weakly var kept = observer
    observer?.store(in: bag)
    observer = nil
    bag.cancelAll()
    #expect(kept == nil)
    #expect(emitter.signal.slotCount == 0)
  }
}
