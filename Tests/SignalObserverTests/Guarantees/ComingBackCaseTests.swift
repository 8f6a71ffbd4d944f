import Dispatch
import SignalObserver
import Synchronization
import Testing

/// Code that is not the library's calls the library from wherever it runs.
///
/// The kernel's lock does not recurse: if one were held, the program would stop.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft)
final class ComingBackCaseTests: Sendable {
  let log = Log()
  let made = Made.current
  let emitter = Made.current.emitter(Lifetime.self)
  let queue = DispatchQueue(label: "cases")

  // Slots that use the emitter hold it, and it holds them.
  deinit { emitter.cancelAllObservers() }

  /// Uses every entrance to the kernel, and says so.
  private static func visit(_ emitter: Emitter<Lifetime>, _ log: Log) {
    let bag = ObserverBag()
    for place in Place.allCases {
      let observer = place.connect(emitter.signal) { _ in }
      observer.suspend()
      observer.resume()
      observer.store(in: bag)
    }
    emitter.invoke(Lifetime {})
    _ = (emitter.signal.slotCount, emitter.signal.debugDescription)
    bag.cancelAll()
    log.add("visited")
  }

  private func visitor() -> Lifetime {
    let member = made.object()
    return Lifetime { [emitter, log] in
      member.use()
      Self.visit(emitter, log)
    }
  }

  @Test(arguments: Place.allCases)
  func `X1 a slot calls the library, wherever it runs`(place: Place) async {
    let isFirst = Atomic<Bool>(true)
    place.connect(emitter.signal, queue) { [emitter, log] _ in
      if isFirst.exchange(false, ordering: .relaxed) { Self.visit(emitter, log) }
    }

    emitter.invoke(made.object())

    #expect(await log.entries(1) == ["visited"])
    emitter.cancelAllObservers()
  }

  @Test(arguments: Place.allCases)
  func `X1 the captures of a slot call the library when it is cancelled, wherever it runs`(
    place: Place
  ) async {
    let capture = Box(visitor())
    let observer = place.connect(emitter.signal, queue) { [capture = capture.value] _ in
      capture?.use()
    }
    capture.value = nil

    observer.cancel()

    #expect(log.entries == ["visited"])
  }

  @Test(arguments: Place.allCases)
  func `X1 released payloads call the library, wherever the slot runs`(place: Place) async {
    place.connect(emitter.signal, queue) { $0.use() }

    for _ in 0..<3 { emitter.invoke(visitor()) }

    #expect(await log.entries(3) == Array(repeating: "visited", count: 3))
    emitter.cancelAllObservers()
  }

  @Test(arguments: Place.allCases.filter { $0 != .inline })
  func `X1 payloads that a cancel drops call the library`(place: Place) async {
    let (held, leave) = (Gate(), Gate())
    let observer = place.connect(emitter.signal, queue) { _ in
      held.open()
      leave.pass()
    }
    await onThread { [self] in
      emitter.invoke(Lifetime {})
      held.pass()
      for _ in 0..<3 { emitter.invoke(visitor()) }

      observer.cancel()

      #expect(log.entries == Array(repeating: "visited", count: 3))
      leave.open()
    }
  }

  @Test(arguments: Place.allCases)
  func `X1 a target calls the library in its deinit, after a call that was the last to hold it`(
    place: Place
  ) async {
    let target = Box(visitor())
    let (emitter, log) = (emitter, log)
    let body: @Sendable (Lifetime) -> Void = { own in
      target.value = nil
      log.add("dropped")
      own.use()
    }
    if let own = target.value {
      switch place {
      case .inline: emitter.signal.connect(own, on: .inline) { own, _ in body(own) }
      case .queue: emitter.signal.connect(own, on: queue) { own, _ in body(own) }
      case .main: emitter.signal.connect(own) { @MainActor own, _ in body(own) }
      case .actor: emitter.signal.connect(own) { @Studio own, _ in body(own) }
      case .task: emitter.signal.connect(own) { own, _ async in body(own) }
      }
    }

    emitter.invoke(Lifetime {})

    #expect(await log.entries(2) == ["dropped", "visited"])
  }

  @Test func `X1 a cancellation handler of an asynchronous slot calls the library`() async {
    let (emitter, log) = (emitter, log)
    let observer = emitter.signal.connect { (_: Lifetime) async in
      await withTaskCancellationHandler {
        log.add("waiting")
        // Not by `Task.isCancelled`: the task could leave before the handler has run.
        await AsyncGate().wait()
      } onCancel: {
        Self.visit(emitter, log)
      }
    }
    emitter.invoke(made.object())
    _ = await log.entries(1)

    observer.cancel()

    #expect(log.entries == ["waiting", "visited"])
  }

  @Test(arguments: Place.allCases)
  func `X1 payloads are neither compared nor hashed nor described`(place: Place) async {
    let emitter = made.emitter(Prickly.self)
    let log = log
    place.connect(emitter.signal, queue) { log.add("called with \($0.value)") }
    place.connect(emitter.signal, queue) { log.add("called with \($0.value)") }

    for value in 1...3 { emitter.invoke(Prickly(value: value, log: log)) }
    _ = emitter.signal.debugDescription

    let entries = await log.entries(6)
    #expect(entries.sorted() == [1, 1, 2, 2, 3, 3].map { "called with \($0)" })
  }
}

/// A payload that says when it is compared, hashed or described.
private struct Prickly: Hashable, Sendable, CustomStringConvertible {
  let value: Int
  let log: Log

  var description: String {
    log.add("described")
    return "\(value)"
  }

  static func == (left: Prickly, right: Prickly) -> Bool {
    left.log.add("compared")
    return left.value == right.value
  }

  func hash(into hasher: inout Hasher) {
    log.add("hashed")
    hasher.combine(value)
  }
}
