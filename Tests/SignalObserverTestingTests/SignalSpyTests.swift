import Dispatch
import SignalObserver
import Testing

@testable import SignalObserverTesting

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalSpyTests {
  let emitter = EmitterArg<Int>()

  @Test func `what is emitted is recorded, in order, when invoke returns`() {
    let spy = SignalSpy(emitter.signal)
    for payload in 1...3 { emitter.invoke(payload) }

    #expect(spy.payloads == [1, 2, 3])
  }

  @Test func `take returns what was delivered and forgets it`() {
    let spy = SignalSpy(emitter.signal)
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(spy.take() == [1, 2])
    emitter.invoke(3)

    #expect(spy.payloads == [3])
    #expect(spy.take() == [3])
    #expect(spy.take() == [])
  }

  @Test func `next waits for a delivery and takes it`() async throws {
    let spy = SignalSpy(emitter.signal)
    async let first = spy.next(timeout: .seconds(60))
    emitter.invoke(1)
    emitter.invoke(2)

    #expect(try await first == 1)
    #expect(try await spy.next(timeout: .seconds(60)) == 2)
    #expect(spy.payloads == [])
  }

  @Test func `wait returns what is there when the number has arrived, and takes none`() async throws
  {
    let spy = SignalSpy(emitter.signal, on: DispatchQueue(label: "q"))
    for payload in 1...3 { emitter.invoke(payload) }

    #expect(try await spy.wait(for: 3, timeout: .seconds(60)) == [1, 2, 3])
    #expect(spy.payloads == [1, 2, 3])
  }

  @Test func `waiting in vain throws what did arrive`() async throws {
    let spy = SignalSpy(emitter.signal)
    let clock = ManualClock()
    emitter.invoke(7)
    let waiting = Task { try await spy.wait(for: 3, timeout: .seconds(1), clock: clock) }
    await clock.waitForSleepers(1)
    emitter.invoke(8)
    clock.advance(by: .seconds(1))

    let error = await #expect(throws: SpyTimeout.self) { try await waiting.value }
    #expect(
      error.map { "\($0)" }
        == "3 deliveries expected within 1.0 seconds, arrived: 2: 7 (inline), 8 (inline)")
  }

  @Test func `a payload that another task takes does not make the wait longer`() async throws {
    let spy = SignalSpy(emitter.signal)
    let clock = ManualClock()
    let start = clock.now
    let tasks = (0..<2).map { _ in
      Task { try await spy.next(timeout: .seconds(5), clock: clock) }
    }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(4))
    emitter.invoke(1)
    // One of them has it, and the other waits on for the second that is left.
    await until("one of them to have it") { spy.payloads != [1] }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))

    var failures: [any Error] = []
    for task in tasks {
      do { #expect(try await task.value == 1) } catch { failures.append(error) }
    }
    #expect(failures.count == 1)
    #expect(failures.first is SpyTimeout)
    #expect(start.duration(to: clock.now) == .seconds(5))
  }

  @Test func `waiting in vain for the first says that nothing did arrive`() async throws {
    let spy = SignalSpy(emitter.signal)
    let error = await #expect(throws: SpyTimeout.self) { try await spy.next(timeout: .zero) }

    #expect(error?.description == "1 delivery expected within 0.0 seconds, arrived: none")
  }

  @Test func `without a timeout it waits for five seconds, and then holds no timer`() async throws {
    let (spy, clock) = (SignalSpy(emitter.signal), ManualClock())
    let waits: [@Sendable () async throws -> Void] = [
      { _ = try await spy.next(clock: clock) }, { try await spy.wait(for: 1, clock: clock) },
    ]
    for wait in waits {
      let waiting = Task { try await wait() }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: SpyTimeout.self) { try await waiting.value }
      #expect(error?.description == "1 delivery expected within 5.0 seconds, arrived: none")
    }

    let waiting = Task { try await spy.next(clock: clock) }
    await clock.waitForSleepers(1)
    emitter.invoke(1)
    #expect(try await waiting.value == 1)
    await until("the timer to end") { clock.sleeperCount == 0 }
  }

  @Test func `its connection has the line that makes it`() {
    let (spy, line) = (SignalSpy(emitter.signal), #line)

    #expect(emitter.signal.debugDescription.contains("SignalSpyTests.swift:\(line)"))
    withExtendedLifetime(spy) {}
  }

  @Test func `a cancelled task does not wait`() async throws {
    let spy = SignalSpy(emitter.signal)
    let task = Task { try await spy.next() }
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a clock that fails to sleep ends the wait with its error`() async {
    let spy = SignalSpy(emitter.signal)

    await #expect(throws: FailingClock.Failure.self) { try await spy.next(clock: FailingClock()) }
  }

  @Test func `a wait that has ended leaves nothing in the spy`() async throws {
    let (spy, clock) = (SignalSpy(emitter.signal), ManualClock())
    for _ in 0..<3 { _ = try? await spy.wait(for: 2, timeout: .zero, clock: clock) }
    let cancelled = Task { try await spy.next(clock: clock) }
    await clock.waitForSleepers(1)
    #expect(spy.waitCount == 1)
    cancelled.cancel()
    _ = await cancelled.result

    #expect(spy.waitCount == 0)
  }

  @Test func `it says where it was delivered to`() async throws {
    let spies = [
      SignalSpy(emitter.signal, on: DispatchQueue(label: "q")),
      SignalSpy(emitter.signal, on: .main), SignalSpy(emitter.signal),
    ]
    emitter.invoke(1)
    for spy in spies { try await spy.wait(for: 1, timeout: .seconds(60)) }

    #expect(spies.map { $0.deliveries[0].place } == [.queue("q"), .main, .inline])
    #expect(spies.map { "\($0.deliveries[0].place)" } == ["queue \"q\"", "main", "inline"])
  }

  @Test func `told by a slot, it says where the slot runs`() async throws {
    let spy = SignalSpy<Int>()
    let recorder = Recorder(spy)
    await recorder.follow(emitter.signal)
    emitter.signal.connect { @MainActor payload in spy.record(payload) }
    emitter.invoke(1)
    try await spy.wait(for: 2, timeout: .seconds(60))

    #expect(Set(spy.deliveries.map(\.place)) == [.main, .actor("Recorder")])
  }

  @Test func `dropped it is disconnected`() {
    do {
      let spy = SignalSpy(emitter.signal)
      withExtendedLifetime(spy) { #expect(emitter.signal.slotCount == 1) }
    }

    #expect(emitter.signal.slotCount == 0)
  }
}

private actor Recorder {
  let spy: SignalSpy<Int>

  init(_ spy: SignalSpy<Int>) { self.spy = spy }

  func follow(_ signal: Signal<Int>) {
    signal.connect(self) { recorder, payload in recorder.spy.record(payload) }
  }
}

/// A clock that cannot sleep.
private struct FailingClock: Clock {
  struct Failure: Error {}

  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    throw Failure()
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OneShotTests {
  @Test func `the first result counts`() async throws {
    let shot = OneShot<Int>()
    shot.resolve(.success(1))
    shot.resolve(.success(2))
    shot.resolve(.failure(CancellationError()))

    #expect(try await shot.value == 1)
  }

  @Test func `who waits gets the first result`() async throws {
    let shot = OneShot<Int>()
    async let value = shot.value
    shot.resolve(.success(1))
    shot.resolve(.success(2))

    #expect(try await value == 1)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ReleaseCheckTests {
  @Test func `it names what is alive, and holds nothing`() {
    final class Label {
      func show(_ score: Int) {}
    }
    let check = ReleaseCheck()
    let emitter = EmitterArg<Int>()
    var label: Label? = check.watch(Label())
    let capture = check.capture("closure")
    emitter.signal.connect { [capture] _ in withExtendedLifetime(capture) {} }
    if let label { emitter.signal.connect(label, Label.show, .inline) }
    #expect(check.alive == ["Label", "closure"])
    label = nil

    #expect(check.alive == ["closure"])
  }

  @Test func `it names each of several objects of one type`() {
    final class Label {}
    let check = ReleaseCheck()
    var labels = (0..<3).map { _ in check.watch(Label()) }
    #expect(check.alive == ["Label", "Label", "Label"])
    labels.removeFirst()

    #expect(check.alive == ["Label", "Label"])
  }

  @Test func `a cancelled connection has released its captures`() {
    let check = ReleaseCheck()
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.connect { [capture = check.capture("closure")] _ in
      withExtendedLifetime(capture) {}
    }
    #expect(check.alive == ["closure"])
    observer.cancel()

    #expect(check.alive == [])
  }
}
