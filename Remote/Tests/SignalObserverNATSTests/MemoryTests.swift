import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct MemoryTests {
  @Test func `a process survives every order of connect, cancel, drop and close`() async throws {
    let server = try TestServer()

    let peer = try Peer(["churn", server.server.url, "8"])

    #expect(await peer.hasPrinted("done", seconds: 50))
  }

  @Test func `R5: what waits for the slots of all signals is bounded, and each signal has room`()
    async throws
  {
    let server = try TestServer()
    var options = BusOptions()
    options.pendingLimit = 8 << 20
    let (sender, receiver) = (try await server.bus(), try await server.bus(options))
    let (gate, elsewhere) = (DispatchSemaphore(value: 0), DispatchQueue(label: "slow"))
    let (errors, quick) = (Trace<BusError>(), Trace<Int>())
    receiver.errors.connect(on: .inline) { errors.append($0) }
    let slow = (0..<20).map { _ in receiver.signal("slow", of: [UInt8].self, as: .bytes) }
    for signal in slow { signal.connect(on: elsewhere) { _ in gate.wait() } }
    receiver.signal("quick", of: Int.self).connect(on: .inline) { quick.append($0.payload) }
    try await receiver.flush()
    let (payloads, numbers) = (Emitter<[UInt8]>(), Emitter<Int>())
    sender.send(payloads.signal, to: "slow", as: .bytes)
    sender.send(numbers.signal, to: "quick")

    for _ in 0..<2000 { payloads.invoke([UInt8](repeating: 1, count: 1000)) }

    let lost = {
      errors.all.reduce(0) {
        if case .lost(let count, _, .slowSlots) = $1 { $0 + count } else { $0 }
      }
    }
    let pending = { slow.reduce(0) { $0 + $1.pendingCount } }
    #expect(await until { lost() + pending() == 20 * 2000 })
    #expect(pending() * 1500 <= 8 << 20)
    // No signal has taken the room of the others.
    numbers.invoke(7)
    #expect(await quick.wait(for: 1) == [7])
    #expect(slow.allSatisfy { $0.pendingCount > 50 })
    for _ in 0..<pending() { gate.signal() }
  }

  // AddressSanitizer keeps what was freed.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/self/status")
        && ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil))
  func `R5: what waits in libnats is bounded, too`() async throws {
    let server = try TestServer()

    // Eight threads of libnats receive, and one hands over. Without a bound, 800 MB wait
    // in between. With two heaps, little of the memory is what each thread's heap caches.
    let peer = try Peer(
      ["flood", server.server.url, "8", "50", "20000", "\(4 << 20)"],
      environment: ["MALLOC_ARENA_MAX": "2"])

    #expect(await until(seconds: 55) { !peer.isRunning })
    let peak = peer.printed.last?.split(separator: " ").last.flatMap { Int($0) }
    #expect(try #require(peak) < 350)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func `a bus costs two threads, and all buses of a process share the others`() async throws {
    let server = try TestServer()
    var counts: [Int] = []
    for count in [0, 1, 33] {
      let peer = try Peer(["idle", server.server.url, "\(count)"])
      #expect(await peer.hasPrinted("connected"))
      counts.append(await leastThreads(of: peer))
    }
    // Beside the two of each bus and the four of libnats, there are a few of Dispatch.
    #expect((6...14).contains(counts[1] - counts[0]))
    #expect((64...80).contains(counts[2] - counts[1]))
  }

  /// How many threads a process has at the moment when it has the fewest.
  ///
  /// Those of Dispatch come and are gone.
  private func leastThreads(of peer: Peer) async -> Int {
    var least = Int.max
    await until(seconds: 3) {
      let threads = try? FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(peer.processID)/task")
      least = min(least, threads?.count ?? .max)
      return false
    }
    return least
  }
}
