import CSanitizers
import Dispatch
import Testing

@testable import SignalObserver

/// The steps of a line and its mailboxes, taken in the orders in which threads may take them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(1))) struct LineStepTests {
  let line = Line(.queue)
  let mailbox: TypedMailbox<Int>

  init() { mailbox = TypedMailbox(line, nil, .unbounded) }

  @Test func `a drain takes the payloads that it has room for, also of one turn`() {
    for number in 0..<5 { line.add(number, to: mailbox) }

    #expect(line.begin(room: 2) == 2)
    #expect(mailbox.takenCount == 2)
    #expect(mailbox.counts.waiting == 5)
    #expect(line.end())
    mailbox.drop(2)
    #expect(line.begin(room: 3) == 3)
    #expect(!line.end())
    #expect(mailbox.drop(3) == [2, 3, 4])
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

  @Test func `displaced payloads stay until they are released, and their turns are passed over`() {
    for isClosed in [false, true] {
      let bounded = TypedMailbox<Lifetime>(line, nil, .newest(1))
      let censuses = (0..<3).map { _ in Census() }
      line.add(censuses[0].member(), to: bounded)
      line.add(2, to: mailbox)
      // Two threads, neither of which has released what it has displaced.
      for census in censuses[1...2] {
        #expect(line.add(census.member(), to: bounded).contains(.displaces))
      }
      #expect(censuses.map(\.alive) == [1, 1, 1])

      isClosed ? bounded.close() : bounded.releaseDisplaced()

      #expect(censuses.map(\.alive) == (isClosed ? [0, 0, 0] : [0, 0, 1]))
      bounded.releaseDisplaced()
      #expect(bounded.counts.waiting == (isClosed ? 0 : 1))
      #expect(bounded.counts.dropped == 2)
      #expect(line.begin() == (isClosed ? 1 : 2))
      #expect(bounded.drop(isClosed ? 0 : 1).count == (isClosed ? 0 : 1))
      #expect(censuses.map(\.alive) == [0, 0, 0])
      mailbox.drop(1)
      _ = line.end()
    }
  }

  @Test func `the drain of a mailbox that is closed before it is scheduled has the queue`() async {
    let line = Line(.queue)
    var queue: DispatchQueue? = DispatchQueue(label: "claimed")
    weak var released: DispatchQueue?
    released = queue
    let mailbox = TypedMailbox<Int>(line, queue, .unbounded)
    let (added, claimed) = unsafe withUnsafePointer(to: 1) { unsafe mailbox.add($0, isHere: false) }
    #expect(added.contains(.schedules))

    mailbox.close()

    #expect(mailbox.queue == nil)
    #expect(claimed?.object === queue)
    line.act(on: added, claimed, for: mailbox)
    queue?.sync {}
    #expect(!line.withState { $0.isDrainDue })
    queue = nil
    await until("the drain to release the queue") { released == nil }
  }

  // MARK: - Ends

  @Test func `a mailbox that is closed takes no payloads, and its turns are passed over`() {
    let other = TypedMailbox<Int>(line, nil, .unbounded)
    line.add(1, to: mailbox)
    line.add(2, to: other)
    mailbox.close()

    #expect(!line.add(3, to: mailbox).contains(.schedules))
    #expect(mailbox.counts.waiting == 0)
    #expect(line.begin() == 1)
    #expect(other.drop(1) == [2])
    _ = line.end()
  }

  @Test func `a mailbox that is closed releases its tracer`() {
    final class Tracer: MailboxTracer {
      func added() {}
      func displaced(isNew: Bool) {}
      func taken(_ count: Int) {}
      func call(_ connection: SignalObserver, _ call: () -> Void) {}
      func call(_ connection: SignalObserver, _ call: SlotCall?) -> SlotCall? { call }
    }
    weak var tracer: Tracer?
    mailbox.setTracer { _ in
      let new = Tracer()
      tracer = new
      return new
    }
    #expect(tracer != nil)

    mailbox.close()

    #expect(tracer == nil)
  }

  @Test func `closing a mailbox cancels the task of its newest drain`() {
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    line.add(1, to: mailbox)
    line.takeAll(of: mailbox)
    line.add(2, to: mailbox)

    #expect([mailbox.countTask(), mailbox.countTask()] == [1, 2])
    #expect(!mailbox.setTask(second, 2))
    // The thread that began the first one was held up.
    #expect(!mailbox.setTask(first, 1))
    mailbox.close()

    #expect(second.isCancelled)
    #expect(!first.isCancelled)
  }

  @Test func `a drain in a task that is over leaves the task of the next one`() {
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    line.add(1, to: mailbox)
    _ = mailbox.setTask(first, mailbox.countTask())
    line.takeAll(of: mailbox)
    line.add(2, to: mailbox)
    _ = mailbox.setTask(second, mailbox.countTask())

    #expect(mailbox.removeTask() == nil)
    line.takeAll(of: mailbox)
    #expect(mailbox.removeTask() == second)
  }

  @Test func `a turn of a note touches no payloads`() {
    line.add(1, to: mailbox)
    #expect(line.begin(room: 1) == 1)
    _ = mailbox.addNote { Census() }
    _ = line.end()
    mailbox.drop(1)
    mailbox.incoming.front.reserveCapacity(9)

    #expect(line.begin() == 1)
    #expect(mailbox.incoming.front.capacity >= 9)
    _ = line.end()
  }

  @Test func `a task that begins when its mailbox is closed is to be cancelled`() {
    line.add(1, to: mailbox)
    mailbox.close()

    #expect(mailbox.setTask(Task {}, 1))
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
    #expect(!mailbox.addNote { census.member() })
    #expect(census.alive == 0)
    line.add(1, to: mailbox)
    #expect(mailbox.addNote { census.member() })

    // While the payload is being delivered, too.
    #expect(line.begin(room: 1) == 1)
    #expect(mailbox.addNote { census.member() })
    _ = line.end()
    #expect(mailbox.counts.waiting == 1)
    mailbox.drop(1)
    #expect(mailbox.counts.waiting == 0)
    #expect(census.alive == 2)
    mailbox.close()
    #expect(census.alive == 0)
  }
}

extension Line {
  var isDrainDue: Bool { withState { $0.isDrainDue } }

  @discardableResult
  fileprivate func add<Payload>(
    _ payload: Payload, to mailbox: LineMailbox, isHere: Bool = false
  ) -> Added {
    unsafe withUnsafePointer(to: payload) { unsafe mailbox.add($0, isHere: isHere).added }
  }

  fileprivate func begin(room: Int32 = drainLimit) -> Int32 { begin(room) }

  fileprivate func takeAll(of mailbox: TypedMailbox<Int>) {
    repeat {
      mailbox.drop(Int(begin()))
    } while end()
  }
}

extension TypedMailbox {
  /// Takes payloads out of the outgoing, as a drain does that delivers them.
  @discardableResult
  fileprivate func drop(_ count: Int) -> [Payload] {
    addToTaken(-Int32(count), isHere: false)
    return (0..<count).compactMap { _ in outgoing.popFirst() }
  }
}

private actor Passing {}
