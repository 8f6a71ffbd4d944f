import Dispatch
import SignalObserverTesting
import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalTraceTests {
  private let game = Game()
  private let board = Board()

  @Test func `emissions, deliveries and their causes are recorded in order`() {
    game.scored.connect(board, Board.count, .inline)
    game.scored.connect(on: .inline) { _ in }
    let line = #line - 1
    board.changed.connect(on: .inline) { [game] count in if count == 1 { game.end() } }
    let trace = SignalTrace(of: game, board) {
      game.score(7)
      game.score(8)
    }

    #expect(
      text(trace) == """
        1 Game.scored
            → Board, inline, at once
            → closure at line \(line), inline, at once
        2 Board.changed, by 1 → Board
            → closure at line \(line + 2), inline, at once
        3 Game.ended, by 2 → closure at line \(line + 2)
        4 Game.scored
            → Board, inline, at once
            → closure at line \(line), inline, at once
        5 Board.changed, by 4 → Board
            → closure at line \(line + 2), inline, at once
        """)
    #expect(trace.emissions.map(\.cause?.emission) == [nil, 0, 1, nil, 3])
  }

  @Test func `a time is described in microseconds, and from 10 ms on in milliseconds`() {
    let times: [Duration] = [
      .nanoseconds(35_900), .microseconds(9_999), .milliseconds(10), .seconds(2),
    ]

    #expect(
      times.map { "\(SignalTrace.Outcome.later($0))" }
        == ["after 35 µs", "after 9999 µs", "after 10 ms", "after 2000 ms"])
  }

  @Test func `the sequence diagram has the same, as it happened`() {
    let queue = DispatchQueue(label: "a;\"b\"")
    game.scored.connect(board, Board.count, .inline)
    game.scored.connect(on: queue) { _ in }.suspend()
    let line = #line - 1
    let trace = SignalTrace(of: game, board) { game.score(7) }

    #expect(
      text(trace, trace.mermaid) == """
        sequenceDiagram
          participant p0 as program
          participant p1 as Game.scored
          participant p2 as Board
          participant p3 as Board.changed
          participant p4 as closure at line \(line)
          p0->>p1: 1
          p1->>p2: 1, inline, at once
          p2->>p3: 2
          p1-xp4: 1, queue #quot;a#59;#quot;b#quot;#quot;, dropped: suspended
        """)
  }

  @Test func `why a payload was dropped is recorded`() {
    let (queue, hold, reached) = (DispatchQueue(label: "held"), Gate(), Gate())
    var dead: Board? = Board()
    if let dead { game.scored.connect(dead, Board.count, .inline) }
    let bounded = game.scored.buffering(.newest(1)).connect(on: queue) { _ in }
    let oldest = game.scored.buffering(.oldest(1)).connect(on: queue) { _ in }
    let late = game.scored.connect(on: queue) { _ in }
    game.scored.connect(on: .inline) { _ in }.suspend()
    let ended = game.scored.connect(on: queue) { _ in }
    queue.async {
      reached.open()
      hold.pass()
    }
    reached.pass()
    let trace = SignalTrace(of: game) {
      dead = nil
      game.score(1)
      game.score(2)
      late.suspend()
      ended.cancel()
      hold.open()
      queue.sync {}
      queue.sync {}
    }

    let (first, second) = (outcomes(trace, 0), outcomes(trace, 1))
    #expect(first == ["dead", "displaced", "later", "suspended", "suspended", "ended"])
    #expect(second == ["later", "displaced", "suspended", "suspended", "ended"])
    #expect(bounded.droppedCount == 1)
    #expect(oldest.droppedCount == 1)
  }

  @Test func `what an operator drops before a bound, while suspended, did not reach the slot`() {
    let queue = DispatchQueue(label: "slots")
    game.scored.filter { _ in true }.buffering(.newest(1)).connect(on: queue) { _ in }.suspend()
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(outcomes(trace, 0) == ["suspended"])
  }

  @Test func `what an operator drops did not reach the slot`() async {
    let (queue, done) = (DispatchQueue(label: "slots"), Gate())
    game.scored.filter { $0 > 1 }.connect(on: .inline) { _ in }
    game.scored.filter { $0 > 1 }.map { $0 }.connect(on: queue) { _ in }
    game.scored.compactMap { $0 > 1 ? $0 : nil }.connect(on: .inline) { _ in }
    game.scored.map { $0 / 10 }.removeDuplicates().connect(on: .inline) { _ in }
    merge(game.scored, game.scored).dropFirst(2).connect(on: .inline) { _ in }
    game.scored.filter { $0 > 1 }.connect { _ async in done.open() }
    let trace = await SignalTrace(of: game) {
      for number in 1...2 { game.score(number) }
      await onThread { done.pass() }
      queue.sync {}
    }

    let dropped = String(repeating: "filtered ", count: 7).split(separator: " ").map(String.init)
    var expected = dropped
    expected[3] = "at once"
    #expect(outcomes(trace, 0) == expected)
    #expect(
      outcomes(trace, 1)
        == ["at once", "later", "at once", "filtered", "at once", "at once", "later"])
  }

  @Test func `what an operator of several sources keeps to itself did not reach the slot`() {
    let other = EmitterArg<Int>()
    let (slot, one) = ({ @Sendable (_: Int, _: Int) in }, { @Sendable (_: Int) in })
    game.scored.zip(other.signal).connect(on: .inline, slot)
    combineLatest(game.scored, other.signal).connect(on: .inline, slot)
    combineLatest(game.scored, game.scored).connect(on: .inline, slot).suspend()
    game.scored.reductions(into: 0) { $0 += $1 }.connect(on: .inline, one).suspend()
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(
      outcomes(trace, 0) == ["filtered", "filtered", "suspended", "suspended", "suspended"])
  }

  @Test func `what an operator behind a prefix drops did not reach an asynchronous slot`() async {
    let done = Gate()
    game.scored.prefix(2).filter { $0 > 1 }.connect { _ async in done.open() }
    let trace = await SignalTrace(of: game) {
      for number in 1...2 { game.score(number) }
      await onThread { done.pass() }
    }

    #expect(outcomes(trace, 0) == ["filtered"])
    #expect(outcomes(trace, 1) == ["later"])
    // It ends when the call has returned.
    await until("the end of the connection") { game.scored.slotCount == 0 }
  }

  @Test func `what a prefix drops did not reach the slot`() {
    let box = Box()
    game.scored.prefix(1).connect(on: .inline) { [game] score in
      box.scores.append(score)
      game.score(2)
    }
    game.scored.prefix { $0 > 1 }.connect(on: .inline) { _ in }
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(box.scores == [1])
    #expect(outcomes(trace, 0) == ["at once", "ended"])
    #expect(outcomes(trace, 1) == ["filtered", "ended"])
  }

  @Test func `what a closure suspends or cancels did not reach the slot`() {
    let box = Box()
    box.observer = game.scored.map {
      box.observer?.suspend()
      return $0
    }.connect(on: .inline) { _ in }
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(outcomes(trace, 0) == ["suspended"])
    box.observer?.cancel()
    box.observer = nil
  }

  @Test func `what a slot emits through values has a cause`() {
    let (pair, model) = (Pair(), Model())
    game.scored.connect(on: .inline) { [storage = pair.storage] in storage.set($0) }
    pair.$second.changes.connect(on: .inline) { [storage = model.storage] in storage.set($1) }
    model.$count.changes.connect(on: .inline) { [game] _ in game.end() }
    let trace = SignalTrace(of: game, pair, model) { game.score(1) }

    #expect(
      trace.emissions.map(\.signal)
        == ["Game.scored", "Pair.first", "Pair.second", "Model.count", "Game.ended"])
    #expect(trace.emissions.map(\.cause?.emission) == [nil, 0, 1, 2, 3])
  }

  @Test func `a set that another thread delivers has no cause, and not that thread's`() {
    let (model, board) = (Model(), board)
    let (hasBegun, mayEnd, queue) = (Gate(), Gate(), DispatchQueue(label: "another thread"))
    let value = model.$count
    value.changes.connect(on: .inline) {
      guard $1 == 1 else { return }
      hasBegun.open()
      mayEnd.pass()
    }
    let set = { @Sendable [storage = model.storage] (number: Int) in storage.set(number) }
    board.changed.connect(on: .inline) { set($0) }
    game.scored.connect(on: .inline) { set($0 * 10) }
    let trace = SignalTrace(of: game, board, model) {
      queue.async { board.count(0) }
      hasBegun.pass()
      game.score(1)
      mayEnd.open()
      queue.sync {}
    }

    #expect(
      trace.emissions.map(\.signal)
        == ["Board.changed", "Model.count", "Game.scored", "Model.count"])
    #expect(trace.emissions.map(\.cause?.emission) == [nil, 0, nil, nil])
  }

  @Test func `a slot that another one cancels in the same emission was not called`() {
    let box = Box()
    game.scored.connect(on: .inline) { _ in box.observer?.cancel() }
    box.observer = game.scored.connect(on: .inline) { _ in }
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(outcomes(trace, 0) == ["at once", "ended"])
  }

  @Test func `what waits is later, with its time, or waiting`() {
    let (queue, hold, reached) = (DispatchQueue(label: "held"), Gate(), Gate())
    game.scored.connect(on: queue) { _ in
      reached.open()
      hold.pass()
    }
    let start = ContinuousClock.now
    let trace = SignalTrace(of: game) {
      game.score(1)
      reached.pass()
      game.score(2)
    }
    let elapsed = ContinuousClock.now - start
    hold.open()
    hold.open()
    queue.sync {}

    #expect(outcomes(trace, 0) == ["later"])
    #expect(outcomes(trace, 1) == ["waiting"])
    guard case .later(let time) = trace.emissions[0].deliveries[0].outcome else { return }
    #expect(time > .zero)
    #expect(time <= elapsed)
    #expect(trace.emissions[0].deliveries[0].place == "queue \"held\"")
  }

  @Test func `threads are numbered as they emit`() async {
    let threads = (0..<3).map { DispatchQueue(label: "thread \($0)") }
    let gates = threads.map { _ in Gate() }
    let trace = await SignalTrace(of: game) {
      // None of them ends before the last has begun, so each has a thread of its own.
      for (index, queue) in threads.enumerated() {
        await withCheckedContinuation { done in
          queue.async { [game] in
            game.score(index)
            game.score(index)
            done.resume()
            gates[index].pass()
          }
        }
      }
      for gate in gates { gate.open() }
    }

    #expect(trace.emissions.map(\.thread) == [1, 1, 2, 2, 3, 3])
  }

  @Test func `causes are found from queues, actors, tasks, and threads`() async {
    let queue = DispatchQueue(label: "work")
    let (done, clerk) = (Gate(), Clerk(game))
    game.scored.connect(on: queue) { [board] count in board.count(count) }
    board.changed.connect(clerk, Clerk.note)
    game.ended.connect { @concurrent () async in done.open() }
    let trace = await SignalTrace(of: game, board) {
      game.score(1)
      await onThread { done.pass() }
    }

    #expect(trace.emissions.map(\.signal) == ["Game.scored", "Board.changed", "Game.ended"])
    #expect(trace.emissions.map(\.cause?.emission) == [nil, 0, 1])
    #expect(trace.emissions[1].deliveries[0].place == "async, isolated to its target")
    #expect(trace.emissions[2].deliveries[0].place == "async")
    #expect(trace.emissions[1].thread != nil)
  }

  @Test func `operators and bindings are followed to their slots`() async {
    let (clock, mirror, done) = (ManualClock(), EmitterArg<Int>(), Gate())
    let slot = game.scored.map { $0 }.debounce(for: .seconds(1), clock: clock)
      .connect(on: .inline) { _ in done.open() }
    let line = #line - 1
    let both = merge(game.scored, mirror.signal).connect(on: .inline) { _ in }
    let bond = game.scored.bind(to: mirror)
    let trace = await SignalTrace(of: game) {
      game.score(1)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      await onThread { done.pass() }
    }

    #expect(
      text(trace) == """
        1 Game.scored
            → map → debounce, inline, at once
            → merge → closure at line \(line + 2), inline, at once
            → bind → Signal<Int>, inline, at once
        2 Signal<Int>, by 1 → bind → Signal<Int>
            → merge → closure at line \(line + 2), inline, at once
        3 debounce, by 1 → map → debounce
            → closure at line \(line), inline, at once
        """)
    for observer in [slot, both, bond] { observer.cancel() }
  }

  @Test func `an operator that emits to the slot behind it is named without it`() {
    final class Page {}
    let kept = game.scored.replay(1)
    kept.connect(on: .inline) { _ in }
    game.scored.prefix(9).pairwise().connect(on: .inline) { _ in }
    let pages = EmitterArg<Page>()
    merge(pages.signal, pages.signal).connect { _ in }
    let line = #line - 4
    let trace = SignalTrace(of: game, pages.signal) {
      game.score(1)
      pages.invoke(Page())
    }

    #expect(
      text(trace) == """
        1 Game.scored
            → replay, inline, at once
            → prefix, inline, at once
        2 replay, by 1 → replay
            → closure at line \(line), inline, at once
        3 prefix, by 1 → prefix
            → pairwise → closure at line \(line + 1), inline, dropped: filtered
        4 Signal<Page>
            → merge, inline, at once
            → merge, inline, at once
        5 merge, by 4 → merge
            → closure at line \(line + 3), inline, at once
        6 merge, by 4 → merge
            → closure at line \(line + 3), inline, at once
        """)
  }

  @Test func `operators in a row are named up to the one that emits`() {
    let clock = ManualClock()
    let held = DispatchQueue(label: "held")
    held.suspend()
    let both = merge(game.scored, game.scored)
    let late = both.debounce(for: .seconds(1), clock: clock).connect(on: .inline) { _ in }
    both.prefix(9).buffering(.newest(9)).connect(on: held) { _ in }
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(
      trace.emissions[0].deliveries.map(\.slot)
        == ["merge → debounce", "merge → debounce", "merge → prefix", "merge → prefix"])
    #expect(trace.emissions[0].deliveries.allSatisfy { $0.place == "inline" })
    late.cancel()
    held.resume()
  }

  @Test(arguments: ["delay", "debounce", "throttle", "collect"])
  func `what an operator of time sends late is caused by what it had`(name: String) async {
    let clock = ManualClock()
    let late = LateClock(clock: clock)
    let slot =
      switch name {
      case "delay": game.scored.delay(for: .seconds(2), clock: late).connect(on: .inline) { _ in }
      case "debounce":
        game.scored.debounce(for: .seconds(2), clock: late).connect(on: .inline) { _ in }
      case "throttle":
        game.scored.throttle(for: .seconds(2), clock: late).connect(on: .inline) { _ in }
      default: game.scored.collect(for: .seconds(2), clock: late).connect(on: .inline) { _ in }
      }
    let trace = await SignalTrace(of: game) {
      game.score(1)
      clock.advance(by: .seconds(1))
      game.score(2)
      // Until then, its task may find the payload due, and send it.
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      game.score(3)
    }

    let causes = trace.emissions.filter { $0.signal == name }.map(\.cause?.emission)
    let scored = trace.emissions.indices.filter { trace.emissions[$0].signal == "Game.scored" }
    let expected =
      switch name {
      case "delay": [0, 1]
      case "throttle": [0, 1, 2]
      default: [1]
      }
    #expect(causes == expected.map { scored[$0] })
    slot.cancel()
  }

  @Test func `what an operator of time drops causes nothing, and says why`() async {
    let clock = ManualClock()
    let late = LateClock(clock: clock)
    let slot = game.scored.delay(for: .seconds(2), clock: late).connect(on: .inline) { _ in }
    let trace = await SignalTrace(of: game) {
      game.score(1)
      slot.suspend()
      game.score(2)
      slot.resume()
      game.score(3)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(2))
      game.score(4)
    }

    #expect(trace.emissions.filter { $0.signal == "delay" }.map(\.cause?.emission) == [0, 2])
    #expect(
      trace.emissions[..<3].map(\.deliveries.first?.outcome)
        == [.atOnce, .dropped(.suspended), .atOnce])
    slot.cancel()
  }

  @Test func `a signal that one of the objects is bound to is recorded by itself, too`() {
    let (mirror, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let bonds = [game.scored.bind(to: mirror), mirror.signal.bind(to: second)]
    for emitter in [mirror, second] {
      #expect(SignalTrace(of: game) { emitter.invoke(1) }.emissions.count > 0)
    }
    #expect(SignalTrace(of: game.scored) { second.invoke(1) }.emissions.count == 1)
    for bond in bonds { bond.cancel() }
  }

  @Test func `an inner emission of the same signal delivers what the outer one owes`() {
    let box = Box()
    game.scored.connect(on: .inline) { [weak game] score in if score == 1 { game?.score(2) } }
    game.scored.connect(on: .inline) { score in box.scores.append(score) }
    let trace = SignalTrace(of: game) { game.score(1) }

    #expect(box.scores == [1, 2])
    #expect(trace.emissions.map(\.cause?.emission) == [nil, 0])
    #expect(trace.emissions.map(\.deliveries.count) == [2, 2])
  }

  @Test func `what an emission of another thread delivers after the block is not recorded`() {
    let box = Box()
    let (hasBegun, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    game.scored.connect(on: .inline) { _ in
      hasBegun.signal()
      mayReturn.wait()
    }
    game.scored.connect(on: .inline) { score in box.scores.append(score) }
    let queue = DispatchQueue(label: "another thread")
    let trace = SignalTrace(of: game) {
      queue.async { [game] in game.score(1) }
      hasBegun.wait()
    }
    mayReturn.signal()
    queue.sync {}

    #expect(box.scores == [1])
    #expect(trace.emissions.map(\.deliveries.count) == [1])
  }

  @Test func `a slot that such an emission finds after the block is not followed`() {
    let (hasBegun, mayReturn) = (Gate(), Gate())
    let queue = DispatchQueue(label: "another thread")
    var late: SignalObserver?
    let trace = SignalTrace(of: game) {
      game.scored.connect(on: .inline) { _ in
        hasBegun.open()
        mayReturn.pass()
      }
      late = game.scored.connect(on: queue) { _ in }
      queue.async { [game] in game.score(1) }
      hasBegun.pass()
    }
    mayReturn.open()
    queue.sync {}

    #expect(trace.emissions.map(\.deliveries.count) == [1])
    #expect(late?.mailbox != nil)
    #expect(late?.lineMailbox?.tracer == nil)
  }

  @Test func `what makes way is dropped after what takes its place was sent`() {
    let (queue, hold, reached) = (DispatchQueue(label: "q\n1"), Gate(), Gate())
    game.scored.buffering(.newest(1)).connect(on: queue) { _ in }
    let line = #line - 1
    queue.async {
      reached.open()
      hold.pass()
    }
    reached.pass()
    let trace = SignalTrace(of: game) { for score in 1...2 { game.score(score) } }
    hold.open()

    #expect(
      text(trace, trace.mermaid).split(separator: "\n").suffix(4) == [
        "  p0->>p1: 1", "  p0->>p1: 2", "  p1-xp2: 1, queue #quot;q<br>1#quot;, dropped: displaced",
        "  p1--)p2: 2, queue #quot;q<br>1#quot;, waiting",
      ], "line \(line)")
  }

  @Test func `connections that are made and ended in the block are recorded`() {
    let trace = SignalTrace(of: game) {
      game.score(1)
      let first = game.scored.connect(on: .inline) { _ in }
      game.scored.connect(on: .inline) { _ in }
      game.score(2)
      first.cancel()
      game.score(3)
      #expect(game.scored.slotCount == 1)
      #expect(game.scored.connections.count == 1)
    }

    #expect(trace.emissions.map(\.deliveries.count) == [0, 2, 1])
    game.score(4)
    #expect(game.scored.slotCount == 1)
    #expect(trace.emissions.count == 3)
  }

  @Test func `many connections end as they do without a trace`() {
    let box = Box()
    let observers = (0..<100).map { number in
      game.scored.connect(on: .inline) { _ in box.scores.append(number) }
    }
    _ = SignalTrace(of: game) {
      for observer in observers where observer != observers[50] { observer.cancel() }
      game.score(0)
    }
    game.score(0)

    #expect(box.scores == [50, 50])
    observers[50].cancel()
    #expect(game.scored.slotCount == 0)
  }

  @Test func `an emission in the block pays for no connections that have ended`() {
    let kept = game.scored.connect(on: .inline) { _ in }
    game.scored.connect(on: .inline) { _ in }
    let trace = SignalTrace(of: game) {
      for _ in 0..<1000 { game.scored.connect(on: .inline) { _ in }.cancel() }
      let many = (0..<1000).map { _ in game.scored.connect(on: .inline) { _ in } }
      for observer in many { observer.cancel() }
      kept.cancel()
      #expect(game.scored.list.snapshot.connections.count < 32)
      game.score(1)
    }

    #expect(trace.emissions.map(\.deliveries.count) == [1])
    #expect(game.scored.list.snapshot.connections.count < 32)
  }

  @Test func `signals of an object have the names of its properties where bindings lead to them`() {
    let pair = Pair()
    let trace = SignalTrace(of: pair) { pair.first = 5 }

    #expect(pair.second == 5)
    #expect(trace.emissions.map(\.signal) == ["Pair.first", "Pair.second"])
  }

  @Test func `a value is recorded, and an emitter may die in the block`() {
    var model: Model? = Model()
    let spy = SignalSpy<Int>()
    let signal = model.map { $0.$count }
    signal?.connect(on: .inline) { spy.record($0) }
    let trace = SignalTrace(of: model as Any) {
      model?.count = 5
      model = nil
    }

    #expect(spy.payloads == [0, 5])
    #expect(trace.emissions.map(\.signal) == ["Model.count"])
    #expect(outcomes(trace, 0) == ["at once"])
  }

  @Test func `a block that throws ends the trace, also if it waits`() async {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try SignalTrace(of: game) { throw Failure() } }
    await #expect(throws: Failure.self) {
      try await SignalTrace(of: game) {
        await Task.yield()
        throw Failure()
      }
    }
    let trace = SignalTrace(of: game) { game.score(1) }
    #expect(trace.emissions.count == 1)
  }

  @Test func `a signal is left to the trace that records it already`() {
    var inner: SignalTrace?
    let outer = SignalTrace(of: game) { inner = SignalTrace(of: game, board) { game.score(1) } }

    #expect(outer.emissions.count == 1)
    #expect(inner?.emissions.count == 0)

    // The end of the inner one does not end the outer one.
    let both = SignalTrace(of: game) {
      _ = SignalTrace(of: game) {}
      game.score(2)
    }
    #expect(both.emissions.count == 1)
  }

  /// The text without the thread, which is not the main one in tests.
  private func text(_ trace: SignalTrace, _ text: String? = nil) -> String {
    let lines = (text ?? trace.description).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { $0.split(separator: ", on thread ")[0] }.joined(separator: "\n")
  }

  private func outcomes(_ trace: SignalTrace, _ emission: Int) -> [String] {
    trace.emissions[emission].deliveries.map { delivery in
      switch delivery.outcome {
      case .later: "later"
      case .dropped(.deadTarget): "dead"
      case .dropped(let reason): "\(reason)"
      case .atOnce, .waiting: "\(delivery.outcome)"
      }
    }
  }
}

