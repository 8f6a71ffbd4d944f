import Dispatch
import SignalObserver
import Testing

private let places: [Place] = [.queue, .main, .actor]

/// The order of a place holds for the deliveries of values and of replay, too.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueOrderTests {
  let queue = DispatchQueue(label: "place")
  let trace = Trace<Int>()

  @Test(arguments: places)
  func `18. Sets of values keep their order beside signals`(_ place: Place) async {
    let (first, second, emitter) = (EmitterValue(0), EmitterValue(1), EmitterArg<Int>())
    place.connect(first.signal, queue) { [trace] in trace.add($0) }
    place.connect(second.signal, queue) { [trace] in trace.add($0) }
    place.connect(emitter.signal, queue) { [trace] in trace.add($0) }

    for number in 2..<3000 {
      switch number % 3 {
      case 0: first.set(number)
      case 1: second.set(number)
      default: emitter.invoke(number)
      }
    }

    #expect(await trace.entries(3000) == Array(0..<3000))
  }

  @Test(arguments: places)
  func `18. What replay sends keeps its order beside signals`(_ place: Place) async {
    let (source, emitter) = (EmitterArg<Int>(), EmitterArg<Int>())
    let replay = source.signal.replay(2)
    for number in 0..<2 { source.invoke(number) }
    // It gets the last two.
    place.connect(replay, queue) { [trace] in trace.add($0) }
    place.connect(emitter.signal, queue) { [trace] in trace.add($0) }

    for number in 2..<3000 { (number % 2 == 0 ? source : emitter).invoke(number) }

    #expect(await trace.entries(3000) == Array(0..<3000))
  }

  @Test(arguments: places)
  func `18. The last set is seen by a signal that is sent after it`(_ place: Place) async {
    let (progress, finished) = (EmitterValue(0), EmitterVoid())
    let seen = Box<Int>()
    place.connect(progress.signal, queue) { seen.value = $0 }
    place.connect(finished.signal, queue) { [trace] in trace.add(seen.value ?? -1) }

    for number in 1...20_000 { progress.set(number) }
    finished.invoke()

    #expect(await trace.entries(1) == [20_000])
  }

  @MainActor
  @Test func `13. The current value is delivered at once on the place of its slot`() {
    let value = EmitterValue(1)
    value.signal.connect { [trace] in trace.add($0) }
    #expect(trace.entries == [1])

    value.set(2)
    #expect(trace.entries == [1, 2])
  }

  @MainActor
  @Test func `13. The current value waits behind what was emitted there and waits`() async {
    let (emitter, value) = (EmitterArg<Int>(), EmitterValue(3))
    emitter.signal.connect { [trace] in trace.add($0) }
    RunningThread { emitter.invoke(1) }.join()
    // Behind the first, and emitted where its slot could have run.
    emitter.invoke(2)

    value.signal.connect { [trace] in trace.add($0) }

    #expect(trace.entries == [])
    #expect(await trace.entries(3) == [1, 2, 3])
  }

  @Test func `13. An assignment to a property of an actor is delivered before its emissions`()
    async
  {
    let desk = Desk(trace)
    await desk.connect()

    await desk.change()

    #expect(await trace.entries(4) == [0, 1, 2, 3])
  }
}

private actor Desk {
  @EmitterValue private var number = 0
  private let changed = EmitterArg<Int>()
  private let trace: Trace<Int>

  init(_ trace: Trace<Int>) { self.trace = trace }

  func connect() {
    $number.connect { self.note($0) }
    changed.signal.connect { self.note($0) }
  }

  private func note(_ number: Int) { trace.add(number) }

  func change() {
    // A setter is not told where it is.
    number = 1
    changed.invoke(2)
    number = 3
  }
}
