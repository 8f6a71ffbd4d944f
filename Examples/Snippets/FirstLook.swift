// A class announces events, others connect their methods to them.

// snippet.first
import SignalObserver

final class Player {
  @EmitterArg2<Int, String> var goalScored

  // The storage is private, so that only Player can send.
  func goal() { _goalScored.invoke(1, "north") }
}

final class Label {
  func follow(_ player: Player) {
    player.goalScored.connect(self, Label.show)
  }

  private func show(score: Int, team: String) { print(team, score) }
}

let player = Player()
var label: Label? = Label()
label?.follow(player)  // no [weak self], no token to keep
player.goal()  // north 1
label = nil  // the connection ends with its target
// snippet.end
player.goal()
