import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct BlocksTests {
  @Test func `a block that is begun again has all of its room`() {
    var blocks = unsafe Blocks()
    defer { unsafe blocks.free() }
    unsafe blocks.add(100, head: 0, tail: 0)
    let (memory, capacity) = unsafe (blocks[0].memory, blocks[0].capacity)

    #expect(unsafe blocks.restart(at: 1000))

    #expect(unsafe blocks.end == 1000 + capacity)
    #expect(unsafe blocks.address(1000) == memory)
  }

  @Test func `the spare block is the next one`() {
    var blocks = unsafe Blocks()
    defer { unsafe blocks.free() }
    unsafe blocks.add(100, head: 0, tail: 0)
    let memory = unsafe blocks[0].memory
    unsafe blocks.shrink()

    unsafe blocks.add(100, head: 5000, tail: 5000)

    #expect(unsafe blocks[0].memory == memory)
  }

  @Test func `beside a spare block, none is kept to be begun again`() {
    var blocks = unsafe Blocks()
    defer { unsafe blocks.free() }
    unsafe blocks.add(2000, head: 0, tail: 0)
    unsafe blocks.shrink()
    unsafe blocks.add(3000, head: 0, tail: 0)

    #expect(unsafe !blocks.restart(at: 0))
  }
}
