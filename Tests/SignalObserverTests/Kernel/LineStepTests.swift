import CSanitizers
import Dispatch
import Testing

@testable import SignalObserver

/// The steps of a line, taken in the orders in which threads may take them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(1))) struct LineStepTests {
  let line = Line(.queue)
  let mailbox: TypedMailbox<Int>

  init() { mailbox = TypedMailbox(line, nil, .unbounded) }

  @Test func `a drain that meets another one leaves it the work, and that one runs once more`() {
    #expect(line.add(1, to: mailbox).drain == 1)
    #expect(line.begin() == 1)
    // The first drain has all in hand, so another one is scheduled.
    #expect(line.add(2, to: mailbox).drain == 2)
    #expect(line.begin() == 0)
    #expect(line.end())

    // The first one runs again.
    #expect(line.isScheduled)
    #expect(line.add(3, to: mailbox).drain == 0)
    #expect(line.begin() == 2)
    #expect(!line.end())
    #expect(!line.isScheduled)
  }

  @Test func `a drain takes the payloads that it has room for, also of one turn`() {
    for number in 0..<5 { line.add(number, to: mailbox) }

    #expect(line.begin(room: 2) == 2)
    #expect(mailbox.hand.count == 2)
    #expect(mailbox.counts.pending == 5)
    #expect(line.end())
    mailbox.drop(2)
    #expect(line.begin(room: 3) == 3)
    #expect(!line.end())
    #expect(mailbox.drop(3) == [2, 3, 4])
  }

  @Test func `a drain with more to do runs again, and the last one does not`() {
    for number in 0...Int(LineState.limit) { line.add(number, to: mailbox) }

    #expect(line.begin() == LineState.limit)
    #expect(line.end())
    #expect(line.begin() == 1)
    #expect(!line.end())
    #expect(line.begin() == 0)
  }

  @Test func `an idle line is scheduled by what is added next`() {
    for number in 1...3 {
      #expect(line.add(number, to: mailbox).drain == number)
      line.takeAll(of: mailbox)
      #expect(!line.isScheduled)
    }
  }

  @Test func `a drain that takes more leaves the drain that is on its way scheduled`() {
    line.add(0, to: mailbox)
    #expect(line.begin() == 1)
    mailbox.drop(1)
    line.add(1, to: mailbox)
    #expect(line.withState { $0.end(line, taking: 1) } == (1, false))
    #expect(line.isScheduled)
    #expect(!line.end())
    #expect(line.isScheduled)
    mailbox.drop(1)

    // The drain finds nothing.
    #expect(line.begin() == 0)
    #expect(!line.isScheduled)
  }

  @Test func `a drain that awaits each call runs again, although it leaves nothing`() {
    let line = Line(.task)
    let mailbox = TypedMailbox<Int>(line, nil, .unbounded)
    line.add(1, to: mailbox)
    #expect(line.begin(room: 1) == 1)

    #expect(line.add(2, to: mailbox).drain == 0)
    #expect(line.end())
    mailbox.drop(1)
    #expect(line.begin(room: 1) == 1)
    #expect(line.end())
    mailbox.drop(1)
    #expect(line.begin(room: 1) == 0)
    #expect(!line.isScheduled)
  }

  @Test func `turns are in the order of the payloads, and payloads side by side share one`() {
    let other = TypedMailbox<Int>(line, nil, .unbounded)
    for number in 0..<3 { line.add(number, to: mailbox) }
    line.add(3, to: other)
    line.add(4, to: mailbox)
    line.add(5, to: mailbox, isHere: true)

    #expect(line.begin() == 6)

    #expect(line.turnsInHand.map(\.count) == [3, 1, 1, 1])
    #expect(line.turnsInHand.map(\.isHere) == [false, false, false, true])
    _ = line.end()
  }

  @Test func `an emission leaves it to a drain in progress to look at targets, but for one in 128`()
  {
    #expect(line.add(1, to: mailbox).mustLook)
    _ = line.begin()

    for number in 1...256 {
      #expect(line.add(number, to: mailbox).mustLook == number.isMultiple(of: 128))
    }
    _ = line.end()
  }

  @Test func `what is here waits for nothing that is not, and keeps emissions from overtaking it`()
  {
    let line = Line(.main)
    let (idle, busy) = (
      TypedMailbox<Int>(line, nil, .unbounded),
      TypedMailbox<Int>(line, nil, .unbounded)
    )
    line.add(1, to: busy)
    #expect(line.mayRunAtOnce(idle))
    #expect(!line.mayRunAtOnce(busy))
    line.add(2, to: busy, isHere: true)
    #expect(!line.mayRunAtOnce(idle))

    line.takeAll(of: busy)
    #expect(line.mayRunAtOnce(idle))
    #expect(line.mayRunAtOnce(busy))
  }

  @Test func `what a drain leaves of a turn is here as well, until it is taken`() {
    let line = Line(.main)
    let mailbox = TypedMailbox<Int>(line, nil, .unbounded)
    for number in 0..<3 { line.add(number, to: mailbox, isHere: true) }
    #expect(line.begin(room: 2) == 2)
    #expect(line.end())
    mailbox.drop(2)
    #expect(!line.mayRunAtOnce(mailbox))

    line.takeAll(of: mailbox)
    #expect(line.mayRunAtOnce(mailbox))
  }

  @Test(
    .disabled(
      if: built_with_address_sanitizer() || built_with_thread_sanitizer(),
      "a sanitizer gives no address out again"))
  func `an actor at the address of one that has died has a line of its own`() {
    var lines: [Line] = []
    var addresses: Set<ObjectIdentifier> = []
    for _ in 0..<1000 {
      let actor = Passing()
      let line = Line.of(actor)
      #expect(line.actor === actor)
      #expect(Line.of(actor) === line)
      // The dead actor's line is kept, as by a slot.
      lines.append(line)
      addresses.insert(ObjectIdentifier(actor))
    }

    #expect(addresses.count < lines.count)
  }

  // MARK: - Bounds

  @Test func `a displaced payload is returned, and its turn is passed over`() {
    let bounded = TypedMailbox<Int>(line, nil, .newest(1))
    line.add(1, to: bounded)
    line.add(2, to: mailbox)
    let added = line.add(3, to: bounded)

    #expect(added.displaced as? Int == 1)
    #expect(bounded.counts.pending == 1)
    #expect(bounded.counts.dropped == 1)
    #expect(line.begin() == 2)
    #expect(bounded.drop(1) == [3])
    _ = line.end()
  }

  @Test(arguments: [false, true])
  func `a displaced payload that was here keeps no emission from running at once`(_ isHere: Bool) {
    let line = Line(.main)
    let (idle, bounded) = (
      TypedMailbox<Int>(line, nil, .unbounded),
      TypedMailbox<Int>(line, nil, .newest(1))
    )
    line.add(1, to: bounded, isHere: !isHere)
    line.add(2, to: bounded, isHere: isHere)

    #expect(line.mayRunAtOnce(idle) == !isHere)
    line.takeAll(of: bounded)
    #expect(line.mayRunAtOnce(idle))
    #expect(line.mayRunAtOnce(bounded))
  }

  @Test func `turns without payloads are removed when they are most of the line`() {
    let bounded = (0..<2).map { _ in
      TypedMailbox<Int>(line, nil, .newest(1))
    }
    for number in 0..<100_000 { line.add(number, to: bounded[number % 2]) }

    #expect(bounded.allSatisfy { $0.state.turns < 200 })
    #expect(line.begin() == 2)
    #expect(bounded[0].drop(1) == [99_998])
    #expect(bounded[1].drop(1) == [99_999])
    _ = line.end()
  }

  // MARK: - Ends

  @Test func `a mailbox that is closed takes no payloads, and its turns are passed over`() {
    let other = TypedMailbox<Int>(line, nil, .unbounded)
    line.add(1, to: mailbox)
    line.add(2, to: other)
    mailbox.close()

    #expect(line.add(3, to: mailbox).drain == 0)
    #expect(mailbox.counts.pending == 0)
    #expect(line.begin() == 1)
    #expect(other.drop(1) == [2])
    _ = line.end()
  }

  @Test func `connections that wait for a dead actor are found, one after the other`() {
    let emitter = EmitterArg<Int>()
    let observers = (0..<2).map { _ in emitter.signal.connect(on: .global()) { _ in } }
    let mailboxes = observers.map { _ in
      TypedMailbox<Int>(line, nil, .unbounded)
    }
    for (mailbox, observer) in zip(mailboxes, observers) { mailbox.connection = observer }
    for number in 0..<3 { line.add(number, to: mailboxes[number % 2]) }

    #expect(line.withState { $0.nextConnection() } === observers[0])
    mailboxes[0].close()
    #expect(line.withState { $0.nextConnection() } === observers[1])
    #expect(line.withState { $0.nextConnection() } === observers[1])
    #expect(line.isScheduled)
    mailboxes[1].close()
    #expect(line.withState { $0.nextConnection() } == nil)
    #expect(!line.isScheduled)
  }

  @Test func `closing a mailbox cancels the task of its newest drain`() {
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    line.add(1, to: mailbox)
    line.takeAll(of: mailbox)
    line.add(2, to: mailbox)

    #expect(!line.withState { $0.setTask(second, 2, mailbox) })
    // The thread that began the first one was held up.
    #expect(!line.withState { $0.setTask(first, 1, mailbox) })
    mailbox.close()

    #expect(second.isCancelled)
    #expect(!first.isCancelled)
  }

  @Test func `a drain in a task that is over leaves the task of the next one`() {
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    line.add(1, to: mailbox)
    _ = line.withState { $0.setTask(first, 1, mailbox) }
    line.takeAll(of: mailbox)
    line.add(2, to: mailbox)
    _ = line.withState { $0.setTask(second, 2, mailbox) }

    #expect(line.withState { $0.takeTask(of: mailbox) } == nil)
    #expect(mailbox.state.task == second)
    line.takeAll(of: mailbox)
    #expect(line.withState { $0.takeTask(of: mailbox) } == second)
  }

  @Test func `a turn of a note touches no payloads`() {
    line.add(1, to: mailbox)
    #expect(line.begin(room: 1) == 1)
    _ = line.withState { $0.add(note: { Census() }, mailbox) }
    _ = line.end()
    mailbox.drop(1)
    mailbox.pending.front.reserveCapacity(9)

    #expect(line.begin() == 1)
    #expect(mailbox.pending.front.capacity >= 9)
    _ = line.end()
  }

  @Test func `a task that begins when its mailbox is closed is to be cancelled`() {
    line.add(1, to: mailbox)
    mailbox.close()

    #expect(line.withState { $0.setTask(Task {}, 1, mailbox) })
  }

  @Test func `what is called on resuming is released with the mailbox, and not held later`() {
    for isClosed in [false, true] {
      let census = Census()
      if isClosed { mailbox.close() }
      mailbox.onResume = { [member = census.member()] in member.use() }
      #expect(census.alive == (isClosed ? 0 : 1))
      mailbox.close()
      #expect(census.alive == 0)
    }
  }

  @Test func `a note has a turn behind the payloads that wait, and none if nothing waits`() {
    let census = Census()
    #expect(line.withState { $0.add(note: { census.member() }, mailbox) } == nil)
    #expect(census.alive == 0)
    line.add(1, to: mailbox)
    #expect(line.withState { $0.add(note: { census.member() }, mailbox) } != nil)

    // While the payload is being delivered, too.
    #expect(line.begin(room: 1) == 1)
    #expect(line.withState { $0.add(note: { census.member() }, mailbox) } != nil)
    _ = line.end()
    #expect(mailbox.counts.pending == 1)
    mailbox.drop(1)
    #expect(mailbox.counts.pending == 0)
    #expect(census.alive == 2)
    mailbox.close()
    #expect(census.alive == 0)
  }
}

extension Line {
  var isScheduled: Bool { withState { $0.isScheduled } }

  @discardableResult
  fileprivate func add<Payload>(
    _ payload: Payload, to mailbox: Mailbox, isHere: Bool = false
  ) -> LineState.AfterLock {
    unsafe withUnsafePointer(to: payload) { payload in
      withState { unsafe $0.add(mailbox, payload, isHere: isHere) }
    }
  }

  fileprivate func begin(room: Int32 = LineState.limit) -> Int32 {
    withState { $0.begin(self, room) }
  }

  fileprivate func end() -> Bool { withState { $0.end(self).runsAgain } }

  fileprivate func takeAll(of mailbox: TypedMailbox<Int>) {
    repeat {
      mailbox.drop(Int(begin()))
    } while end()
  }
}

extension TypedMailbox {
  /// Takes payloads out of the hand, as a drain does that delivers them.
  @discardableResult
  fileprivate func drop(_ count: Int) -> [Payload] {
    hand.count -= Int32(count)
    return (0..<count).compactMap { _ in (hand as? Hand<Payload>)?.payloads.popFirst() }
  }
}

private actor Passing {}
