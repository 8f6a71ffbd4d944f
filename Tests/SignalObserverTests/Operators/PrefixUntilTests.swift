import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PrefixUntilTests {
  let emitter = EmitterArg<Int>()
  let stop = EmitterVoid()

  @Test func `prefix(until:) ends the connection when the other source sends`() {
    let (trace, observer) = emitter.signal.prefix(until: stop.signal).traced()
    emitter.invoke(1)
    stop.invoke()
    emitter.invoke(2)
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
    #expect(emitter.signal.slotCount + stop.signal.slotCount == 0)
  }

  @Test func `prefix(until:) leaves nothing at the other source when the connection ends`() {
    let (_, observer) = emitter.signal.prefix(until: stop.signal).traced()
    #expect(stop.signal.slotCount == 1)
    observer.cancel()
    #expect(stop.signal.slotCount == 0)
  }

  @Test func `prefix(until:) of a value that sends on connecting sends nothing`() {
    let value = EmitterValue(0)
    let current = EmitterValue(1)
    let (trace, observer) = current.signal.prefix(until: value.signal).traced()
    #expect(trace.entries.isEmpty)
    #expect(observer.isCancelled)
    let (changes, _) = current.signal.prefix(until: value.signal.changes).traced()
    value.set(1)
    current.set(2)
    #expect(changes.entries == [1])
  }

  @Test func `prefix(until:) stays connected when the other emitter dies`() {
    var other: EmitterVoid? = EmitterVoid()
    let (trace, observer) = emitter.signal.prefix(until: other!.signal).traced()
    other = nil
    emitter.invoke(1)
    #expect(trace.entries == [1])
    #expect(!observer.isCancelled)
  }

  @Test func `prefix(until:) drops what waits for a queue`() {
    let queue = DispatchQueue(label: "slots")
    let trace = Trace<Int>()
    queue.suspend()
    emitter.signal.prefix(until: stop.signal).connect(on: queue) { trace.add($0) }
    emitter.invoke(1)
    stop.invoke()
    queue.resume()
    queue.sync {}
    #expect(trace.entries.isEmpty)
  }

  @Test func `payloads that are not Sendable pass through prefix(until:)`() {
    final class Page { var title = "a" }
    let opened = EmitterArg<Page>()
    var titles: [String] = []
    opened.signal.prefix(until: stop.signal).connect { titles.append($0.title) }
    opened.invoke(Page())
    stop.invoke()
    opened.invoke(Page())
    #expect(titles == ["a"])
  }
}
