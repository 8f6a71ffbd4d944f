import CAllocationCount
import Dispatch
import Testing

@testable import SignalObserver

/// What waits needs as much memory as it has payloads, and what is idle next to none.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: allocation_count_is_available()))
struct LaneMemoryTests {
  let queue = DispatchQueue(label: "memory")
  /// What the lane does not own and is allocated meanwhile: blocks of the queue, what the allocator keeps.
  let noise = 8 * 1024

  /// How many bytes of the heap `body` leaves in use.
  private func bytesLeft(_ body: () -> Void) -> Int {
    let before = allocated_bytes()
    body()
    return allocated_bytes() - before
  }

  /// Runs all that waits for the queue.
  private func settle() { for _ in 0..<40 { queue.sync {} } }

  // MARK: - What waits

  @Test
  func `a pending number needs 8 bytes in a flood to one slot, and a third more while it grows`() {
    let emitter = EmitterArg<Int>()
    emitter.signal.connect(on: queue) { _ in }
    queue.suspend()
    let count = 100_000

    let bytes = bytesLeft { for number in 0..<count { emitter.invoke(number) } }

    // A segment of 128 has headers of 24 bytes, and blocks have room for half as much again.
    #expect(bytes <= count * 8 * 3 / 2 + count / 128 * 24 + noise)
    queue.resume()
    while emitter.signal.debugDescription.contains("pending") { settle() }
  }

  @Test func `a pending number needs at most 24 bytes where signals send in turn`() {
    let emitters = (0..<2).map { _ in EmitterArg<Int>() }
    for emitter in emitters { emitter.signal.connect(on: queue) { _ in } }
    queue.suspend()
    let count = 100_000

    let bytes = bytesLeft { for number in 0..<count { emitters[number % 2].invoke(number) } }

    #expect(bytes <= count * 24 * 3 / 2 + count / 128 * 8 + noise)
    queue.resume()
    while emitters.contains(where: { $0.signal.debugDescription.contains("pending") }) { settle() }
  }

  // MARK: - What is idle

  @Test func `an idle lane keeps 4 KiB at most, whatever waited`() {
    let emitter = EmitterArg<Huge>()
    let calls = Calls()
    emitter.signal.connect(on: queue) { _ in calls.add() }
    let payload = Huge()
    // Once, so that the queue and the lane are there.
    emitter.invoke(payload)
    settle()

    var flood = 0
    let idle = bytesLeft {
      queue.suspend()
      flood = bytesLeft { for _ in 0..<1000 { emitter.invoke(payload) } }
      queue.resume()
      while calls.count < 1001 { settle() }
      settle()
    }

    #expect(MemoryLayout<Huge>.size == 65_536)
    #expect(flood > 65_000_000)
    #expect(idle <= 4096 + noise)
  }

  @Test func `a slot that never had anything pending has no buffer, and shares its place's lane`() {
    let count = 10_000
    // The least of some: another thread may allocate meanwhile, or give back.
    let differences = (0..<4).map { _ in
      let emitter = EmitterArg<Int>()
      func bytes(_ connect: () -> Void) -> Int { bytesLeft { for _ in 0..<count { connect() } } }
      let inline = bytes { emitter.signal.connect(on: .inline) { _ in } }
      let queued = bytes { emitter.signal.connect(on: queue) { _ in } }
      return queued - inline
    }

    // What the lane must know of the slot, and no room for payloads.
    #expect(differences.contains { $0 <= count * 176 + noise })
  }

  @Test func `10,000 slots of one queue have one lane, which is idle again after an emission`() {
    let emitter = EmitterArg<Int>()
    let calls = Calls()
    for _ in 0..<10_000 { emitter.signal.connect(on: queue) { _ in calls.add() } }
    emitter.invoke(0)
    while calls.count < 10_000 { settle() }
    settle()

    // The least of some: another thread may allocate meanwhile.
    let differences = (1...4).map { round in
      bytesLeft {
        emitter.invoke(round)
        while calls.count < 10_000 * (round + 1) { settle() }
        settle()
      }
    }

    #expect(differences.contains { $0 <= 4096 + noise })
  }

  @Test func `an idle lane keeps one block of 4 KiB at most, however large a payload was`() {
    let lanes = (0..<100).map { _ in Lane<Waiting>(.queue) }
    func waits<Payload: Zeroed>(for payload: Payload, _ count: Int) {
      let member = Waiting(Payload.self)
      for lane in lanes {
        for _ in 0..<count { lane.add(payload, for: member) }
        lane.drainAll()
      }
    }

    let bytes = bytesLeft {
      waits(for: Huge(), 1)
      // Each of these fits into what is kept, and the second not into what the first leaves.
      waits(for: Two<Two<SIMD64<Int64>>>(), 3)
      waits(for: Three<Two<SIMD64<Int64>>>(), 1)
    }

    // The lane's list of its blocks may have some room.
    #expect(bytes <= lanes.count * (4096 + 256) + 4 * noise)
  }

