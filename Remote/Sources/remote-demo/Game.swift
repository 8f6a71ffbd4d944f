import Foundation
import NATSServer
import SignalObserver
import SignalObserverNATS

/// One goal of a player, who counts them from 1.
struct Goal: Codable, Sendable {
  let player: String
  let number: Int
}

/// The state of the board, which the servers keep.
struct Score: Codable, Sendable, Equatable {
  var goals: [String: Int] = [:]
  var lost = 0

  var text: String { "north \(goals["north", default: 0]) : \(goals["south", default: 0]) south" }
}

let players = ["north", "south"]

/// The name of this game, which tells it from other games on the same server.
let game = value(of: "--game") ?? String(UInt32.random(in: 0 ..< .max), radix: 36)

/// The options, with a short time to take over, so that the demonstration does not wait.
var options: BusOptions {
  var options = BusOptions()
  options.takeover = .seconds(1)
  return options
}

/// Prints a line at once, in one piece.
func say(_ who: String, _ text: String) {
  FileHandle.standardOutput.write(Data("[\(who)] \(text)\n".utf8))
}

/// Shoots goals, and shows the score and the title as the others make them.
final class Player: Sendable {
  private let goalShot = Emitter<Goal>()
  let name: String

  init(_ name: String) { self.name = name }

  static func run(_ name: String, bus: Bus, goals: Int) async throws {
    let player = Player(name)
    let stream = try await bus.stream("game")
    // If a goal is announced again after a kill, the servers keep it once.
    stream.send(player.goalShot.signal, to: try Subject("game.\(game).\(name)")) {
      "\(game) \($0.player) \($0.number)"
    }
    let score = try await bus.value(
      try Subject("game.\(game).score"), of: Score.self, initially: Score())
    let title = try await bus.value(
      try Subject("game.\(game).title"), of: String.self, initially: "Warming up")
    score.connect(player, Player.see, .inline)
    title.connect(player, Player.read, .inline)

    // The number is stored before the goal is announced. A goal that was counted but not announced
    // is announced now.
    let count = try await bus.value(try Subject("game.\(game).\(name)"), of: Int.self, initially: 0)
    if count.value > 0 { player.goalShot.invoke(Goal(player: name, number: count.value)) }
    while count.value < goals {
      let number = try await count.modify { number in
        number += 1
        return number
      }
      say(name, "shoots goal \(number)")
      player.goalShot.invoke(Goal(player: name, number: number))
      try await Task.sleep(for: .milliseconds(200))
    }
    try await stream.flush()
    while true { try await Task.sleep(for: .seconds(1000)) }
  }

  private func see(_ score: Score) { say(name, "sees \(score.text)") }
  private func read(_ title: String) { say(name, "reads the title \"\(title)\"") }
}

/// Counts the goals, each once, and writes the title.
enum Board {
  static func run(bus: Bus, goals: Int) async throws {
    let stream = try await bus.stream("game")
    let score = try await bus.value(
      try Subject("game.\(game).score"), of: Score.self, initially: Score())
    let title = try await bus.value(
      try Subject("game.\(game).title"), of: String.self, initially: "Warming up")
    let counted = stream.consumer(
      try Name("board-\(game)"), on: try SubjectPattern("game.\(game).>"), of: Goal.self)
    counted.connect(throwing: { message in
      let goal = message.payload
      let now = try await score.modify { score in
        let last = score.goals[goal.player, default: 0]
        // The number says that the goal was counted before a kill, and not acknowledged.
        if goal.number <= last { return score }
        score.lost += goal.number - last - 1
        score.goals[goal.player] = goal.number
        return score
      }
      say("board", "counts goal \(goal.number) of \(goal.player): \(now.text)")
      let total = now.goals.values.reduce(0, +)
      if total % 5 == 0 { try await title.set("\(total) goals") }
    })
    while true { try await Task.sleep(for: .seconds(1000)) }
  }
}

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
