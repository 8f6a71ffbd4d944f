// A class announces what happens, others connect their methods to it.

// snippet.first
import SignalObserver

final class Player {
  @EmitterArg<Int> var scoreChanged

  // The storage is private, so that only Player can send.
  func goal(_ score: Int) { _scoreChanged.invoke(score) }
}

@MainActor final class Label {
  func follow(_ player: Player) {
    // show is private, and runs on the main actor.
    player.scoreChanged.connect(self, Label.show)
  }

  private func show(_ score: Int) { print(score) }
}

let player = Player()
var label: Label? = Label()
label?.follow(player)  // no [weak self], no token to keep
player.goal(1)  // prints 1
label = nil  // the connection ends with its target
// snippet.end
player.goal(2)

actor Statistics {
  func save(_ score: Int) async {}
}

@MainActor final class Search {
  @EmitterValue var text = ""
}

@MainActor final class Page {
  var title = ""

  func load(_ text: String) {}
}

@MainActor func glance(
  _ player: Player, _ statistics: Statistics, _ search: Search, _ page: Page
) async {
  // snippet.glance
  player.scoreChanged.connect(statistics, Statistics.save)  // on the actor
  search.$text.debounce(for: .milliseconds(300)).connect(page, Page.load)
  search.$text.bind(to: \.title, of: page)  // now, and after each change
  for await score in player.scoreChanged.values { print(score) }
  // snippet.end
}
