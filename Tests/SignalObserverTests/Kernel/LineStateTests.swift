import Testing

@testable import SignalObserver

/// The steps of a line, without payloads, in the orders in which threads may take them.
struct LineStateTests {
  private let line = Steps()
  private let taker = Taker()
  private let other = Taker()

  @Test func `a drain that meets another one leaves it the work, and that one runs once more`() {
    #expect(line.add(taker).contains(.schedules))
    #expect(line.begin() == 1)
    // The first drain has taken all, so another one is scheduled.
    #expect(line.add(taker).contains(.schedules))
    #expect(line.begin() == 0)
    #expect(line.end())

    // The first one runs again.
    #expect(line.state.isDrainDue)
    #expect(!line.add(taker).contains(.schedules))
    #expect(line.begin() == 2)
    #expect(!line.end())
    #expect(!line.state.isDrainDue)
  }

  @Test func `a drain with more to do runs again, and the last one does not`() {
    for _ in 0...drainLimit { line.add(taker) }

    #expect(line.begin() == drainLimit)
    #expect(line.end())
    #expect(line.begin() == 1)
    #expect(!line.end())
    #expect(line.begin() == 0)
  }

  @Test func `an idle line is scheduled by what is added next`() {
    for _ in 1...3 {
      #expect(line.add(taker).contains(.schedules))
      line.takeAll()
      #expect(!line.state.isDrainDue)
    }
  }

  @Test func `a drain that takes more leaves the drain that is on its way scheduled`() {
    line.add(taker)
    #expect(line.begin() == 1)
    line.add(taker)
    #expect(line.takeMore(1) == 1)
    #expect(line.state.isDrainDue)
    #expect(!line.end())
    #expect(line.state.isDrainDue)

    // The drain finds nothing.
    #expect(line.begin() == 0)
    #expect(!line.state.isDrainDue)
  }

  @Test func `a drain that awaits each call takes what is added until nothing is left`() {
    let line = Steps(awaitsCalls: true)
    line.add(taker)
    #expect(line.begin(1) == 1)

    #expect(!line.add(taker).contains(.schedules))
    #expect(line.takeMore(1) == 1)
    #expect(!line.add(taker).contains(.schedules))
    #expect(line.takeMore(1) == 1)
    #expect(line.takeMore(1) == 0)
    #expect(!line.state.isDrainDue)
  }

  @Test func `turns are in the order of the payloads, and payloads side by side share one`() {
    for _ in 0..<3 { line.add(taker) }
    line.add(other)
    line.add(taker)
    line.add(taker, isHere: true)

    #expect(line.begin() == 6)

    #expect(line.taken.map(\.count) == [3, 1, 1, 1])
    #expect(line.taken.map(\.isHere) == [false, false, false, true])
    _ = line.end()
  }

  @Test func `a connection is kept alive while it has turns`() {
    line.add(taker)
    line.add(taker, isHere: true)
    #expect(taker.holds == 1)
    _ = line.begin(1)
    _ = line.end()
    #expect(taker.holds == 1)
    line.takeAll()
    #expect(taker.holds == 0)
  }

  @Test func `an emission leaves it to a drain in progress to look at targets, but for one in 128`()
  {
    // The number that waits for it may never be a multiple of 128.
    let bounded = Taker(.newest(1))
    #expect(line.add(taker).contains(.mustLook))
    _ = line.begin()

    for number in 1...256 {
      #expect(line.add(taker).contains(.mustLook) == number.isMultiple(of: 128))
      #expect(line.add(bounded).contains(.mustLook))
    }
    _ = line.end()
    line.takeAll()
  }

  @Test func `while much is pending without a bound, an emission looks at targets once in 128`() {
    let bounded = Taker(.newest(2000))
    for number in 1...3000 {
      #expect(line.add(taker).contains(.mustLook) == (number <= 1024 || number.isMultiple(of: 128)))
      #expect(line.add(bounded).contains(.mustLook))
    }
    line.takeAll()
  }

  @Test func `notes that wait do not make displacing slow`() {
    let bounded = Taker(.newest(1))
    for _ in 0..<10_000 {
      line.add(bounded)
      #expect(line.addNote(bounded) != nil)
    }
    let before = bounded.lookCount
    for _ in 0..<10_000 { line.add(bounded) }
    // A look at each of the notes at every hundredth payload would make a million.
    #expect(bounded.lookCount - before < 500_000)
    line.takeAll()
  }

