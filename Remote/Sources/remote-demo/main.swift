// Three processes, two players and a board, play and score a game, and share its title.
//
//   remote-demo [--server URL] [--goals N] [--kill]
//
// Without --server, the program starts a nats-server of its own. Kill any of the processes, or the
// server, with kill -9: the program starts them again, and the game continues. With --kill, the
// program kills them itself.

import Foundation
import NATSServer
import SignalObserverNATS

let arguments = Array(CommandLine.arguments.dropFirst())

func value(of option: String) -> String? {
  guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else {
    return nil
  }
  return arguments[index + 1]
}

let goals = value(of: "--goals").flatMap { Int($0) } ?? 15
switch value(of: "--role") {
case "board": try await Board.run(bus: try await connected(), goals: goals)
case let player?: try await Player.run(player, bus: try await connected(), goals: goals)
case nil: exit(try await Supervisor.run(value(of: "--server"), goals, arguments.contains("--kill")))
}

/// A bus to the server, which may not be there yet.
func connected() async throws -> Bus {
  guard let address = value(of: "--server") else { exit(64) }
  for _ in 0..<200 {
    if let bus = try? await Bus(address, options: options) { return bus }
    try await Task.sleep(for: .milliseconds(100))
  }
  return try await Bus(address, options: options)
}
