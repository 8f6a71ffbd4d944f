import CAllocationCount
import Dispatch
import Testing

@testable import SignalObserver

/// What waits needs as much memory as it has payloads, and what is idle next to none.
///
/// Each test has a process of its own, where no other test allocates.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: allocation_count_is_available()))
struct LineMemoryTests {
  // MARK: - What waits

  @Test func `a pending number needs 8 bytes in a flood to one slot`() async {
    await #expect(processExitsWith: .success) {
      let emitter = EmitterArg<Int>()
      emitter.signal.connect(on: queue) { _ in }
      queue.suspend()
      let count = 100_000

      let bytes = bytesLeft { for number in 0..<count { emitter.invoke(number) } }

      // A chunk of 128 has a header of 32 bytes, one of the allocator's, and a place in an array that
      // doubles.
      #expect(bytes <= count * 8 + count / 128 * 64 + noise)
      queue.resume()
      while emitter.signal.debugDescription.contains("pending") { settle() }
    }
  }

  @Test func `a pending number needs 24 bytes where signals send in turn`() async {
    await #expect(processExitsWith: .success) {
      let emitters = (0..<2).map { _ in EmitterArg<Int>() }
      for emitter in emitters { emitter.signal.connect(on: queue) { _ in } }
      queue.suspend()
      let count = 100_000

      let bytes = bytesLeft { for number in 0..<count { emitters[number % 2].invoke(number) } }

      // As above, for the payloads and for the turns.
      #expect(bytes <= count * 24 + count / 128 * 2 * 64 + noise)
      queue.resume()
      while emitters.contains(where: { $0.signal.debugDescription.contains("pending") }) {
        settle()
      }
    }
  }

  // MARK: - What is idle

  @Test func `an idle line keeps 4 KiB at most, whatever waited`() async {
    await #expect(processExitsWith: .success) {
      let emitter = EmitterArg<Huge>()
      let calls = Calls()
      emitter.signal.connect(on: queue) { _ in calls.add() }
      let payload = Huge()
      // Once, so that the queue and the line are there.
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
  }

  @Test func `a slot that waits needs 400 bytes more than one that runs inline`() async {
    await #expect(processExitsWith: .success) {
      let count = 10_000
      // The least of some: another thread may allocate meanwhile, or give back.
      let differences = (0..<4).map { _ in
        let emitter = EmitterArg<Int>()
        func bytes(_ connect: () -> Void) -> Int { bytesLeft { for _ in 0..<count { connect() } } }
        let inline = bytes { emitter.signal.connect(on: .inline) { _ in } }
        let queued = bytes { emitter.signal.connect(on: queue) { _ in } }
        return queued - inline
      }

      // A mailbox and its front, without room for payloads; slots of a queue share its line. In a debug
      // build, each of the four functions of a mailbox has a context of 32 bytes.
      #expect(differences.contains { $0 <= count * 400 + noise })
    }
  }

  @Test func `10,000 slots of one queue have one line, which is idle again after an emission`()
    async
  {
    await #expect(processExitsWith: .success) {
      let emitter = EmitterArg<Int>()
      let calls = Calls()
      for _ in 0..<10_000 { emitter.signal.connect(on: queue) { _ in calls.add() } }
      emitter.invoke(0)
      while calls.count < 10_000 { settle() }
      settle()

      // The least of some: another thread may allocate meanwhile.
      let differences = (1...12).map { round in
        bytesLeft {
          emitter.invoke(round)
          while calls.count < 10_000 * (round + 1) { settle() }
          settle()
        }
      }

      #expect(differences.contains { $0 <= 4096 + noise })
    }
  }

  @Test func `actors that are made and released leave no places`() async {
    await #expect(processExitsWith: .success) {
      let bytes = bytesLeft {
        // Together, so that each has an address of its own.
        let actors = (0..<20_000).map { _ in Passing() }
        for actor in actors { _ = Line.of(actor) }
      }

      #expect(bytes <= 16 * noise)
    }
  }

  // MARK: - What is live

  @Test
  func `a bounded slot of a blocked queue needs no more after 100,000 emissions than after few`()
    async
  {
    await #expect(processExitsWith: .success) {
      for buffering in [SignalBuffering.newest(1), .oldest(1), .newest(100)] {
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
    }
  }

  @Test func `connects and cancels with something pending leave little in a blocked line`() async {
    await #expect(processExitsWith: .success) {
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

      // The line has 65 turns at most that are not needed, each with a connection that has ended.
      #expect(bytes <= 65 * 512 + noise)
      queue.resume()
      while trace.entries.count < 2 { settle() }
      #expect(trace.entries == [1, 2])
    }
  }

  @Test func `payloads of a cancelled slot give their bytes back, whatever waits around them`()
    async
  {
    await #expect(processExitsWith: .success) {
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

      // What an idle line keeps may be there besides.
      #expect(bytes <= few + 4096 + noise)
      queue.resume()
      while trace.entries.count < 200 { settle() }
      #expect(trace.entries == Array(0..<200))
    }
  }
}

private let queue = DispatchQueue(label: "memory")
/// What the line does not own and is allocated meanwhile: blocks of the queue, what the allocator keeps.
private let noise = 16 * 1024

/// How many bytes of the heap `body` leaves in use.
private func bytesLeft(_ body: () -> Void) -> Int {
  let before = allocated_bytes()
  body()
  return allocated_bytes() - before
}

/// Runs all that waits for the queue.
private func settle() { for _ in 0..<40 { queue.sync {} } }

private actor Passing {}

private protocol Zeroed: Sendable { init() }

private struct Two<Part: Zeroed>: Zeroed {
  let first = Part()
  let second = Part()
}

extension SIMD64<Int64>: Zeroed {}

/// A payload of 64 KiB.
private typealias Huge = Two<Two<Two<Two<Two<Two<Two<SIMD64<Int64>>>>>>>>
