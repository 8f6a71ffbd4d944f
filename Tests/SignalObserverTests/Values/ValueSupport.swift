import Dispatch
import Foundation
import SignalObserver
import Synchronization
import Testing

/// What slots were given, in order, on whichever threads.
final class Trace<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var elements: [Element] { state.withLock { $0.elements } }

  func add(_ element: Element) {
    let ready = state.withLock { state in
      state.elements.append(element)
      let ready = state.waiting.filter { $0.count <= state.elements.count }
      state.waiting.removeAll { [count = state.elements.count] in $0.count <= count }
      return ready
    }
    for waiting in ready { waiting.continuation.resume() }
  }

  /// The elements, once there are `count`.
  func elements(_ count: Int) async -> [Element] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.elements.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
    return elements
  }
}

extension SignalSource where Payload: Sendable {
  /// Connects an inline slot that records what it is given.
  func traced() -> (Trace<Payload>, SignalObserver) {
    let trace = Trace<Payload>()
    return (trace, connect({ trace.add($0) }, nil))
  }
}

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    let offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    var number = 0
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func ready() -> [CheckedContinuation<Void, Never>] {
      let ready = waiting.filter { $0.count == sleepers.count }
      waiting.removeAll { [count = sleepers.count] in $0.count == count }
      return ready.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isCancelled, isOver, ready) = state.withLock { state in
          if state.cancelled.contains(number) {
            return (true, false, [CheckedContinuation<Void, Never>]())
          }
          if state.now >= deadline { return (false, true, []) }
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, continuation: continuation))
          return (false, false, state.ready())
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        if isOver { continuation.resume() }
        for waiting in ready { waiting.resume() }
      }
    } onCancel: {
      let (sleeper, ready) = state.withLock { state in
        state.cancelled.insert(number)
        let index = state.sleepers.firstIndex { $0.number == number }
        return (index.map { state.sleepers.remove(at: $0) }, state.ready())
      }
      sleeper?.continuation.resume(throwing: CancellationError())
      for waiting in ready { waiting.resume() }
    }
  }

  /// Goes on, and wakes those whose time has come.
  func advance(by duration: Duration) {
    let awake = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let awake = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { [now = state.now] in $0.deadline <= now }
      return awake
    }
    for sleeper in awake { sleeper.continuation.resume() }
  }

  /// Waits until exactly `count` tasks sleep.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.sleepers.count == count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}

/// An object whose release can be seen through a weak reference.
final class Witness: Sendable {
  func use() {}
}

private final class Counter: Sendable {
  private let count: Atomic<Int>

  init(_ count: Int) { self.count = Atomic(count) }

  var isZero: Bool { count.load(ordering: .acquiring) <= 0 }

  func countDown() { count.subtract(1, ordering: .acquiringAndReleasing) }
}

/// Runs `body` on `count` threads that begin together, and waits for them.
func together(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let missing = Counter(count)
  let ended = DispatchSemaphore(value: 0)
  let run: @Sendable (Int) -> Void = { index in
    missing.countDown()
    while !missing.isZero { sched_yield() }
    body(index)
    ended.signal()
  }
  for index in 0..<count { Thread { run(index) }.start() }
  for _ in 0..<count {
    if ended.wait(timeout: .now() + 30) == .timedOut { Issue.record("a thread did not end") }
  }
}
