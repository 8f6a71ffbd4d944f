import Foundation
import NATSServer
import SignalObserverNATS

/// Starts the server and the three processes, and restarts any of them that dies.
enum Supervisor {
  static func run(_ address: String?, _ goals: Int, _ kills: Bool) async throws -> Int32 {
    let folder = try Watchdog.makeFolder()
    var server: NATSServer?
    if address == nil {
      do { server = try NATSServer(store: folder) } catch {
        say("demo", "no nats-server: \(error); install it, or name one by --server")
        return 1
      }
    }
    guard let url = address ?? server?.url else { return 1 }
    defer {
      server?.stop()
      Watchdog.removeFolder(folder)
    }
    var children: [String: ChildProcess] = [:]
    defer { for child in children.values { child.kill() } }
    for role in players + ["board"] { children[role] = try start(role, url, goals) }
    if let server { say("demo", "nats-server is process \(server.processID), at \(url)") }
    for (role, child) in children {
      say("demo", "\(role) is process \(child.processID); kill -9 it as you like")
    }
    // An interrupt ends everything that was started.
    signal(SIGINT, SIG_IGN)
    nonisolated(unsafe) var isInterrupted = false  // Set and read on the main queue only.
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    interrupt.setEventHandler { isInterrupted = true }
    interrupt.activate()

    let bus = try await Bus(url, options: options)
    let score = try await bus.value(
      try Subject("game.\(game).score"), of: Score.self, initially: Score())
    var victims = kills ? players + ["board", "server"] : []
    var lastKill = ContinuousClock.now
    let end = ContinuousClock.now + .seconds(120 + goals)
    while ContinuousClock.now < end {
      let interrupted = await MainActor.run { isInterrupted }
      if interrupted { return 130 }
      if victims.isEmpty, players.allSatisfy({ score.value.goals[$0, default: 0] >= goals }) {
        break
      }
      if let victim = victims.first, lastKill + .milliseconds(700) < .now {
        victims.removeFirst()
        lastKill = .now
        say("demo", "kills \(victim) with kill -9")
        if let child = children[victim] { child.kill() } else { server?.kill() }
      }
      if let server, !server.isRunning {
        say("demo", "the server is gone; it is started again on its store")
        try server.start()
      }
      for (role, child) in children where !child.isRunning {
        say("demo", "\(role) is gone; it is started again")
        children[role] = try start(role, url, goals)
      }
      try await Task.sleep(for: .milliseconds(50))
    }

    let result = score.value
    let missing = players.map { max(0, goals - result.goals[$0, default: 0]) }.reduce(0, +)
    let lost = result.lost + missing
    say("demo", "\(result.text); lost: \(lost == 0 ? "nothing" : "\(lost)")")
    return lost == 0 ? 0 : 1
  }

  private static func start(
    _ role: String, _ url: String, _ goals: Int
  ) throws -> ChildProcess {
    try ChildProcess(
      Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]),
      ["--role", role, "--server", url, "--goals", "\(goals)", "--game", game])
  }
}
