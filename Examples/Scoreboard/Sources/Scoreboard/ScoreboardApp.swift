// The example with a screen: one file, for Apple's systems.

#if canImport(SwiftUI)
  import SignalObserver
  import SignalObserverUI
  import SwiftUI

  /// Knows nothing of screens.
  @MainActor final class Match {
    /// Others read it and are told of it; only the match sets it.
    @EmitterValue private(set) var score = 0
    /// Anybody may set it, so it is a constant that is handed out as a whole.
    let team = EmitterValue("North")
    @EmitterArg<String> var won

    func goal() {
      score += 1
      if score == 3 { _won.invoke(team.value) }
    }
  }

  struct MatchView: View {
    let match: Match
    @State private var news = "Who is first to score three?"

    var body: some View {
      VStack {
        TextField("Team", text: match.team.binding)
        // Read here, so this is drawn again when the match sets it.
        Text("\(match.team.value): \(match.$score.value)")
        Button("Goal") { match.goal() }
        Text(news)
      }
      .onSignal(match.won) { team in news = "\(team) has won" }
    }
  }

  @main struct ScoreboardApp: App {
    private let match = Match()

    var body: some Scene {
      WindowGroup { MatchView(match: match) }
    }
  }
#else
  @main enum Scoreboard {
    static func main() { print("The scoreboard is drawn by SwiftUI, which is not here.") }
  }
#endif
