import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CurrentValueTests {
  let value = EmitterValue(0)
  let queue = DispatchQueue(label: "place")
  let trace = Trace<Int>()

  @Test(arguments: Place.allCases)
  func `19. A slot gets the current value first, and then every later one, in order`(
    _ place: Place
  ) async {
    value.set(1)
    place.connect(value.signal, queue) { [trace] in trace.add($0) }
    for number in 2...300 { value.set(number) }

    #expect(await trace.entries(300) == Array(1...300))
  }

  @Test(arguments: Place.allCases)
  func `19. A slot that is connected while a thread delivers begins with the last set before`(
    _ place: Place
  ) async {
    let (entered, leave) = (Gate(), Gate())
    value.signal.connect(on: .inline) { number in
      guard number == 1 else { return }
      entered.open()
      leave.pass()
    }
    let thread = RunningThread { [value] in value.set(1) }
    entered.pass()

    let late = Trace<Int>()
    place.connect(value.signal, queue) { [trace] in trace.add($0) }
    value.set(2)
    place.connect(value.signal, queue) { late.add($0) }
    value.set(3)
    leave.open()
    thread.join()
    value.set(4)

    #expect(await trace.entries(4) == [1, 2, 3, 4])
    #expect(await late.entries(3) == [2, 3, 4])
  }

  @Test(arguments: Place.allCases)
  func `19. Whatever a thread sets while others connect, each slot gets each later value once`(
    _ place: Place
  ) async {
    for _ in 0..<times(60) {
      let (value, queue) = (EmitterValue(0), queue)
      let connected = Trace<(trace: Trace<Int>, current: ClosedRange<Int>)>()
      let (begun, half) = (Gate(), Gate())
      onThreads(3) { index in
        if index == 0 {
          for number in 1...50 {
            value.set(number)
            if number == 10 { for _ in 0..<2 { begun.open() } }
            if number == 40 { for _ in 0..<2 { half.pass() } }
          }
        } else {
          for round in 0..<5 {
            if round == 1 { begun.pass() }
            let (trace, before) = (Trace<Int>(), value.value)
            place.connect(value.signal, queue) { trace.add($0) }
            connected.add((trace, before...value.value))
            // Each thread connects three slots after the tenth set and before the last ten.
            if round == 3 { half.open() }
          }
        }
      }

      var firsts: [Int] = []
      for (trace, current) in connected.entries {
        let first = await trace.entries(1)[0]
        #expect(current.contains(first))
        #expect(await trace.entries(51 - first) == Array(first...50))
        firsts.append(first)
      }
      #expect(firsts.count == 10)
      #expect(firsts.count { (10...40).contains($0) } >= 6)
    }
  }
}
