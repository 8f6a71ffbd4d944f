import SignalObserver
import Testing

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

  @Test func `modify begins again with a value that was set meanwhile`() {
    let value = EmitterValue(1)
    let seen = Trace<Int>()
    value.modify {
      seen.add($0)
      if $0 == 1 { value.set(10) }
      $0 += 1
    }
    #expect(seen.entries == [1, 10])
    #expect(value.value == 11)
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
