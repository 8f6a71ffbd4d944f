// Signals and values in SwiftUI views.

#if canImport(SwiftUI)
  import SignalObserver
  import SignalObserverUI
  import SwiftUI

  // snippet.model
  @MainActor final class Game {
    @EmitterValue private(set) var score = 0
    let player = EmitterValue("Ann")
    @EmitterArg<Int> var scored

    func goal() {
      score += 1
      _scored.invoke(score)
    }
  }
  // snippet.end

  // snippet.view
  struct GameView: View {
    let game: Game
    @State private var news = ""

    var body: some View {
      VStack {
        TextField("Player", text: game.player.binding)  // reads and sets
        Text("\(game.$score.value)")  // is drawn again when it is set
        Text(news)
        Button("Goal") { game.goal() }
      }
      .onSignal(game.scored) { score in news = "Goal! \(score)" }
    }
  }
  // snippet.end

  struct NewsView: View {
    let game: Game
    @State private var news = ""

    var body: some View {
      // snippet.news
      Text(news).onSignal(game.scored) { score in news = "Goal! \(score)" }
      // snippet.end
    }
  }

  actor Archive {
    func add(_ score: Int) {}
  }

  struct ArchivedView: View {
    let game: Game
    let archive: Archive

    // snippet.async
    var body: some View {
      GameView(game: game)
        .onSignal(game.scored) { score in await archive.add(score) }
    }
    // snippet.end
  }

  struct HitView: View {
    let game: Game
    let round: Int
    @State private var hits = 0

    // snippet.derived
    var body: some View {
      Text("\(hits)")
        .onSignal(game.scored.filter { $0 > 9 }, id: round) { _ in hits += 1 }
    }
    // snippet.end
  }
#endif
