import SignalObserver
import SignalObserverTesting
import Testing

/// The recipes of the article "Operators", which are compiled into these tests from the snippets.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct RecipeTests {
  let first = EmitterArg<Int>()
  let second = EmitterArg<Int>()

  /// Cancels, and says whether the sources have slots left.
  private func isNothingLeft(_ observer: SignalObserver) -> Bool {
    #expect(first.signal.slotCount + second.signal.slotCount > 0)
    observer.cancel()
    return first.signal.slotCount + second.signal.slotCount == 0
  }

  @Test func `withLatest sends each payload with the latest of the other source`() {
    let (trace, observer) = first.signal.withLatest(from: second.signal).map { [$0, $1] }.traced()

    first.invoke(1)
    second.invoke(10)
    first.invoke(2)
    second.invoke(20)
    second.invoke(30)
    first.invoke(3)

    #expect(trace.entries == [[2, 10], [3, 30]])
    #expect(isNothingLeft(observer))
  }

  @Test func `sample sends the latest payload, once`() {
    let (trace, observer) = first.signal.sample(on: second.signal).traced()

    second.invoke(0)
    first.invoke(1)
    first.invoke(2)
    second.invoke(0)
    second.invoke(0)
    first.invoke(3)
    second.invoke(0)

    #expect(trace.entries == [2, 3])
    #expect(isNothingLeft(observer))
  }

  @Test func `start sends a payload on connecting`() {
    let (trace, observer) = first.signal.start(with: 0).traced()

    first.invoke(1)

    #expect(trace.entries == [0, 1])
    #expect(isNothingLeft(observer))
  }

  @Test func `flatMapLatest sends what the latest inner source sends`() {
    let inner = (0..<3).map { EmitterValue($0 * 10) }
    let (trace, observer) = first.signal.flatMapLatest { inner[$0].signal }.traced()

    first.invoke(0)
    inner[0].set(1)
    first.invoke(1)
    inner[0].set(2)
    inner[1].set(11)

    #expect(trace.entries == [0, 1, 10, 11])
    #expect(inner.map(\.signal.slotCount) == [0, 1, 0])
    #expect(isNothingLeft(observer))
    #expect(inner.map(\.signal.slotCount) == [0, 0, 0])
  }

  @Test func `flatMapLatest follows the latest inner source, though a slot has chosen it`() {
    let inner = (0..<2).map { EmitterValue($0 * 10) }
    let chosen = EmitterValue(1)
    let trace = Trace<Int>()
    chosen.signal.flatMapLatest { inner[$0].signal }.connect(on: .inline) { number in
      trace.add(number)
      if number == 0 { chosen.set(1) }
    }

    chosen.set(0)
    inner[0].set(5)
    inner[1].set(11)

    #expect(trace.entries == [10, 0, 10, 11])
    #expect(inner.map(\.signal.slotCount) == [0, 1])
  }

  @Test func `flatMapLatest ends when the sources have ended`() {
    var (outer, inner): (EmitterArg<Int>?, EmitterArg<Int>?) = (EmitterArg<Int>(), EmitterArg())
    let signal = inner!.signal
    let (trace, observer) = outer!.signal.flatMapLatest { _ in signal }.traced()
    outer?.invoke(0)

    outer = nil
    inner?.invoke(1)
    #expect(trace.entries == [1])
    #expect(!observer.isCancelled)
    inner = nil

    #expect(observer.isCancelled)
  }

  @Test func `switchToLatest sends what the latest source sends`() {
    let sources = EmitterArg<Signal<Int>>()
    let (trace, observer) = sources.signal.switchToLatest().traced()

    sources.invoke(first.signal)
    first.invoke(1)
    sources.invoke(second.signal)
    first.invoke(2)
    second.invoke(3)

    #expect(trace.entries == [1, 3])
    #expect(isNothingLeft(observer))
    #expect(sources.signal.slotCount == 0)
  }

  @Test func `a timeout ends the connection when nothing has been sent for a time`() async {
    let clock = ManualClock()
    for count in 0...1 {
      let source = first.signal.timeout(after: .seconds(3), clock: clock)
      let (trace, observer) = source.traced()
      for number in 0..<count {
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        first.invoke(number)
      }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(2))
      #expect(!observer.isCancelled)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))

      await until("the end of the connection") { first.signal.slotCount == 0 }
      first.invoke(9)
      #expect(observer.isCancelled)
      #expect(trace.entries == Array(0..<count))
    }
  }

  @Test func `sharing is one connection, as long as the emitter lives`() {
    let trace = Trace<Int>()
    var shared: EmitterArg<Int>? = share(first.signal)
    shared?.signal.connect(on: .inline) { trace.add($0) }
    shared?.signal.connect(on: .inline) { trace.add(-$0) }
    #expect(first.signal.slotCount == 1)

    first.invoke(1)
    shared = nil
    first.invoke(2)

    #expect(trace.entries == [1, -1])
    #expect(first.signal.slotCount == 0)
  }

  @MainActor
  @Test func `a total follows children that come and go`() {
    let (cart, apple, pear) = (Cart(), Item(), Item())
    (apple.price, pear.price) = (1, 2)
    #expect(cart.total == 0)
    cart.items = [apple, pear]
    #expect(cart.total == 3)
    pear.price = 5
    #expect(cart.total == 6)
    cart.items = [apple]
    pear.price = 7
    #expect(cart.total == 1)
    #expect(pear.$price.slotCount == 0)
    cart.items = []
    #expect(cart.total == 0)
    cart.items = [pear]
    #expect(cart.total == 7)
  }
}
