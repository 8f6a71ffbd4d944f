import Dispatch
import SignalObserver
import Testing

/// Payloads of more than 1 KiB, of which a mailbox keeps copies in boxes.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(1))) struct LargePayloadTests {
  struct Large: Sendable {
    let number: Int
    let member: Lifetime
    let words: InlineArray<200, Int>

    init(_ number: Int, _ census: Census) {
      self.number = number
      member = census.member()
      words = InlineArray { number + $0 }
    }

    var isWhole: Bool { words.indices.allSatisfy { words[$0] == number + $0 } }
  }

  let emitter = EmitterArg<Large>()
  let census = Census()
  let log = Log()
  let queue = DispatchQueue(label: "large")

  @Test func `they arrive whole and in order, and each is released after its call`() {
    emitter.signal.connect(on: queue) { [log, census] in
      log.add("\($0.number) \($0.isWhole) \(census.alive)")
    }
    queue.suspend()
    for number in 1...300 { emitter.invoke(Large(number, census)) }
    queue.resume()
    // They are delivered 128 at a time.
    for _ in 0..<5 { queue.sync {} }

    #expect(log.entries == (1...300).map { "\($0) true \(301 - $0)" })
    #expect(census.alive == 0)
  }

  @Test(arguments: [SignalBuffering.newest(2), .oldest(2)])
  func `a bound releases what it does not keep`(_ buffering: SignalBuffering) {
    let observer = emitter.signal.buffering(buffering)
      .connect(on: queue) { [log] in log.add("\($0.number)") }
    queue.suspend()
    for number in 1...9 { emitter.invoke(Large(number, census)) }

    #expect(observer.droppedCount == 7)
    #expect(census.alive == 2)
    queue.resume()
    for _ in 0..<3 { queue.sync {} }
    #expect(log.entries == (buffering == .newest(2) ? ["8", "9"] : ["1", "2"]))
    #expect(census.alive == 0)
  }

  @Test func `a cancelled connection releases those that wait`() {
    let observer = emitter.signal.connect(on: queue) { [log] in log.add("\($0.number)") }
    queue.suspend()
    for number in 1...9 { emitter.invoke(Large(number, census)) }
    #expect(census.alive == 9)

    observer.cancel()

    #expect(census.alive == 0)
    queue.resume()
    for _ in 0..<3 { queue.sync {} }
    #expect(log.entries == [])
  }

  @Test func `a slot that cancels its connection gets no other one`() {
    let bag = ObserverBag()
    emitter.signal.connect(on: queue) { [log] in
      log.add("\($0.number)")
      bag.cancelAll()
    }.store(in: bag)
    queue.suspend()
    for number in 1...9 { emitter.invoke(Large(number, census)) }
    queue.resume()
    for _ in 0..<3 { queue.sync {} }

    #expect(log.entries == ["1"])
    #expect(census.alive == 0)
  }

  @Test func `an asynchronous slot gets a copy`() async {
    let stream = AsyncStream<String> { [emitter, census] continuation in
      emitter.signal.connect { (large: Large) async in
        await Task.yield()
        continuation.yield("\(large.number) \(large.isWhole)")
        if large.number == 3 { continuation.finish() }
      }
      for number in 1...3 { emitter.invoke(Large(number, census)) }
    }
    defer { emitter.cancelAllObservers() }

    var got: [String] = []
    for await each in stream { got.append(each) }
    #expect(got == ["1 true", "2 true", "3 true"])
  }
}
