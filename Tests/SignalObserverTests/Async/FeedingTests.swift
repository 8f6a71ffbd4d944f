import SignalObserver
import Testing
import Turns

@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct FeedingTests {
  @Test func `every element of a sequence is emitted, in order, until it ends`() async {
    let emitter = EmitterArg<Int>()
    let source = Source<Int>()
    let received = emitter.signal.values
    let observer = emitter.invoke(forEach: source.sent.values)
    for number in 1...3 { source.send(number) }
    source.end()

    var iterator = received.makeAsyncIterator()
    var numbers: [Int?] = []
    for _ in 1...3 { numbers.append(await iterator.next()) }
    #expect(numbers == [1, 2, 3])
    await mainQueueSettled()
    #expect(observer.isCancelled)
  }

  @Test func `cancelling the observer stops the feeding and leaves the sequence`() async {
    let emitter = EmitterArg<Int>()
    let source = Source<Int>()
    let observer = emitter.invoke(forEach: source.sent.values)
    await mainQueueSettled()
    #expect([source.sent.slotCount, emitter.signal.slotCount] == [1, 0])
    observer.cancel()

    #expect(source.sent.slotCount == 0)
  }

  @Test func `it takes no more elements once it is cancelled, whatever the sequence does`() async {
    struct Numbers: AsyncSequence, AsyncIteratorProtocol {
      let trace: Trace<Int>
      let observer: Box<SignalObserver>
      var number = 0

      func makeAsyncIterator() -> Numbers { self }

      mutating func next() async -> Int? {
        number += 1
        trace.add(number)
        if number == 3 { observer.value?.cancel() }
        return number < 10 ? number : nil
      }
    }
    let (emitter, trace) = (EmitterArg<Int>(), Trace<Int>())
    var observer: Box<SignalObserver>? = Box()
    // Only the sequence keeps it, and only the task keeps the sequence.
    @Weakly var released = observer
    if let observer {
      observer.value = emitter.invoke(forEach: Numbers(trace: trace, observer: observer))
    }
    observer = nil
    await until("the task to end") { released == nil }

    #expect(trace.entries == [1, 2, 3])
  }

  @Test func `it ends with the emitter, also while it is suspended`() async {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let source = Source<Int>()
    let observer = emitter?.invoke(forEach: source.sent.values)
    await mainQueueSettled()
    observer?.suspend()
    emitter = nil
    source.send(1)
    await mainQueueSettled()

    #expect(source.sent.slotCount == 0)
  }

  @Test func `while it is suspended, elements are taken and dropped`() async {
    let emitter = EmitterArg<Int>()
    let source = Source<Int>()
    let taken = Source<Int>()
    var takings = taken.sent.values.makeAsyncIterator()
    let sequence = source.sent.values.map { number in
      taken.send(number)
      return number
    }
    let observer = emitter.invoke(forEach: sequence)
    observer.suspend()
    var emissions = emitter.signal.values.makeAsyncIterator()
    for number in 1...3 { source.send(number) }
    #expect(await [takings.next(), takings.next(), takings.next()] == [1, 2, 3])
    observer.resume()
    source.send(4)

    // The third was taken, but may be emitted only now.
    var first = await emissions.next()
    if first == 3 { first = await emissions.next() }
    #expect(first == 4)
  }

  @Test func `it does not hold the emitter, and ends with it`() async {
    final class Owner {
      @EmitterArg<Int> var sent

      func follow(_ values: SignalValues<Int>) -> SignalObserver { _sent.invoke(forEach: values) }
    }
    let source = Source<Int>()
    var owner: Owner? = Owner()
    let observer = owner?.follow(source.sent.values)
    @Weakly var released = owner?.sent
    owner = nil

    #expect(released == nil)
    source.send(1)
    await mainQueueSettled()
    #expect(observer?.isCancelled == true)
  }

  @Test func `it emits where it was called`() async {
    let emitter = EmitterArg<Int>()
    let source = Source<Int>()
    let received = Trace<Int>()
    emitter.signal.connect(on: .inline) { number in
      MainActor.preconditionIsolated()
      received.add(number)
    }
    let values = emitter.signal.values
    emitter.invoke(forEach: source.sent.values)
    source.send(1)
    for await _ in values { break }

    #expect(received.entries == [1])
  }

  @Test @Studio func `slots of the actor that feeds run at once`() async {
    let emitter = EmitterArg<Int>()
    let source = Source<Int>()
    let log = Log()
    emitter.signal.connect { @Studio number in log.add("studio \(number)") }
    emitter.signal.connect(on: .inline) { number in log.add("inline \(number)") }
    let values = emitter.signal.values
    emitter.invoke(forEach: source.sent.values)
    source.send(1)
    for await _ in values { break }

    #expect(log.entries == ["studio 1", "inline 1"])
  }
}
