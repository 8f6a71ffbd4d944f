import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct CancellingCaseTests {
  let log = Log()
  let made = Made.current
  let queue = DispatchQueue(label: "cases")

  @Test func `C1 cancelling three times ends one connection`() {
    let emitter = made.emitter(Int.self)
    let observers = (0..<3).map { _ in made.watch(emitter.signal.connect(on: .inline) { _ in }) }

    for _ in 0..<3 { observers[1].cancel() }

    #expect(emitter.signal.slotCount == 2)
    #expect(observers.map(\.isCancelled) == [false, true, false])
  }

  @Test func `C5 each emission that a cancel races with calls the slot once or not at all`() {
    for _ in 0..<200 {
      let emitter = made.emitter(Int.self)
      let (trace, capture) = (Trace<Int>(), made.object())
      let observer = emitter.signal.connect(on: .inline) {
        capture.use()
        trace.add($0)
      }
      onThreads(3) { index in
        if index == 0 { return observer.cancel() }
        for value in 0..<10 { emitter.invoke(index * 10 + value) }
      }
      emitter.invoke(0)

      // Of each thread, those before the cancel.
      for begin in [10, 20] {
        let values = trace.entries.filter { begin..<begin + 10 ~= $0 }
        #expect(values == Array(begin..<begin + values.count))
      }
      #expect(!trace.entries.contains(0))
    }
  }

  @Test(arguments: Place.allCases)
  func `C7 an emission that happens after a cancel on another thread calls nobody`(
    place: Place
  ) async {
    let emitter = made.emitter(Int.self)
    for _ in 0..<100 {
      let isCancelled = Atomic<Bool>(false)
      let log = log
      let observer = place.connect(emitter.signal, queue) { _ in log.add("called") }
      onThreads(2) { index in
        if index == 0 {
          observer.cancel()
          isCancelled.store(true, ordering: .releasing)
        } else {
          while !isCancelled.load(ordering: .acquiring) {}
          emitter.invoke(1)
        }
      }
    }
    place.connect(emitter.signal, queue) { [log] _ in log.add("twin") }
    emitter.invoke(2)

    #expect(await log.entries(1) == ["twin"])
  }

  @Test func `C9 a cancel is seen by every thread at once`() {
    let emitter = made.emitter(Int.self)
    let observer = emitter.signal.connect(on: .inline) { _ in }
    let seen = Calls()
    let (cancelled, asked) = (Gate(), Gate())
    let thread = RunningThread {
      cancelled.pass()
      if observer.isCancelled, emitter.signal.slotCount == 0 { seen.add() }
      asked.open()
    }

    observer.cancel()
    cancelled.open()
    asked.pass()
    thread.join()

    #expect(seen.count == 1)
  }

  @Test func `C10 cancelling all releases captures that cancel all themselves`() {
    let emitter = made.emitter(Int.self)
    for _ in 0..<100 {
      let member = made.object()
      let capture = Lifetime {
        member.use()
        emitter.cancelAllObservers()
      }
      emitter.signal.connect(on: .inline) { _ in capture.use() }
    }

    emitter.cancelAllObservers()

    #expect(made.census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test
  func `C11 cancelling one by one, cancelling all, and a bag's end do not wait for each other`() {
    for _ in 0..<100 {
      let emitter = made.emitter(Int.self)
      let bag = ObserverBag()
      let observers = (0..<50).map { _ in
        let capture = made.object()
        let observer = emitter.signal.connect(on: .inline) { _ in capture.use() }
        observer.store(in: bag)
        return observer
      }
      onThreads(4) { index in
        switch index {
        case 0: for observer in observers { observer.cancel() }
        case 1: emitter.cancelAllObservers()
        case 2: bag.cancelAll()
        default: for value in 0..<10 { emitter.invoke(value) }
        }
      }
      #expect(observers.allSatisfy { $0.isCancelled })
      #expect(emitter.signal.slotCount == 0)
      #expect(made.census.alive == 0)
    }
  }
}
