import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing

private let places: [Place] = [.queue, .main, .actor]

/// A place also keeps the order of what operators send.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CombiningOrderTests {
  let queue = DispatchQueue(label: "place")
  let emitters = (0..<4).map { _ in EmitterArg<Int>() }
  let trace = Trace<Int>()
  let numbers = Array(0..<4000)

  private func emitInTurn() { for number in numbers { emitters[number % 4].invoke(number) } }

  @Test(arguments: places)
  func `18. Operators deliver in turn what signals send in turn`(_ place: Place) async {
    place.connect(emitters[0].signal.map { $0 + 1 }.map { $0 - 1 }, queue) { [trace] in
      trace.add($0)
    }
    place.connect(emitters[1].signal.filter { $0 >= 0 }.removeDuplicates(), queue) { [trace] in
      trace.add($0)
    }
    place.connect(emitters[2].signal.scan(0) { $1 }.prefix(4000), queue) { [trace] in trace.add($0)
    }
    place.connect(emitters[3].signal, queue) { [trace] in trace.add($0) }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }

  @Test(arguments: places)
  func `18. A merge, and a slot beside it, deliver in turn what signals send in turn`(
    _ place: Place
  ) async {
    let merged = merge(emitters[0].signal, emitters[1].signal, emitters[2].signal)
    place.connect(merged, queue) { [trace] in trace.add($0) }
    place.connect(emitters[3].signal, queue) { [trace] in trace.add($0) }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }

  @Test(arguments: places)
  func `18. What combineLatest delivers keeps its order beside another signal`(
    _ place: Place
  ) async {
    // The newest is the largest.
    let newest = combineLatest(emitters[0].signal, emitters[1].signal).map { max($0, $1) }
    place.connect(newest, queue) { [trace] in trace.add($0) }
    for emitter in emitters[2...] {
      place.connect(emitter.signal, queue) { [trace] in trace.add($0) }
    }

    emitInTurn()

    // It waits for both.
    #expect(await trace.entries(3999) == Array(1..<4000))
  }

  @Test(arguments: places)
  func `18. An operator of time sends in the order of its deliveries`(
    _ place: Place
  ) async {
    let clock = ManualClock()
    place.connect(emitters[0].signal.delay(for: .seconds(1), clock: clock), queue) { [trace] in
      trace.add($0)
    }
    for number in 0..<300 { emitters[0].invoke(number) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))

    #expect(await trace.entries(300) == Array(0..<300))
    emitters[0].cancelAllObservers()
  }

  @Test func `18. merge into one asynchronous slot orders what signals send in turn`() async {
    let merged = merge(
      emitters[0].signal, emitters[1].signal, emitters[2].signal, emitters[3].signal)
    merged.connect { [trace] (number: Int) async in
      await Task.yield()
      trace.add(number)
    }

    emitInTurn()

    #expect(await trace.entries(4000) == numbers)
  }
}
