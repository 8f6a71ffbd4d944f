// What is connected to what, and what happened.

import SignalObserver
import SignalObserverTesting

/// An object of the program.
@MainActor final class Game {
  @EmitterArg<Int> var scored

  func score(_ number: Int) { _scored.invoke(number) }
}

@MainActor final class Board {
  func show(_ number: Int) { print(number) }
}

@MainActor func wiring() {
  let (game, board) = (Game(), Board())
  game.scored.filter { $0 > 0 }.connect(board, Board.show)

  // snippet.connections
  for connection in game.scored.connections {
    print(connection.operators, connection.targetType as Any)  // ["filter"] Board
    print(connection.place, connection.pendingCount)  // main 0
    print(connection.fileID, connection.line)  // Wirings/Wirings.swift 19
  }
  // snippet.end

  // snippet.wiring
  print(Wiring(of: game, board))
  // Game
  //   scored: Signal<Int>
  //     → filter → Board, main, Wirings/Wirings.swift:19
  // Board
  // snippet.end

  // snippet.trace
  let trace = SignalTrace(of: game) { game.score(1) }
  print(trace)
  // 1 Game.scored
  //     → filter → Board, main, at once
  // snippet.end

  // snippet.expect
  let delivery = trace.emissions[0].deliveries[0]
  assert(delivery.outcome == .atOnce, "\(trace)")
  // snippet.end
}

// snippet.operator
struct Celsius<Base: SignalSource<Double>>: SignalSource {
  let fahrenheit: Base

  func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
    let celsius = slot.adapted { (value: Double) in (value - 32) / 1.8 }
    return fahrenheit.attach(celsius.passing("celsius"))
  }
}
// snippet.end

wiring()

// snippet.arriving
/// Scores that arrive from a bus, under a subject.
final class RemoteScores: Wiring.Endpoint {
  private let received = EmitterArg<Int>()

  let endpoint = "games.scores"
  var endpointSignal: any SignalSource { received.signal }

  func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
    received.signal.attach(slot)
  }
}
// snippet.end

struct Published<Base: SignalSource<Int>>: SignalSource {
  let scores: Base

  // snippet.leaving
  func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
    scores.attach(slot.leaving(for: "games.scores"))
  }
  // snippet.end
}
