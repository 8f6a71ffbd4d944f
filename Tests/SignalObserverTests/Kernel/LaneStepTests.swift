import CSanitizers
import Testing

@testable import SignalObserver

/// The steps of drains, taken in the orders in which the threads of a concurrent queue may take them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LaneStepTests {
  let lane = Lane<Waiting>(.queue)
  let member = Waiting(Int.self)

  @Test func `a drain that meets another one leaves it the work, and that one comes again once`()
    throws
  {
    #expect(lane.add(1, for: member))
    let first = try unsafe #require(lane.beginDrain())
    // The first drain has all in hand, so that another one comes.
    #expect(lane.add(2, for: member))
    #expect(unsafe lane.beginDrain() == nil)
    #expect(unsafe lane.end(first))

    // The next one is on its way.
    #expect(lane.isScheduled)
    #expect(!lane.add(3, for: member))
    let second = try unsafe #require(lane.beginDrain())
    #expect(unsafe second.count == 2)
    #expect(unsafe !lane.end(second))
    #expect(!lane.isScheduled)
  }

  @Test func `a drain takes no more than it has room for`() throws {
    for number in 0..<2 { lane.add(number, for: member) }

    #expect(unsafe lane.beginDrain(room: 1) == nil)
    let hand = try unsafe #require(lane.beginDrain(room: 2))
    _ = unsafe lane.end(hand)
  }

  @Test func `a drain with more to do comes again, and its last segment is the end of it`() throws {
    for number in 0..<Segment.limit + 1 { lane.add(number, for: member) }

    let first = try unsafe #require(lane.beginDrain())
    #expect(unsafe lane.end(first))
    let second = try unsafe #require(lane.beginDrain())
    #expect(unsafe !lane.end(second))
    #expect(unsafe lane.beginDrain() == nil)
  }

  @Test func `an idle lane is scheduled by what comes next`() {
    for number in 0..<3 {
      #expect(lane.add(number, for: member))
      lane.drainAll()
      #expect(!lane.isScheduled)
    }
  }

  @Test func `while another thread drains, nothing runs at once`() throws {
    let lane = Lane<Waiting>(.main)
    let idle = Waiting(Int.self)
    #expect(lane.mayRunAtOnce(idle.ownBerth))
    lane.add(1, for: member)

    let hand = try unsafe #require(lane.beginDrain())
    #expect(!lane.mayRunAtOnce(idle.ownBerth))
    _ = unsafe lane.end(hand)

    #expect(lane.mayRunAtOnce(idle.ownBerth))
  }

  @Test func `emissions leave it to a drain that keeps up to look at targets`() throws {
    for number in 0..<300 {
      lane.add(number, for: member)
      lane.drainAll()
    }
    #expect(lane.mustLook)
    lane.add(1, for: member)
    let hand = try unsafe #require(lane.beginDrain())

    lane.add(2, for: member)
    #expect(!lane.mustLook)
    for number in 0..<300 { lane.add(number, for: member) }
    #expect(lane.mustLook)
    _ = unsafe lane.end(hand)
  }

  @Test(
    .disabled(
      if: built_with_address_sanitizer() || built_with_thread_sanitizer(),
      "a sanitizer gives no address out again"))
  func `an actor at the address of one that has died has a place of its own`() {
    var lanes: [Lane<SignalObserver>] = []
    var addresses: Set<ObjectIdentifier> = []
    for _ in 0..<1000 {
      let actor = Passing()
      let lane = Places.lane(of: actor)
      #expect(lane.actor === actor)
      #expect(Places.lane(of: actor) === lane)
      // The dead actor's lane is kept, as by a slot.
      lanes.append(lane)
      addresses.insert(ObjectIdentifier(actor))
    }

    #expect(addresses.count < lanes.count)
  }

  // MARK: - Ends

  @Test func `a member that has ended takes no payloads`() {
    lane.add(1, for: member)
    lane.remove(member, member.ownBerth)

    #expect(!lane.add(2, for: member))
    #expect(lane.counts(member.ownBerth).pending == 0)
  }

  @Test func `the end of a member cancels the task of its newest drain`() throws {
    let lane = Lane<Waiting>(.task)
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    lane.add(1, for: member)
    lane.drainAll()
    lane.add(2, for: member)

    #expect(!lane.setTask(second, 2, member.ownBerth))
    // The thread that began the first one was held up.
    #expect(!lane.setTask(first, 1, member.ownBerth))
    lane.remove(member, member.ownBerth)

    #expect(second.isCancelled && !first.isCancelled)
  }

  @Test func `a task that begins when its member has ended is to be cancelled`() {
    let lane = Lane<Waiting>(.task)
    lane.add(1, for: member)
    lane.remove(member, member.ownBerth)

    #expect(lane.setTask(Task {}, 1, member.ownBerth))
  }

  @Test func `what is to be told of resuming goes with the end of a slot, and is not held later`() {
    weak var told: Told?
    do {
      let object = Told()
      told = object
      lane.setResumed(object, member.ownBerth)
    }
    #expect(told != nil)
    lane.remove(member, member.ownBerth)
    #expect(told == nil)

    do {
      let object = Told()
      told = object
      lane.setResumed(object, member.ownBerth)
    }
    #expect(told == nil)
  }

  @Test func `the number that waits leaves out what is only to be released`() throws {
    lane.add(1, for: member)
    _ = unsafe lane.add(note: Told(), after: member, member.ownBerth)

    #expect(lane.counts(member.ownBerth).pending == 1)
    lane.remove(member, member.ownBerth)
  }
}

private final class Told: Resumable {
  func resume() {}
}

private actor Passing {}
