import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

/// How operators with state call their closures: once for each payload, in order.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OnceTests {
  let emitter = EmitterArg<Int>()

  /// An operator that passes on each of different numbers, and a closure that it calls.
  enum Operator: CaseIterable, Sendable {
    case scan, reductions, removeDuplicates

    func callAsFunction(
      _ signal: Signal<Int>, _ closure: @escaping @Sendable (Int) -> Void
    ) -> any SignalSource<Int> {
      switch self {
      case .scan:
        return signal.scan(0) { (_: Int, number: Int) -> Int in
          closure(number)
          return number
        }
      case .reductions:
        return signal.reductions(into: 0) { (result: inout Int, number: Int) in
          closure(number)
          result = number
        }
      case .removeDuplicates:
        return signal.removeDuplicates { (last: Int, number: Int) -> Bool in
          closure(number)
          return last == number
        }
      }
    }
  }

  @Test(arguments: Operator.allCases, Place.allCases)
  func `threads that emit at once call the closure once for each payload`(
    _ source: Operator, _ place: Place
  ) async {
    let (emitter, calls, numbers) = (emitter, Trace<Int>(), Trace<Int>())
    let count = times(2000)
    place.connect(source(emitter.signal) { calls.add($0) }) { numbers.add($0) }
    await onThread {
      onThreads(4) { thread in
        for number in 0..<count { emitter.invoke(number * 4 + thread) }
      }
    }
    // Another place, or a global queue, may deliver the last ones, after the threads have ended.
    let all = await numbers.entries(count * 4)
    #expect(all.sorted() == Array(0..<count * 4))
    for thread in 0..<4 {
      let sent = all.filter { $0 % 4 == thread }
      #expect(sent == sent.sorted())
    }
    // The first payload is compared with nothing.
    #expect(calls.entries == Array(all.dropFirst(source == .removeDuplicates ? 1 : 0)))
  }

  @Test func `running totals of threads that emit at once never fall`() async {
    let (emitter, totals) = (emitter, Trace<Int>())
    emitter.signal.scan(0) { $0 + $1 }.connect(on: .inline) { totals.add($0) }
    await onThread { onThreads(4) { _ in for _ in 0..<2000 { emitter.invoke(1) } } }
    #expect(await totals.entries(8000) == Array(1...8000))
  }

  @Test(arguments: Operator.allCases, Place.allCases)
  func `what the closure emits to its own chain follows its payload`(
    _ source: Operator, _ place: Place
  ) async {
    let (emitter, calls, numbers) = (emitter, Trace<Int>(), Trace<Int>())
    defer { emitter.cancelAllObservers() }
    let chain = source(emitter.signal) { number in
      calls.add(number)
      if 1..<100 ~= number { emitter.invoke(number + 1) }
    }
    place.connect(chain) { numbers.add($0) }
    emitter.invoke(0)
    emitter.invoke(1)
    #expect(await numbers.entries(101) == Array(0...100))
    #expect(calls.entries.suffix(100) == Array(1...100))
  }

  @MainActor
  @Test(arguments: Operator.allCases)
  func `what the closure emits on the actor of the slot is delivered before invoke returns`(
    _ source: Operator
  ) {
    let (emitter, numbers) = (emitter, Trace<Int>())
    defer { emitter.cancelAllObservers() }
    let chain = source(emitter.signal) { number in
      if number == 1 { for more in 2...3 { emitter.invoke(more) } }
    }
    Place.main.connect(chain) { number in
      numbers.add(number)
      if number == 2 { emitter.invoke(4) }
    }
    emitter.invoke(0)
    emitter.invoke(1)
    // What is emitted in a slot follows what waits.
    #expect(numbers.entries == [0, 1, 2, 3, 4])
  }

  @Test(arguments: Operator.allCases)
  func `payloads that wait when the emitter dies are sent`(_ source: Operator) async {
    let (numbers, entered, leave) = (Trace<Int>(), Gate(), Gate())
    let emitter = Box<EmitterArg<Int>>(EmitterArg<Int>())
    let observer = emitter.value.map { emitter in
      Place.inline.connect(source(emitter.signal) { _ in }) { number in
        if number == 0 {
          entered.open()
          leave.pass()
        }
        numbers.add(number)
      }
    }
    await onThread {
      let first = RunningThread { emitter.value?.invoke(0) }
      entered.pass()
      RunningThread {
        for number in 1..<1000 { emitter.value?.invoke(number) }
        emitter.value = nil
      }.join()
      leave.open()
      first.join()
    }
    // The first thread delivers 128 of them.
    #expect(await numbers.entries(1000) == Array(0..<1000))
    await until("the end of the connection") { observer?.isCancelled == true }
  }

  @Test(arguments: Operator.allCases)
  func `payloads that wait when the connection is cancelled are not sent`(_ source: Operator) async
  {
    let (numbers, entered, leave) = (Trace<Int>(), Gate(), Gate())
    let emitter = emitter
    let observer = Place.inline.connect(source(emitter.signal) { _ in }) { number in
      entered.open()
      leave.pass()
      numbers.add(number)
    }
    await onThread {
      let first = RunningThread { emitter.invoke(0) }
      entered.pass()
      RunningThread { emitter.invoke(1) }.join()
      observer.cancel()
      leave.open()
      first.join()
    }
    #expect(numbers.entries == [0])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: [Operator.scan, .removeDuplicates], Place.allCases)
  func `what is emitted while the observer is suspended is not taken in`(
    _ source: Operator, _ place: Place
  ) async {
    let (emitter, calls, numbers) = (emitter, Trace<Int>(), Trace<Int>())
    let observer = place.connect(source(emitter.signal) { calls.add($0) }) { numbers.add($0) }
    emitter.invoke(0)
    _ = await numbers.entries(1)
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    emitter.invoke(2)
    #expect(await numbers.entries(2) == [0, 2])
    #expect(!calls.entries.contains(1))
  }

  @Test(arguments: [Operator.scan, .removeDuplicates])
  func `a slot behind it may emit a thousand levels deep`(_ source: Operator) async {
    let (emitter, numbers) = (emitter, Trace<Int>())
    defer { emitter.cancelAllObservers() }
    Place.inline.connect(source(emitter.signal) { _ in }) { number in
      numbers.add(number)
      if number < 1000 { emitter.invoke(number + 1) }
    }
    await onThread { emitter.invoke(1) }
    #expect(numbers.entries == Array(1...1000))
  }

  @Test(arguments: Operator.allCases)
  func `a slot that cancels itself ends the calls of the closure too`(_ source: Operator) async {
    let (emitter, calls) = (emitter, Trace<Int>())
    let bag = ObserverBag()
    source(emitter.signal) { calls.add($0) }.connect(on: nil) { _ in
      // It waits for this call.
      onThreads(1) { _ in emitter.invoke(2) }
      bag.cancelAll()
      onThreads(1) { _ in emitter.invoke(3) }
      emitter.invoke(4)
    }.store(in: bag)
    emitter.invoke(1)
    #expect(calls.entries == (source == .removeDuplicates ? [] : [1]))
  }

  @Test func `a slot on a queue that cancels itself ends closures before a merge, too`() {
    let (emitter, other, calls) = (emitter, EmitterArg<Int>(), Trace<Int>())
    let (bag, isDone) = (ObserverBag(), Gate())
    merge(
      emitter.signal.map { number in
        calls.add(number)
        return number
      }, other.signal
    ).connect(on: DispatchQueue(label: "merge")) { _ in
      bag.cancelAll()
      emitter.invoke(2)
      isDone.open()
    }.store(in: bag)
    emitter.invoke(1)
    isDone.pass()
    #expect(calls.entries == [1])
  }

  /// An operator at which payloads wait while a slot behind it runs.
  struct Waiting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let connect: @Sendable (Signal<Lifetime>, @escaping @Sendable () -> Void) -> SignalObserver

    static let all = [
      Waiting(testDescription: "scan") { signal, slot in
        signal.scan(Lifetime?.none) { $1 }.connect(on: .inline) { _ in slot() }
      },
      Waiting(testDescription: "reductions") { signal, slot in
        signal.reductions(into: Lifetime?.none) { $0 = $1 }.connect(on: .inline) { _ in slot() }
      },
      Waiting(testDescription: "replay") { signal, slot in
        signal.replay(1).connect(on: .inline) { _ in slot() }
      },
      Waiting(testDescription: "zip") { signal, slot in
        signal.zip(signal).connect(on: .inline) { _, _ in slot() }
      },
      Waiting(testDescription: "combineLatest") { signal, slot in
        combineLatest([signal]).connect(on: .inline) { _ in slot() }
      },
      Waiting(testDescription: "throttle") { signal, slot in
        signal.throttle(for: .zero, clock: ManualClock()).connect(on: .inline) { _ in slot() }
      },
    ]
  }

  @Test(arguments: Waiting.all)
  func `what waits behind a slot that cancels itself is released by its return`(
    _ operation: Waiting
  ) async {
    let (emitter, census, bag) = (EmitterArg<Lifetime>(), Census(), ObserverBag())
    operation.connect(emitter.signal) {
      // More than a thread delivers for others.
      onThreads(1) { _ in for _ in 0..<400 { emitter.invoke(census.member()) } }
      bag.cancelAll()
    }.store(in: bag)
    await onThread { emitter.invoke(census.member()) }
    // A global queue may be taking in one of them.
    await until("the payloads") { census.alive == 0 }
  }

  @Test func `a filter that emits passes on the result that it has seen`() {
    let emitter = emitter
    defer { emitter.cancelAllObservers() }
    let (trace, _) = emitter.signal.reductions(into: 0) { $0 += $1 }.filter { total in
      if total == 1 { emitter.invoke(10) }
      return true
    }.traced()
    emitter.invoke(1)
    #expect(trace.entries == [11, 1])
  }
}