  @Test func `notes of connections that have ended are removed with their payloads`() {
    let ended = (0..<200).map { _ in Taker() }
    for taker in ended {
      line.add(taker)
      for _ in 1...3 { #expect(line.addNote(taker) != nil) }
      _ = line.state.close(taker)
    }
    #expect(ended.count { $0.holds > 0 } < 100)
    line.takeAll()
  }

  // MARK: - Here

  @Test func `what is here waits for nothing that is not, and keeps emissions from overtaking it`()
  {
    line.add(taker)
    #expect(!line.state.pendingBlocks(other))
    #expect(line.state.pendingBlocks(taker))
    line.add(taker, isHere: true)
    #expect(line.state.pendingBlocks(other))

    line.takeAll()
    #expect(!line.state.pendingBlocks(other))
    #expect(!line.state.pendingBlocks(taker))
  }

  @Test func `what a drain leaves of a turn is here as well, until it is taken`() {
    for _ in 0..<3 { line.add(taker, isHere: true) }
    #expect(line.begin(2) == 2)
    #expect(line.end())
    #expect(line.state.pendingBlocks(other))

    line.takeAll()
    #expect(!line.state.pendingBlocks(other))
  }

  // MARK: - Bounds

  @Test func `a displaced payload makes way, and its turn is passed over`() {
    let bounded = Taker(.newest(1))
    line.add(bounded)
    line.add(taker)
    let added = line.add(bounded)

    #expect(added.contains(.displaces) && added.contains(.isKept))
    #expect(bounded.share.numberPending == 1 && bounded.share.numberDropped == 1)
    #expect(line.begin() == 2)
    #expect(line.taken.map { $0.taker.with { $0 === bounded } } == [false, true])
    #expect(line.taken.map { $0.taker.with { $0.share.movesOnlyTaken } } == [false, true])
    _ = line.end()
  }

  @Test func `a full buffer that keeps its oldest payloads takes no more`() {
    let bounded = Taker(.oldest(1))
    line.add(bounded)
    let added = line.add(bounded)

    #expect(!added.contains(.displaces) && !added.contains(.isKept) && !added.contains(.schedules))
    #expect(bounded.share.numberPending == 1 && bounded.share.numberDropped == 1)
    line.takeAll()
  }

  @Test(arguments: [false, true])
  func `a displaced payload that was here keeps no emission from running at once`(_ isHere: Bool) {
    let bounded = Taker(.newest(1))
    line.add(bounded, isHere: !isHere)
    line.add(bounded, isHere: isHere)

    #expect(line.state.pendingBlocks(taker) == isHere)
    line.takeAll()
    #expect(!line.state.pendingBlocks(taker))
    #expect(!line.state.pendingBlocks(bounded))
  }

  @Test func `turns without payloads are removed when they are most of the line`() {
    let bounded = (0..<2).map { _ in Taker(.newest(1)) }
    for number in 0..<100_000 { line.add(bounded[number % 2]) }

    #expect(bounded.allSatisfy { $0.share.turns < 200 })
    #expect(line.begin() == 2)
    _ = line.end()
    #expect(bounded.allSatisfy { $0.share.turns == 0 && $0.holds == 0 })
  }

  // MARK: - Ends

  @Test func `what is closed takes no payloads, and its turns are passed over`() {
    line.add(taker, isHere: true)
    line.add(other)
    _ = line.state.close(taker)

    #expect(!line.add(taker).contains(.isKept))
    #expect(taker.share.numberPending == 0)
    #expect(line.state.pendingBlocks(other))
    #expect(line.begin() == 1)
    #expect(taker.holds == 0)
    _ = line.end()
  }

  @Test func `what refuses drops what is pending, and all that is added`() {
    line.add(taker, isHere: true)
    line.state.refuse(taker)

    #expect(!line.add(taker).contains(.isKept))
    #expect(taker.share.numberPending == 0 && taker.share.numberDropped == 1)
    #expect(line.begin() == 0)
    #expect(taker.holds == 0)
  }

  @Test func `a note has a turn behind the payloads that wait, and none if nothing waits`() {
    #expect(line.addNote(taker) == nil)
    line.add(taker)
    #expect(line.addNote(taker) == false)

    // While the payload is being delivered, too.
    #expect(line.begin(1) == 1)
    #expect(line.addNote(taker) == false)
    _ = line.end()
    #expect(line.begin() == 2)
    #expect(line.taken.map(\.count) == [0, 0])
    _ = line.end()
    _ = line.state.close(taker)
    #expect(line.addNote(taker) == nil)
  }
}

/// A connection without payloads.
final class Taker: TurnTaker {
  private var stored: Share
  /// How often the share was read or changed.
  private(set) var lookCount = 0
  var share: Share {
    get {
      lookCount += 1
      return stored
    }
    set { stored = newValue }
  }
  private(set) var holds = 0

  init(_ buffering: SignalBuffering = .unbounded) { stored = Share(buffering) }

  func retain() { holds += 1 }
  func release() { holds -= 1 }
}

/// A line, and what its drains have taken.
private final class Steps {
  var state: LineState<Taker>
  var taken: ContiguousArray<Turn<Taker>> = []

  init(awaitsCalls: Bool = false) { state = LineState(awaitsCalls: awaitsCalls) }

  @discardableResult
  func add(_ taker: Taker, isHere: Bool = false) -> Added {
    state.add(taker, isHere: isHere)
  }

  func begin(_ room: Int32 = drainLimit) -> Int32 {
    state.leaveToDrainInProgress() ? 0 : state.begin(room, &taken)
  }

  func end() -> Bool { state.end(&taken) }

  func takeMore(_ room: Int32) -> Int32 { state.takeMore(room, &taken) }

  func addNote(_ taker: Taker) -> Bool? { state.addNote(of: taker)?.contains(.schedules) }

  func takeAll() {
    repeat { _ = begin() } while end()
  }
}
