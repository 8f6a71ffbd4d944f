import Foundation
import SignalObserver
import Synchronization

/// A payload that is counted, so that a leaked one is found.
final class Counted: Sendable {
  static let alive = Atomic<Int>(0)
  let number: Int

  init(_ number: Int) {
    self.number = number
    Self.alive.add(1, ordering: .relaxed)
  }

  deinit { Self.alive.subtract(1, ordering: .relaxed) }
}

/// A thread that emits once in each round, as close as possible to the moment in which the other
/// side acts.
///
/// Both sides poll for their turn, because waking a thread takes longer than the race.
final class Rival: Sendable {
  private let emitter = Mutex<EmitterArg<Counted>?>(nil)
  private let numbers: [Int]
  private let dropsEmitter: Bool
  /// The round that is requested, and the last round that is over.
  private let asked = Atomic<Int>(0)
  private let done = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  /// Whether a slot was connected before the emissions of the round.
  private let sawSlot = Atomic<Bool>(false)

  /// - Parameters:
  ///   - numbers: The payloads that are emitted in each round.
  ///   - dropsEmitter: Whether the emitter dies right after them. If not, it dies with the next
  ///     round.
  init(_ numbers: [Int], dropsEmitter: Bool) {
    self.numbers = numbers
    self.dropsEmitter = dropsEmitter
    Thread { self.run() }.start()
  }

  /// Ends the thread.
  func end() { isOver.store(true, ordering: .releasing) }

  /// Lets the thread emit on a new signal, and returns that signal.
  func begin() -> SignalArg<Counted> {
    let next = EmitterArg<Counted>()
    let last = emitter.withLock { emitter in
      defer { emitter = next }
      return emitter
    }
    withExtendedLifetime(last) {}
    asked.add(1, ordering: .releasing)
    return next.signal
  }

  /// Waits until the round is over, and returns whether a slot was connected before the emissions.
  func finish() -> Bool {
    while done.load(ordering: .acquiring) < asked.load(ordering: .acquiring) { sched_yield() }
    return sawSlot.load(ordering: .relaxed)
  }

  private func run() {
    var round = 0
    while !isOver.load(ordering: .acquiring) {
      guard asked.load(ordering: .acquiring) > round else {
        sched_yield()
        continue
      }
      round += 1
      emit(round)
      done.store(round, ordering: .releasing)
    }
  }

  private func emit(_ round: Int) {
    let emitter = emitter.withLock { dropsEmitter ? $0.take() : $0 }
    guard let emitter else { return }
    if !dropsEmitter { waitForSlot(emitter.signal) }
    linger(round % 64)
    sawSlot.store(emitter.signal.slotCount == 1, ordering: .relaxed)
    for number in numbers { emitter.invoke(Counted(number), isolation: nil) }
  }
}

/// Waits some time until a slot is connected, because a task needs a moment for that.
private func waitForSlot(_ signal: SignalArg<Counted>) {
  for _ in 0..<200 where signal.slotCount == 0 { sched_yield() }
}

/// Waits a moment, so that the sides meet at another point in each round.
private func linger(_ moments: Int) {
  for _ in 0..<(moments * 8) { _ = roundCount.load(ordering: .relaxed) }
}

/// Something that two sides do to one signal at once, round after round, and its permitted
/// outcomes.
struct Race {
  let name: String
  /// The payloads that the rival emits.
  let numbers: [Int]
  /// Whether the emitter then dies, which ends every wait.
  ///
  /// If not, the rival waits for a slot before it emits.
  let dropsEmitter: Bool
  /// Takes part in a round, and returns the payloads that it received.
  let consume: @Sendable (SignalArg<Counted>, _ round: Int) async -> [Int]
  /// Whether these payloads are right, given whether the rival saw a slot before it emitted.
  let isRight: @Sendable (_ received: [Int], _ sawSlot: Bool) -> Bool
}

/// The number of rounds of all races so far.
let roundCount = Atomic<Int>(0)

extension Race {
  /// Runs until all rounds or the time are over, and returns the findings.
  func run(_ rounds: Int, until deadline: ContinuousClock.Instant?) async -> [String] {
    var found: [String] = []
    let rival = Rival(numbers, dropsEmitter: dropsEmitter)
    defer { rival.end() }
    for round in 0..<rounds {
      if let deadline, round % 64 == 0, ContinuousClock.now > deadline { break }
      let signal = rival.begin()
      let received = await consume(signal, round)
      let sawSlot = rival.finish()
      if !isRight(received, sawSlot) {
        found.append("\(name): received \(received), a slot before: \(sawSlot)")
      }
      if signal.slotCount != 0 { found.append("\(name): a slot is left") }
      roundCount.add(1, ordering: .relaxed)
    }
    let alive = Counted.alive.load(ordering: .acquiring)
    if alive != 0 { found.append("\(name): \(alive) payloads are left") }
    return found
  }
}

/// Whether these are the last of 1, 2 and 3.
private func isEnd(_ received: [Int]) -> Bool { received == [1, 2, 3].suffix(received.count) }

/// Starts `body` in a task, and cancels the task at once, when it has connected, or a little later.
private func cancelling(
  _ signal: SignalArg<Counted>, _ round: Int, _ body: @escaping @Sendable () async -> [Int]
) async -> [Int] {
  let task = Task { await body() }
  if round % 4 != 0 { waitForSlot(signal) }
  linger(round % 32)
  task.cancel()
  return await task.value
}

let races = [
  Race(name: "emission against the call of values", numbers: [1, 2, 3], dropsEmitter: true) {
    signal, _ in
    await collect(signal.values)
  } isRight: {
    $1 ? $0 == [1, 2, 3] : isEnd($0)
  },
  Race(name: "emission against next", numbers: [1, 2], dropsEmitter: true) { signal, _ in
    await signal.next().map { [$0.number] } ?? []
  } isRight: { received, sawSlot in
    sawSlot ? received == [1] : [[], [1], [2]].contains(received)
  },
  Race(name: "emission against next of a filter", numbers: [1, 2, 3], dropsEmitter: true) {
    signal, _ in
    await signal.filter { $0.number == 2 }.next().map { [$0.number] } ?? []
  } isRight: { received, sawSlot in
    sawSlot ? received == [2] : [[], [2]].contains(received)
  },
  Race(name: "cancellation against delivery to values", numbers: [1, 2, 3], dropsEmitter: false) {
    signal, round in
    await cancelling(signal, round) { await collect(signal.values) }
  } isRight: { received, _ in
    // There is no gap in the received numbers. They begin at the connection, and end at the
    // cancellation.
    received == Array((received.first ?? 1)..<((received.first ?? 1) + received.count))
      && (received.last ?? 3) <= 3
  },
  Race(name: "cancellation against delivery to next", numbers: [1, 2], dropsEmitter: false) {
    signal, round in
    await cancelling(signal, round) { await signal.next().map { [$0.number] } ?? [] }
  } isRight: { received, sawSlot in
    [[], [1]].contains(received) || (!sawSlot && received == [2])
  },
  Race(
    name: "cancellation against delivery to next of a filter", numbers: [1, 2, 3],
    dropsEmitter: false
  ) {
    signal, round in
    await cancelling(signal, round) {
      await signal.filter { $0.number == 2 }.next().map { [$0.number] } ?? []
    }
  } isRight: { received, _ in
    [[], [2]].contains(received)
  },
]

private func collect(_ values: SignalValues<Counted>) async -> [Int] {
  var numbers: [Int] = []
  for await payload in values { numbers.append(payload.number) }
  return numbers
}
