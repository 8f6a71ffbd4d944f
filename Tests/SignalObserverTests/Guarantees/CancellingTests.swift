import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CancellingTests {
  let log = Log()

  @Test func `3. A slot cancelled while an emission runs is not called by it any more`() {
    let emitter = EmitterVoid()
    let second = Box<SignalObserver>()
    emitter.signal.connect(on: .inline) {
      log.add("first")
      second.value?.cancel()
    }
    second.value = emitter.signal.connect(on: .inline) { log.add("second") }
    emitter.signal.connect(on: .inline) { log.add("third") }

    emitter.invoke()
    emitter.invoke()

    #expect(log.entries == ["first", "third", "first", "third"])
  }

  @Test
  func `3. Most slots cancelled by the first one are not called, and the rest keep their order`() {
    let emitter = EmitterVoid()
    let later = Box<[SignalObserver]>([])
    emitter.signal.connect(on: .inline) {
      for (index, observer) in (later.value ?? []).enumerated() where index % 10 != 0 {
        observer.cancel()
      }
    }
    later.value = (0..<100).map { index in
      emitter.signal.connect(on: .inline) { log.add("\(index)") }
    }

    emitter.invoke()

    #expect(log.entries == stride(from: 0, to: 100, by: 10).map { "\($0)" })
  }

  @Test
  func `3. A slot cancelled and connected again is called by the next emission, behind the others`()
  {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    let second = Box<SignalObserver>()
    emitter.signal.connect(on: .inline) { value in
      if value > 1 { return }
      second.value?.cancel()
      emitter.signal.connect(on: .inline) { log.add("again \($0)") }
    }
    second.value = emitter.signal.connect(on: .inline) { log.add("second \($0)") }
    emitter.signal.connect(on: .inline) { log.add("third \($0)") }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["third 1", "third 2", "again 2"])
  }

  @Test func `3. cancelAllObservers in a slot ends the emission with that slot`() {
    let emitter = EmitterVoid()
    for index in 0..<3 {
      emitter.signal.connect(on: .inline) {
        log.add("\(index)")
        if index == 1 { emitter.cancelAllObservers() }
      }
    }

    emitter.invoke()
    emitter.invoke()

    #expect(log.entries == ["0", "1"])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `3. A slot cancelled on another thread while an emission runs is not called by it`() {
    let emitter = EmitterVoid()
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) {
      entered.open()
      leave.pass()
    }
    let second = emitter.signal.connect(on: .inline) { log.add("second") }
    emitter.signal.connect(on: .inline) { log.add("third") }
    let thread = RunningThread { emitter.invoke() }
    entered.pass()

    second.cancel()
    leave.open()
    thread.join()

    #expect(log.entries == ["third"])
  }

  @Test
  func
    `4. After cancel() returns no call of the slot begins, and one that another thread has begun may still run`()
  {
    let emitter = EmitterArg<Int>()
    let (entered, leave) = (Gate(), Gate())
    let observer = emitter.signal.connect(on: .inline) { value in
      entered.open()
      leave.pass()
      log.add("begun \(value)")
    }
    let thread = RunningThread { emitter.invoke(1) }
    entered.pass()

    observer.cancel()
    emitter.invoke(2)
    log.add("cancelled")
    leave.open()
    thread.join()

    #expect(log.entries == ["cancelled", "begun 1"])
  }

  @Test func `4. Called on the slot's queue, cancelling is absolute`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "cancelling")
    let hold = Gate()
    queue.async { hold.pass() }
    let observer = emitter.signal.connect(on: queue) { log.add("\($0)") }
    for value in 0..<1000 { emitter.invoke(value) }

    queue.async { [log] in
      observer.cancel()
      log.add("cancelled after \(log.entries.count)")
    }
    hold.open()
    queue.sync {}
    queue.sync {}

    // The first drain was on the queue before the cancelling, and the next would be behind it.
    #expect(log.entries == (0..<128).map { "\($0)" } + ["cancelled after 128"])
  }

  @Test func `4. A slot that cancels itself on its queue is not called with what is pending`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "cancelling")
    let hold = Gate()
    queue.async { hold.pass() }
    let observer = Box<SignalObserver>()
    observer.value = emitter.signal.connect(on: queue) { value in
      log.add("\(value)")
      if value == 3 { observer.value?.cancel() }
    }

    for value in 1...10 { emitter.invoke(value) }
    hold.open()
    queue.sync {}

    #expect(log.entries == ["1", "2", "3"])
  }

  @MainActor
  @Test func `4. Called on the main actor, cancelling a main slot is absolute`() async {
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.connect { [log] in log.add("\($0)") }
    await onThread { emitter.invoke(1) }
    #expect(await log.entries(1) == ["1"])
    RunningThread { emitter.invoke(2) }.join()

    observer.cancel()
    await mainQueueDrained()

    #expect(log.entries == ["1"])
  }

  @Test func `4. cancel() never waits`() {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "cancelling", attributes: .concurrent)
    let (entered, leave) = (Gate(), Gate())
    let observers = [nil, queue].map { queue in
      emitter.signal.connect(on: queue) {
        entered.open()
        leave.pass()
      }
    }
    let thread = RunningThread { emitter.invoke() }
    entered.pass()

    for observer in observers { observer.cancel() }
    emitter.cancelAllObservers()

    #expect(observers.map(\.isCancelled) == [true, true])
    leave.open()
    leave.open()
    thread.join()
  }

  /// A function of an operator, which runs `work` for each payload, and lets it pass.
  enum Transform: CaseIterable, Sendable {
    case filter, map, compactMap, scan, prefix, merged

    func callAsFunction(
      _ signal: Signal<Int>, _ work: @escaping @Sendable (Int) -> Void
    ) -> any SignalSource<Int> {
      let filtered = signal.filter { (number: Int) -> Bool in
        work(number)
        return true
      }
      switch self {
      case .filter: return filtered
      case .map:
        return signal.map { (number: Int) -> Int in
          work(number)
          return number
        }
      case .compactMap:
        return signal.compactMap { (number: Int) -> Int? in
          work(number)
          return number
        }
      case .scan:
        return signal.scan(0) { (_: Int, number: Int) -> Int in
          work(number)
          return number
        }
      case .prefix:
        return signal.prefix { (number: Int) -> Bool in
          work(number)
          return true
        }
      case .merged: return merge(filtered, EmitterArg<Int>().signal)
      }
    }
  }

  @Test(arguments: Transform.allCases, Place.allCases)
  func `4. A slot that its own transform cancels or suspends is not called`(
    _ transform: Transform, _ place: Place
  ) async {
    for isEnd in [true, false] {
      let (emitter, queue) = (EmitterArg<Int>(), DispatchQueue(label: "transform"))
      let (observer, numbers, transformed) = (Box<SignalObserver>(), Trace<Int>(), Trace<Int>())
      let source = transform(emitter.signal) { number in
        if number == 2 { isEnd ? observer.value?.cancel() : observer.value?.suspend() }
        transformed.add(number)
      }
      let released = Gate()
      observer.value = place.connect(source, queue) {
        [capture = Lifetime { released.open() }] number in
        capture.use()
        numbers.add(number)
      }

      emitter.invoke(1)
      _ = await numbers.entries(1)
      emitter.invoke(2)
      _ = await transformed.entries(2)
      observer.value?.cancel()
      // When the call in progress, if there is one, has returned.
      await onThread { released.pass() }

      #expect(numbers.entries == [1])
    }
  }
}

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
