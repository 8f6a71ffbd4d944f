import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// A clock that nobody moves.
///
/// Lives as long as the process, since so do the tasks that wait for it.
private let standstill = ManualClock()

/// An operator, with what it is to send of a few numbers that are not equal.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let apply: @Sendable (Signal<Int>) -> any SignalSource<Int>
  var expected: @Sendable ([Int]) -> [Int] = { $0 }
  /// What it sends if the slot has missed the first number and that matters.
  var missed: (@Sendable ([Int]) -> [Int])?

  static let all = [
    OperatorCase(testDescription: "map") {
      $0.map { $0 * 2 }
    } expected: {
      $0.map { $0 * 2 }
    },
    OperatorCase(testDescription: "compactMap") {
      $0.compactMap { $0 > 1 ? $0 : nil }
    } expected: {
      $0.filter { $0 > 1 }
    },
    OperatorCase(testDescription: "filter") {
      $0.filter { $0 % 2 == 0 }
    } expected: {
      $0.filter { $0 % 2 == 0 }
    },
    OperatorCase(testDescription: "removeDuplicates") { $0.removeDuplicates() },
    OperatorCase(testDescription: "scan") {
      $0.scan(0) { $0 + $1 }
    } expected: { numbers in
      numbers.indices.map { numbers[...$0].reduce(0, +) }
    },
    OperatorCase(testDescription: "reductions(into:)") {
      $0.reductions(into: 0) { $0 += $1 }
    } expected: { numbers in
      numbers.indices.map { numbers[...$0].reduce(0, +) }
    } missed: { numbers in
      numbers.indices.dropFirst().map { numbers[...$0].reduce(0, +) }
    },
    OperatorCase(testDescription: "zip") {
      $0.zip($0.dropFirst(0)).map { $0 + $1 }
    } expected: {
      $0.map { $0 * 2 }
    },
    OperatorCase(testDescription: "prefix(until:)") { $0.prefix(until: $0.filter { _ in false }) },
    OperatorCase(testDescription: "pairwise") {
      $0.pairwise().map { $0 * 10 + $1 }
    } expected: {
      zip($0, $0.dropFirst()).map { $0 * 10 + $1 }
    },
    OperatorCase(testDescription: "dropFirst") {
      $0.dropFirst()
    } expected: {
      Array($0.dropFirst())
    },
    OperatorCase(testDescription: "prefix") {
      $0.prefix(2)
    } expected: {
      Array($0.prefix(2))
    },
    OperatorCase(testDescription: "prefix(while:)") { $0.prefix { $0 < 100 } },
    OperatorCase(testDescription: "prefix(for:)") {
      $0.prefix(for: .seconds(1), clock: standstill)
    },
    OperatorCase(testDescription: "merge") { merge($0) },
    OperatorCase(testDescription: "combineLatest") {
      combineLatest($0, $0.dropFirst(0)).map { $1 }
    } expected: {
      // Both sides send each number, and the second one has seen it only the second time.
      var sent: [Int] = []
      for (index, number) in $0.enumerated() {
        if index > 0 { sent.append($0[index - 1]) }
        sent.append(number)
      }
      return sent
    } missed: {
      [$0[0], $0[1], $0[1], $0[2], $0[2], $0[3]]
    },
    OperatorCase(testDescription: "throttle") {
      $0.throttle(for: .seconds(1), clock: standstill)
    } expected: {
      Array($0.prefix(1))
    },
    OperatorCase(testDescription: "collect") { $0.collect(1).map { $0[0] } },
    OperatorCase(testDescription: "replay") { $0.replay(5) },
  ]

  /// Those that send nothing before a time has passed, which `TimeTests` has the other laws of.
  static let later = [
    OperatorCase(testDescription: "debounce") {
      $0.debounce(for: .seconds(1), clock: ManualClock())
    },
    OperatorCase(testDescription: "delay") { $0.delay(for: .seconds(1), clock: ManualClock()) },
  ]
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorLawTests {
  let emitter = EmitterArg<Int>()

  final class Target: Sendable {
    let trace = Trace<Int>()
    func receive(_ number: Int) { trace.add(number) }
  }

  @Test(arguments: OperatorCase.all)
  func `an operator sends what it says, in order`(_ each: OperatorCase) {
    let (trace, _) = each.apply(emitter.signal).traced()
    for number in [3, 1, 2, 4] { emitter.invoke(number) }
    #expect(trace.entries == each.expected([3, 1, 2, 4]))
  }

  @Test(arguments: OperatorCase.all)
  func `an operator keeps the order on a queue`(_ each: OperatorCase) async {
    let queue = DispatchQueue(label: "operators", attributes: .concurrent)
    let trace = Trace<Int>()
    each.apply(emitter.signal).connect(on: queue) { trace.add($0) }
    for number in [3, 1, 2, 4] { emitter.invoke(number) }
    let expected = each.expected([3, 1, 2, 4])
    #expect(await trace.entries(expected.count) == expected)
  }

  @Test(arguments: OperatorCase.all + OperatorCase.later)
  func `an operator holds no target, and ends with it`(_ each: OperatorCase) {
    var target: Target? = Target()
    @Weakly var kept = target
    let trace = target!.trace
    let observer = each.apply(emitter.signal).connect(target!, Target.receive, .inline)
    target = nil
    #expect(kept == nil)
    emitter.invoke(1)
    #expect(trace.entries.isEmpty)
    #expect(observer.isCancelled)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: OperatorCase.all + OperatorCase.later)
  func `20. Cancelling releases the slot and all that feeds it`(_ each: OperatorCase) {
    var witness: Lifetime? = Lifetime()
    @Weakly var captured = witness
    let observer = each.apply(emitter.signal).connect(on: .inline) { [witness] _ in witness?.use() }
    witness = nil
    emitter.invoke(1)
    #expect(captured != nil)
    observer.cancel()
    #expect(captured == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test(arguments: OperatorCase.all)
  func `what is emitted while suspended is dropped`(_ each: OperatorCase) {
    let (trace, observer) = each.apply(emitter.signal).traced()
    observer.suspend()
    emitter.invoke(7)
    #expect(observer.isSuspended)
    #expect(trace.entries.isEmpty)
    observer.resume()
    #expect(trace.entries.isEmpty)
    for number in [2, 4, 6] { emitter.invoke(number) }
    #expect(trace.entries == (each.missed?([7, 2, 4, 6]) ?? each.expected([2, 4, 6])))
  }

  @Test(arguments: OperatorCase.all)
  func `connections to one source do not share state`(_ each: OperatorCase) {
    let source = each.apply(emitter.signal)
    let (first, _) = source.traced()
    if each.testDescription != "replay" { emitter.invoke(9) }
    let (second, _) = source.traced()
    for number in [3, 1, 2] { emitter.invoke(number) }
    #expect(second.entries == each.expected([3, 1, 2]))
    let all = each.testDescription == "replay" ? [3, 1, 2] : [9, 3, 1, 2]
    #expect(first.entries == each.expected(all))
  }

  @Test(arguments: OperatorCase.all + OperatorCase.later)
  func `20. The death of the emitter ends the connection`(_ each: OperatorCase) {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    var witness: Lifetime? = Lifetime()
    @Weakly var captured = witness
    let source = each.apply(emitter!.signal)
    let observer = source.connect(on: .inline) { [witness] _ in witness?.use() }
    witness = nil
    emitter = nil
    #expect(observer.isCancelled)
    #expect(captured == nil)
  }

  @Test(arguments: OperatorCase.all)
  func `a slot may cancel its own connection`(_ each: OperatorCase) {
    let holder = Trace<SignalObserver>()
    let trace = Trace<Int>()
    let source = each.apply(emitter.signal)
    holder.add(
      source.connect(on: .inline) {
        trace.add($0)
        holder.entries.first?.cancel()
      })
    for number in [2, 4, 6, 8] { emitter.invoke(number) }
    #expect(trace.entries.count == 1)
    #expect(emitter.signal.slotCount == (each.testDescription == "replay" ? 1 : 0))
  }

  @Test(arguments: OperatorCase.all + OperatorCase.later)
  func `dead targets do not accumulate on a signal that never emits`(_ each: OperatorCase) {
    let source = each.apply(emitter.signal)
    var witnesses: [() -> Lifetime?] = []
    for _ in 0..<200 {
      let target = Target()
      let witness = Lifetime()
      witnesses.append { [weak witness] in witness }
      source.connect(target, on: .inline) { [witness] _, _ in witness.use() }
    }
    #expect(witnesses.count { $0() != nil } <= 100)
  }
}
