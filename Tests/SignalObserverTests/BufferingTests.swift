import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct BufferingTests {
  let emitter = EmitterArg<Int>()
  let log = Log()
  let queue = DispatchQueue(label: "delivery")

  private func flood(_ buffering: SignalBuffering) -> (log: [String], dropped: Int) {
    let other = EmitterArg<Int>()
    let observer = emitter.signal.buffering(buffering)
      .connect(on: queue) { [log] in log.add("\($0)") }
    other.signal.connect(on: queue) { [log] in log.add("other \($0)") }
    queue.suspend()
    for number in 1...1000 {
      emitter.invoke(number)
      if number == 999 { other.invoke(0) }
    }
    let dropped = observer.droppedCount
    queue.resume()
    // Without a bound, they are delivered 128 at a time.
    for _ in 0..<20 { queue.sync {} }
    return (log.entries, dropped)
  }

  @Test func `the newest are kept, and keep their places in the order`() {
    let (entries, dropped) = flood(.newest(2))

    #expect(entries == ["999", "other 0", "1000"])
    #expect(dropped == 998)
  }

  @Test func `of a bound of one the newest is kept`() {
    let (entries, dropped) = flood(.newest(1))

    #expect(entries == ["other 0", "1000"])
    #expect(dropped == 999)
  }

  @Test func `the oldest are kept, and new payloads are dropped while they wait`() {
    let (entries, dropped) = flood(.oldest(2))

    #expect(entries == ["1", "2", "other 0"])
    #expect(dropped == 998)
  }

  @Test func `without a bound everything is kept`() {
    let (entries, dropped) = flood(.unbounded)

    #expect(entries == (1...999).map { "\($0)" } + ["other 0", "1000"])
    #expect(dropped == 0)
  }

  @Test func `of several limits, the one next to the slot holds`() {
    let limited = emitter.signal.buffering(.oldest(5))
    limited.buffering(.newest(1)).connect(on: queue) { [log] in log.add("\($0)") }
    limited.map { $0 * 10 }.buffering(.newest(1)).connect(on: queue) { [log] in log.add("\($0)") }
    limited.filter { $0 > 0 }.map { $0 * 100 }.buffering(.newest(1))
      .connect(on: queue) { [log] in log.add("\($0)") }
    queue.suspend()
    for number in 1...9 { emitter.invoke(number) }
    queue.resume()
    queue.sync {}

    #expect(log.entries == ["9", "90", "900"])
  }

  @Test func `what was delivered makes room`() {
    let observer = emitter.signal.buffering(.newest(1))
      .connect(on: queue) { [log] in log.add("\($0)") }

    for number in 1...100 {
      emitter.invoke(number)
      queue.sync {}
    }

    #expect(log.entries == (1...100).map { "\($0)" })
    #expect(observer.droppedCount == 0)
    #expect(EmitterVoid().signal.connect(on: .inline) {}.droppedCount == 0)
  }

  @Test func `what was dropped is pending no more`() {
    let observer = emitter.signal.buffering(.newest(3)).connect(on: queue) { _ in }
    queue.suspend()
    for number in 0..<10 { emitter.invoke(number) }

    #expect(emitter.signal.debugDescription.contains("3 pending, 7 dropped"))
    observer.cancel()
    queue.resume()
    queue.sync {}
  }

  @Test func `a bound holds when the line has removed the turns around its own`() {
    let other = EmitterArg<Int>()
    let observer = emitter.signal.buffering(.newest(2))
      .connect(on: queue) { [log] in log.add("\($0)") }
    let between = other.signal.connect(on: queue) { _ in }
    queue.suspend()
    for number in 1...2 {
      emitter.invoke(number)
      for _ in 0..<2000 { other.invoke(0) }
    }
    // The line removes the turns of what is missing when that is most of all.
    between.cancel()
    for number in 3...4 { emitter.invoke(number) }

    #expect(observer.droppedCount == 2)
    queue.resume()
    queue.sync {}
    #expect(log.entries == ["3", "4"])
  }

  @Test @MainActor func `what was dropped keeps no later payload from being delivered at once`()
    async
  {
    emitter.signal.buffering(.newest(1)).connect { [log] in log.add("\($0)") }
    let elsewhere = DispatchQueue(label: "elsewhere")
    let invoke = { @Sendable [emitter] (number: Int) in emitter.invoke(number) }
    elsewhere.sync { invoke(1) }
    await mainQueueDrained()
    elsewhere.sync { invoke(2) }
    // Emitted here, it waits behind the 2, which it drops. The 4 drops it.
    emitter.invoke(3)
    elsewhere.sync { invoke(4) }
    await mainQueueDrained()
    emitter.invoke(5)

    #expect(log.entries == ["1", "4", "5"])
  }

  @Test func `a dropped payload is released at once`() {
    let census = Census()
    let payloads = EmitterArg<Lifetime>()
    payloads.signal.buffering(.newest(1)).connect(on: queue) { $0.use() }
    queue.suspend()
    for _ in 0..<10_000 { payloads.invoke(census.member()) }

    #expect(census.alive == 1)
    queue.resume()
    queue.sync {}
    #expect(census.alive == 0)
  }

  @Test func `the description says how many were dropped`() {
    emitter.signal.buffering(.newest(1)).connect(on: queue) { _ in }
    queue.suspend()
    for number in 0..<3 { emitter.invoke(number) }

    #expect(emitter.signal.debugDescription.contains("1 pending, 2 dropped"))
    queue.resume()
    queue.sync {}
  }

  /// An operator that drops payloads or remembers them, with a bound behind it.
  struct Behind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let payloads: [Int]
    let sent: [Int]
    let apply: @Sendable (Signal<Int>) -> any SignalSource<Int>

    static let all = [
      Behind(testDescription: "filter", payloads: [1, 2, 3], sent: [2]) {
        $0.filter { $0 < 3 }.buffering(.newest(1))
      },
      Behind(testDescription: "compactMap", payloads: [1, 2, 3], sent: [2]) {
        $0.compactMap { $0 < 3 ? $0 : nil }.buffering(.newest(1))
      },
      Behind(testDescription: "dropFirst", payloads: [1, 2, 3], sent: [2]) {
        $0.dropFirst().buffering(.oldest(1))
      },
      Behind(testDescription: "prefix", payloads: [1, 2, 3], sent: [2]) {
        $0.prefix(2).buffering(.newest(1))
      },
      Behind(testDescription: "prefix with a condition", payloads: [1, 2, 3], sent: [2]) {
        $0.prefix { $0 < 3 }.buffering(.newest(1))
      },
      Behind(testDescription: "removeDuplicates", payloads: [1, 1, 2], sent: [1, 2]) {
        $0.removeDuplicates().buffering(.oldest(2))
      },
      Behind(testDescription: "pairwise", payloads: [1, 2, 3], sent: [5]) {
        $0.pairwise().map { $0 + $1 }.buffering(.newest(1))
      },
      Behind(testDescription: "scan", payloads: [1, 2, 3], sent: [6]) {
        $0.scan(0) { $0 + $1 }.buffering(.newest(1))
      },
      Behind(testDescription: "scan behind filter", payloads: [1, 2, 3], sent: [3]) {
        $0.filter { $0 < 3 }.scan(0) { $0 + $1 }.map { $0 }.buffering(.newest(1))
      },
    ]
  }

  @Test(arguments: Behind.all)
  func `a bound behind an operator is one for what the operator sends`(_ each: Behind) {
    func connect(_ source: some SignalSource<Int>) -> SignalObserver {
      source.connect(on: queue) { [log] in log.add("\($0)") }
    }
    let observer = connect(each.apply(emitter.signal))
    queue.suspend()
    for number in each.payloads { emitter.invoke(number) }
    #expect(emitter.signal.slotCount == (each.testDescription.hasPrefix("prefix") ? 0 : 1))

    queue.resume()
    queue.sync {}
    #expect(log.entries == each.sent.map { "\($0)" })
    #expect(observer.isCancelled == each.testDescription.hasPrefix("prefix"))
    observer.cancel()
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a bound behind operators drops what is emitted before the first of them`() {
    let observer = emitter.signal.dropFirst(1).scan(0) { $0 + $1 }.buffering(.newest(1))
      .connect(on: queue) { [log] in log.add("\($0)") }
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    emitter.invoke(2)
    emitter.invoke(3)

    queue.sync {}
    #expect(log.entries == ["3"])
  }

  @Test(arguments: [true, false])
  @MainActor func `no more payloads wait for a prefix behind scan than it sends`(isAsync: Bool)
    async
  {
    let sums = emitter.signal.scan(0) { $0 + $1 }.prefix(2)
    let observer =
      isAsync
      ? sums.connect { [log] sum async in log.add("\(sum)") }
      : sums.connect(on: .main) { [log] sum in log.add("\(sum)") }
    for number in 1...5 { emitter.invoke(number) }
    // The task of an asynchronous slot may have taken one already.
    #expect(observer.droppedCount == 3 || isAsync && observer.droppedCount == 2)

    await until("the connection to end") { observer.isCancelled }
    #expect(log.entries == ["1", "3"])
  }

  @Test func `a prefix that another source ends drops what waits behind a bound, too`() {
    let end = EmitterVoid()
    let observer = emitter.signal.prefix(until: end.signal).scan(0) { $0 + $1 }
      .buffering(.newest(1)).connect(on: queue) { [log] in log.add("\($0)") }
    queue.suspend()
    emitter.invoke(1)
    end.invoke()
    #expect(observer.isCancelled)

    queue.resume()
    queue.sync {}
    #expect(log.entries.isEmpty)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a bound behind an operator of several sources drops what is emitted before it`() {
    let other = EmitterArg<Int>()
    func connect(_ source: some SignalSource<Int>) -> SignalObserver {
      source.prefix(1).buffering(.newest(1)).connect(on: queue) { [log] in log.add("\($0)") }
    }
    let observers = [
      connect(merge(emitter.signal, other.signal)),
      connect(emitter.signal.reductions(into: 0) { $0 = $1 }),
      connect(combineLatest(emitter.signal, emitter.signal).map { first, _ in first }),
    ]
    for observer in observers { observer.suspend() }
    emitter.invoke(1)
    for observer in observers { observer.resume() }
    emitter.invoke(2)

    queue.sync {}
    #expect(log.entries == ["2", "2", "2"])
  }

  @Test func `an operator behind a closure that suspends the connection takes no payload in`() {
    let own = Box<SignalObserver>()
    let observer = emitter.signal.filter { _ in
      own.value?.suspend()
      return true
    }.prefix(1).buffering(.newest(1)).connect(on: queue) { [log] in log.add("\($0)") }
    own.value = observer
    emitter.invoke(1)
    own.value = nil
    observer.resume()
    emitter.invoke(2)
    emitter.invoke(3)

    queue.sync {}
    #expect(log.entries == ["2"])
    #expect(observer.isCancelled)
  }

  @Test func `cancelling all ends what waits behind a bound of a source that leaves the program`() {
    struct Leaving: SignalSource {
      let base: Signal<Int>
      func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
        base.attach(slot.leaving(for: "elsewhere"))
      }
    }
    let observer = Leaving(base: emitter.signal).filter { _ in true }.buffering(.newest(1))
      .connect(on: queue) { [log] in log.add("\($0)") }
    queue.suspend()
    emitter.invoke(1)
    emitter.cancelAllObservers()
    #expect(observer.isCancelled)

    queue.resume()
    queue.sync {}
    #expect(log.entries.isEmpty)
  }

  @Test func `a bound without room stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = EmitterArg<Int>().signal.buffering(.newest(0))
    }
  }
}
