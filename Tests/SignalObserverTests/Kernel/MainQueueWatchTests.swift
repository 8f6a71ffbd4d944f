import Testing

@testable import SignalObserver

/// A program that runs no main queue is told so: `MainLoopTests` runs one.
@Suite(.serialized, .inTurn) struct MainQueueWatchTests {
  private var watch = MainQueueWatch()
  private let second: UInt64 = 1_000_000_000

  @Test mutating func `it tells once of a wait of two seconds`() {
    let told = [0, 1, 2, 3, 9].map { watch.noteWait(5 + $0 * second) }
    #expect(told == [false, false, true, false, false])
  }

  @Test mutating func `it tells nothing once the queue has run`() {
    var told = [watch.noteWait(5)]
    watch.noteRun()
    told.append(watch.noteWait(5 + 2 * second))
    #expect(told == [false, false])
  }
}
