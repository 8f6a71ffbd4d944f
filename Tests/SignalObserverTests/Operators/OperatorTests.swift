import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorTests {
  let emitter = EmitterArg<Int>()

  @Test func `a signal and a value have slots from the first connection to the last one`() {
    let value = EmitterValue(1)
    #expect(!emitter.signal.hasSlots && !value.signal.hasSlots)
    let observers = [emitter.signal.traced().1, value.signal.traced().1]
    #expect(emitter.signal.hasSlots && value.signal.hasSlots)
    for observer in observers { observer.cancel() }
    #expect(!emitter.signal.hasSlots && !value.signal.hasSlots)
  }

  @Test func `nil is a value to every operator that does not say otherwise`() {
    let emitter = EmitterArg<Int?>()
    let sources: [any SignalSource<Int?>] = [
      emitter.signal.map { $0 }, emitter.signal.filter { _ in true },
      emitter.signal.compactMap { .some($0) }, emitter.signal.removeDuplicates(),
      emitter.signal.prefix(9), emitter.signal.dropFirst(0), merge(emitter.signal),
      emitter.signal.pairwise().map { $1 },
      combineLatest(emitter.signal, emitter.signal).map { $1 }.removeDuplicates(),
    ]
    let traces = sources.map { $0.traced().0 }
    for payload in [1, nil, 2] { emitter.invoke(payload) }
    for (index, trace) in traces.enumerated() {
      #expect(trace.entries == (index == 7 ? [nil, 2] : [1, nil, 2]))
    }
  }

  @Test func `duplicates by a function are compared with the last one sent`() {
    let (trace, _) = emitter.signal.removeDuplicates { $1 - $0 < 3 }.traced()
    for number in [1, 2, 3, 4, 6, 7] { emitter.invoke(number) }
    #expect(trace.entries == [1, 4, 7])
  }

  @Test func `comparing may emit`() {
    let emitter = emitter
    defer { emitter.cancelAllObservers() }
    let isNested = Atomic(false)
    let (trace, _) = emitter.signal.removeDuplicates { last, new in
      if new == 2, !isNested.exchange(true, ordering: .relaxed) { emitter.invoke(3) }
      return last == new
    }.traced()
    for number in [1, 2] { emitter.invoke(number) }
    #expect(trace.entries == [1, 3, 2])
  }

  @Test func `scan under threads loses no payload`() {
    let emitter = emitter
    let (trace, _) = emitter.signal.scan(0) { $0 + $1 }.traced()
    onThreads(4) { _ in for _ in 0..<500 { emitter.invoke(1) } }
    #expect(trace.entries.sorted() == Array(1...2000))
  }

  @Test func `pairwise under threads pairs each payload with the one before it`() {
    let emitter = emitter
    let (trace, _) = emitter.signal.pairwise().traced()
    onThreads(4) { index in for number in 0..<500 { emitter.invoke(index * 500 + number) } }
    let (older, newer) = (trace.entries.map(\.0), trace.entries.map(\.1))
    #expect(newer.count == 1999)
    // All but the first are the newer one of a pair, and all but the last the older one.
    #expect(Set(older).count == older.count)
    #expect(Set(newer).count == newer.count)
  }

  @Test func `a failed result is told apart`() {
    struct Failure: Error, Equatable { let code: Int }
    let emitter = EmitterArg<Result<Int, Failure>>()
    let (values, _) = emitter.signal.compactMap { try? $0.get() }.traced()
    let (errors, _) = emitter.signal.compactMap { result -> Failure? in
      if case .failure(let error) = result { error } else { nil }
    }.traced()
    emitter.invoke(.success(1))
    emitter.invoke(.failure(Failure(code: 2)))
    #expect(values.entries == [1])
    #expect(errors.entries == [Failure(code: 2)])
  }

  @Test func `an async slot gets adapted payloads one at a time`() async {
    let trace = Trace<String>()
    emitter.signal.filter { $0 > 1 }.removeDuplicates().map { "\($0)" }
      .connect { text async in
        trace.add(text)
        await Task.yield()
        trace.add("end \(text)")
      }
    for number in [1, 2, 2, 3] { emitter.invoke(number) }
    #expect(await trace.entries(4) == ["2", "end 2", "3", "end 3"])
  }
}