/// `@unchecked Sendable`: an emitter is never replaced.
private final class Game: @unchecked Sendable {
  @EmitterArg<Int> var scored
  @EmitterVoid var ended

  func score(_ number: Int) { _scored.invoke(number) }
  func end() { _ended.invoke() }
}

private final class Board: @unchecked Sendable {
  @EmitterArg<Int> var changed
  // Only the tests' slots use it, one after the other.
  private var counted = 0

  func count(_: Int) {
    counted += 1
    _changed.invoke(counted)
  }
}

private final class Model {
  @EmitterValue var count = 0

  var storage: EmitterValue<Int> { _count }
}

private final class Pair {
  @EmitterValue var first = 0
  @EmitterValue var second = 0

  var storage: EmitterValue<Int> { _first }

  init() { $first.bind(to: _second) }
}

private actor Clerk {
  let game: Game

  init(_ game: Game) { self.game = game }

  func note(_: Int) async {
    await Task.yield()
    await Task { [game] in game.end() }.value
  }
}

/// `@unchecked Sendable`: one thread uses it at a time.
private final class Box: @unchecked Sendable {
  var observer: SignalObserver?
  var scores: [Int] = []
}

private struct Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  func pass() {
    if semaphore.wait(timeout: .now() + 60) == .timedOut { Issue.record("nobody opened the gate") }
  }
}

/// Waits where waiting blocks no task.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "waiting").async {
      body()
      continuation.resume()
    }
  }
}

/// A clock that wakes nobody: what is due is sent by the next emission.
private struct LateClock: Clock {
  let clock: ManualClock

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline.advanced(by: .seconds(1_000_000)))
  }
}
