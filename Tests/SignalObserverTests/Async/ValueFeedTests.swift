import Testing

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueFeedTests {
  private let feed = ValueFeed<Int>(.unbounded)

  @Test func `a feed that has ended takes no payloads`() async {
    let id = feed.makeConsumer()
    feed.receive(1)
    feed.finish()
    feed.receive(2)

    #expect(await feed.next(id, isolation: nil) == 1)
    #expect(await feed.next(id, isolation: nil) == nil)
  }

  @Test func `a payload that is sent while its consumer begins to wait is not lost`() async {
    let (id, rounds, feed) = (feed.makeConsumer(), 5000, feed)
    let expected = Box(0)
    let producer = RunningThread {
      for round in 1...rounds {
        while expected.value.map({ $0 < round }) == true {}
        feed.receive(round)
      }
    }
    var round = 0
    repeat {
      round += 1
      expected.value = round
    } while await feed.next(id, isolation: nil) == round && round < rounds
    #expect(round == rounds)

    // Lets the thread end.
    expected.value = rounds
    producer.join()
  }
}