  @Test func `a lane that goes leaves nothing, and a drain meanwhile neither`() {
    let payload = Three<Two<SIMD64<Int64>>>()
    func rounds() {
      let lane = Lane<Waiting>(.queue)
      for _ in 0..<1000 {
        let (kept, ended) = (Waiting(type(of: payload)), Waiting(type(of: payload)))
        lane.add(payload, for: kept)
        let hand = unsafe lane.beginDrain()
        // What is left moves while the drain has its part in hand.
        for _ in 0..<3 { lane.add(payload, for: ended) }
        lane.remove(ended, ended.ownBerth)
        if let hand = unsafe hand { _ = unsafe lane.end(hand) }
        lane.drainAll()
      }
    }

    let bytes = bytesLeft {
      rounds()
      for _ in 0..<1000 {
        let lane = Lane<Waiting>(.queue)
        lane.add(1, for: Waiting(Int.self))
        lane.drainAll()
      }
    }

    // Each round of either loop would leave a block of a kilobyte at least.
    #expect(bytes <= 16 * noise)
  }

  @Test func `what was delivered gives its block back, although more waits`() {
    let lanes = (0..<10).map { _ in Lane<Waiting>(.queue) }
    let member = Waiting(Huge.self)

    let bytes = bytesLeft {
      for lane in lanes {
        for _ in 0..<2 { lane.add(Huge(), for: member) }
        if let hand = unsafe lane.beginDrain() { _ = unsafe lane.end(hand) }
      }
    }

    // One of the two payloads of each.
    #expect(bytes <= lanes.count * (MemoryLayout<Huge>.size + 1024) + 4 * noise)
    for lane in lanes { lane.drainAll() }
  }

  @Test func `an idle lane of a task keeps no task`() async {
    let member = Waiting(Int.self)
    let lanes = (0..<1000).map { _ in Lane<Waiting>(.task) }
    for lane in lanes {
      lane.add(1, for: member)
      lane.drainAll()
    }

    let before = allocated_bytes()
    for lane in lanes {
      lane.add(1, for: member)
      let task = Task {}
      _ = lane.setTask(task, 2, member.ownBerth)
      await task.value
      lane.drainAll()
    }

    // A task needs five times as much; the runtime may not have released the last ones.
    #expect(allocated_bytes() - before <= lanes.count * 256)
  }

  @Test func `actors that come and go leave no places`() {
    let bytes = bytesLeft {
      // Together, so that each has an address of its own.
      let actors = (0..<20_000).map { _ in Passing() }
      for actor in actors { _ = Places.lane(of: actor) }
    }

    #expect(bytes <= 16 * noise)
  }

  // MARK: - What is live

  @Test(arguments: [SignalBuffering.newest(1), .oldest(1), .newest(100)])
  func `a bounded slot of a blocked queue needs no more after 100,000 emissions than after few`(
    _ buffering: SignalBuffering
  ) {
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.buffering(buffering).connect(on: queue) { _ in }
    queue.suspend()
    for number in 0..<1000 { emitter.invoke(number) }

    let bytes = bytesLeft { for number in 0..<100_000 { emitter.invoke(number) } }

    #expect(bytes <= noise)
    #expect(observer.droppedCount == 101_000 - (buffering == .newest(100) ? 100 : 1))
    queue.resume()
    settle()
  }

  @Test func `connects and cancels with something pending leave a blocked lane as it was`() {
    let (emitter, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    let trace = Trace<Int>()
    other.signal.connect(on: queue) { trace.add($0) }
    queue.suspend()
    func rounds(_ count: Int) {
      for number in 0..<count {
        let observer = emitter.signal.connect(on: queue) { _ in }
        emitter.invoke(number)
        observer.cancel()
      }
    }
    other.invoke(1)
    rounds(1000)

    let bytes = bytesLeft { rounds(100_000) }
    other.invoke(2)

    #expect(bytes <= noise)
    queue.resume()
    while trace.entries.count < 2 { settle() }
    #expect(trace.entries == [1, 2])
  }

  @Test func `payloads of a cancelled slot give their bytes back, whatever waits around them`() {
    let (emitter, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    let trace = Trace<Int>()
    other.signal.connect(on: queue) { trace.add($0) }
    let observer = emitter.signal.connect(on: queue) { _ in }
    queue.suspend()
    let few = bytesLeft { for number in 0..<100 { other.invoke(number) } }

    let bytes = bytesLeft {
      for number in 0..<100_000 {
        emitter.invoke(number)
        if number % 1000 == 0 { other.invoke(100 + number / 1000) }
      }
      observer.cancel()
    }

    // What an idle lane keeps may be there besides.
    #expect(bytes <= few + 4096 + noise)
    queue.resume()
    while trace.entries.count < 200 { settle() }
    #expect(trace.entries == Array(0..<200))
  }
}

private actor Passing {}

private protocol Zeroed: Sendable { init() }

private struct Two<Part: Zeroed>: Zeroed {
  let first = Part()
  let second = Part()
}

private struct Three<Part: Zeroed>: Zeroed {
  let first = Part()
  let second = Part()
  let third = Part()
}

extension SIMD64<Int64>: Zeroed {}

/// A payload of 64 KiB.
private typealias Huge = Two<Two<Two<Two<Two<Two<Two<SIMD64<Int64>>>>>>>>
