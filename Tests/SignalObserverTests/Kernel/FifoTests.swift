import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(1))) struct FifoTests {
  @Test(arguments: [1, 3, 128, 129, 1000])
  func `elements are taken out in the order in which they were added`(_ step: Int) {
    var fifo = Fifo<Int>()
    var taken: [Int] = []
    for number in 0..<2000 {
      fifo.append(number)
      if number % step == step - 1 {
        for _ in 0..<(step + 1) / 2 { if let first = fifo.popFirst() { taken.append(first) } }
      }
    }

    #expect(fifo.count == 2000 - taken.count)
    #expect(fifo.first == (fifo.isEmpty ? nil : taken.count))
    #expect(fifo.elements == Array(taken.count..<2000))
    while let first = fifo.popFirst() { taken.append(first) }
    #expect(taken == Array(0..<2000))
    #expect(fifo.isEmpty)
    #expect(fifo.count == 0)
    #expect(fifo.first == nil)
  }

  @Test(arguments: [1, 64, 100, 127, 128])
  func `the oldest elements are moved to the end of another fifo`(_ count: Int) {
    var (fifo, other) = (Fifo<Int>(), Fifo<Int>())
    for number in 0..<1280 { fifo.append(number) }
    var taken: [Int] = []

    while !fifo.isEmpty {
      for _ in 0..<2 { fifo.move(min(count, fifo.count), to: &other) }
      while let first = other.popFirst() { taken.append(first) }
    }

    #expect(taken == Array(0..<1280))
  }

  @Test func `elements that were put back are the oldest`() {
    var fifo = Fifo<Int>()
    for number in 0...3 { fifo.append(number) }

    var chunk = fifo.takeFront()
    fifo.append(4)
    #expect(chunk.popLast() == 0)
    fifo.putBack(chunk)

    #expect(fifo.elements == [1, 2, 3, 4])
    #expect(fifo.popFirst() == 1)
  }

  @Test func `an element that was taken out is released, and others are not`() {
    let census = Census()
    var fifo = Fifo<Lifetime>()
    for _ in 0..<1000 { fifo.append(census.member()) }

    for _ in 0..<600 { _ = fifo.popFirst() }
    #expect(census.alive == 400)
    var other = Fifo<Lifetime>()
    fifo.move(300, to: &other)
    #expect(census.alive == 400)
    other = Fifo()

    #expect(census.alive == 100)
  }

  @Test func `an empty fifo keeps room for 96 bytes in each of its arrays`() {
    var fifo = Fifo<Int>()
    var other = Fifo<Int>()
    for number in 0..<10_000 { fifo.append(number) }
    while fifo.popFirst() != nil {}

    for _ in 0..<100 { fifo.append(0) }
    fifo.move(100, to: &other)

    #expect(fifo.front.capacity * 8 <= 96)
    #expect(fifo.back.capacity * 8 <= 96)
    #expect(fifo.older.capacity == 0)
    #expect(fifo.newer.capacity == 0)
  }

  @Test func `large elements lie in small chunks`() {
    #expect(Fifo<Int>.chunkCount == 128)
    #expect(Fifo<(SIMD64<Int64>, SIMD64<Int64>)>.chunkCount == 8)
    #expect(Fifo<Void>.chunkCount == 128)
  }
}

extension Fifo {
  /// The elements, in order.
  fileprivate var elements: [Element] {
    front.reversed() + older.reversed().joined() + newer.joined() + back
  }
}
