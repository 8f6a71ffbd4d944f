import Foundation
import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ModifyTests {
  @Test func `modify reads and sets in one step and returns a result`() {
    let value = EmitterValue([1])
    let (trace, _) = value.signal.traced()
    let last = value.modify { $0.removeLast() }
    #expect(last == 1)
    #expect(trace.entries == [[1], []])
  }

  @Test func `modify of a value kept elsewhere is two steps, and overwrites a set in between`() {
    let kept = Box(1)
    let value = EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 })
    let seen = Trace<Int>()
    value.modify {
      seen.add($0)
      value.set(10)
      $0 += 1
    }
    #expect(seen.entries == [1])
    #expect(kept.value == 2)
  }

  @Test func `modify that throws sets nothing`() {
    struct Refusal: Error {}
    let value = EmitterValue(1)
    let (trace, _) = value.signal.traced()
    #expect(throws: Refusal.self) {
      try value.modify { (number: inout Int) throws(Refusal) in
        number = 2
        throw Refusal()
      }
    }
    #expect(value.value == 1)
    #expect(trace.entries == [1])
  }

  @Test func `modify runs once, and whoever reads or sets the value meanwhile waits`() {
    let value = EmitterValue(1)
    let (runs, read) = (Trace<Int>(), Box<Int>())
    let (current, changes) = (Trace<Int>(), Trace<[Int]>())
    var others: [RunningThread] = []
    value.modify { number in
      runs.add(number)
      others = [
        RunningThread { read.value = value.value },
        RunningThread { value.modify { $0 += 100 } },
        RunningThread { value.signal.connect(on: .inline) { current.add($0) } },
        RunningThread { value.signal.changes.connect(on: .inline) { changes.add([$0, $1]) } },
      ]
      while value.signal.worklist.read({ $0.waiting.count }) < others.count { sched_yield() }
      number += 1
    }
    for other in others { other.join() }
    #expect(runs.entries == [1])
    #expect([2, 102].contains(read.value))
    #expect(value.value == 102)
    #expect(current.entries.last == 102)
    #expect([[], [[2, 102]]].contains(changes.entries))
  }

  @Test func `a set waits for a change in place, and follows it`() {
    let value = EmitterValue(1)
    let (trace, _) = value.signal.traced()
    var other: RunningThread?
    value.modify { number in
      other = RunningThread { value.set(10) }
      number += 1
    }
    other?.join()
    #expect(trace.entries == [1, 2, 10])
  }

  @Test func `a value kept elsewhere is read and set by a change of its property`() {
    let kept = Box(1)
    let value = EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 })
    let (trace, _) = value.signal.traced()
    value.value += 1
    #expect(kept.value == 2)
    #expect(trace.entries == [1, 2])
  }

  @Test func `a set that waits for a change in place is delivered once`() {
    let (value, trace, setter) = (EmitterValue(0), Trace<Int>(), Box<RunningThread>())
    value.signal.changes.connect(on: .inline) { trace.add($1) }
    value.modify { number in
      setter.value = RunningThread { value.set(2) }
      while value.signal.worklist.read({ $0.waiting.isEmpty }) { sched_yield() }
      number = 1
    }
    setter.value?.join()
    #expect(trace.entries == [1, 2])
  }

  @Test func `a value that is used inside its own change stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let value = EmitterValue(1)
      value.modify { $0 = value.value }
    }
    await #expect(processExitsWith: .failure) {
      let value = EmitterValue(1)
      value.modify { _ in value.set(2) }
    }
    await #expect(processExitsWith: .failure) {
      let value = EmitterValue(1)
      value.modify { _ in _ = value.signal.connect(on: .inline) { _ in } }
    }
  }

  @Test func `a bond that has ended leaves changes in place without a copy`() {
    let (model, other) = (Model(), EmitterValue(Counted()))
    model.bond(to: other).cancel()
    other.set(Counted())
    model.counted.change()
    let copies = model.counted.copies
    for _ in 0..<100 { model.counted.change() }
    #expect(model.counted.copies == copies)
  }

  /// A value that counts its copies.
  private struct Counted: Sendable {
    private final class Storage: Sendable {}
    private var storage = Storage()
    var copies = 0
    var changes = 0

    mutating func change() {
      if !isKnownUniquelyReferenced(&storage) { (storage, copies) = (Storage(), copies + 1) }
      changes += 1
    }
  }

  // Unchecked: the wrappers are variables, which nobody replaces.
  private final class Model: @unchecked Sendable {
    @EmitterValue var counted = Counted()
    @EmitterValue var table: [String: Int] = [:]

    func modify() { _counted.modify { $0.change() } }
    func bond(to other: EmitterValue<Counted>) -> SignalObserver { _counted.bond(givingTo: other) }
  }

  @Test func `changes of a property and modify copy nothing`() {
    let model = Model()
    let calls = Calls()
    model.$counted.connect(on: .inline) { _ in calls.add() }
    // The one that made the model may still have the initial value.
    model.counted.change()
    let copies = model.counted.copies
    for _ in 0..<100 {
      model.counted.change()
      model.modify()
    }
    #expect(model.counted.changes == 201)
    #expect(model.counted.copies == copies)
    #expect(calls.count == 202)
    model.$counted.cancelObservers(of: model)
    model.table["a", default: 0] += 1
    model.table["a", default: 0] += 1
    #expect(model.table == ["a": 2])
  }

  @Test func `a slot of changes gets the value before each change in place`() {
    let value = EmitterValue([0])
    let trace = Trace<[[Int]]>()
    value.signal.changes.connect(on: .inline) { trace.add([$0, $1]) }
    value.value.append(1)
    value.modify { $0.append(2) }
    value.signal.cancelObservers(of: trace)
    #expect(trace.entries == [[[0], [0, 1]], [[0, 1], [0, 1, 2]]])
  }

  @Test func `threads that change a property in place lose nothing`() {
    let model = Model()
    onThreads(4) { _ in
      for number in 0..<500 { model.table["\(number)", default: 0] += 1 }
    }
    #expect(model.table.count == 500)
    #expect(model.table.values.allSatisfy { $0 == 4 })
  }

  @Test func `threads that modify lose nothing`() async {
    let value = EmitterValue(0)
    let (trace, _) = value.signal.traced()
    onThreads(4) { _ in
      for _ in 0..<1000 { value.modify { $0 += 1 } }
    }
    #expect(await trace.entries(4001) == Array(0...4000))
  }
}
