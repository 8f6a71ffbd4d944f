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

  @Test(arguments: [1, 4, 12, 13, 128, 129, 300, 10_000])
  func `an empty fifo keeps one array, with room for 96 bytes at most`(_ count: Int) {
    var (fifo, other) = (Fifo<Int>(), Fifo<Int>())
    for number in 0..<count { fifo.append(number) }
    while fifo.popFirst() != nil {}
    for number in 0..<count { fifo.append(number) }
    // Of two that are in use, one is small.
    _ = fifo.popFirst()
    fifo.append(0)
    fifo.move(count, to: &other)
    while other.popFirst() != nil {}

    for fifo in [fifo, other] {
      #expect(fifo.isEmpty)
      #expect(fifo.front.capacity == 0)
      #expect(fifo.older.capacity == 0)
      #expect(fifo.newer.capacity == 0)
      #expect(fifo.back.capacity * 8 <= 96)
    }
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
