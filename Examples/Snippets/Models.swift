// Observable models as signals.

import Observation
import SignalObserver

// snippet.model
@MainActor @Observable final class Song {
  var title = "Untitled"
  var plays = 0
}
// snippet.end

// snippet.track
@MainActor final class SongView {
  private let song: Song

  init(_ song: Song) {
    self.song = song
    track(self, SongView.renderTitle, SongView.renderPlays)
  }

  private func renderTitle() { print("title:", song.title) }
  private func renderPlays() { print("plays:", song.plays) }
}
// snippet.end

@MainActor final class TitleView {
  private let song: Song

  init(_ song: Song) {
    self.song = song
    // snippet.one
    track(self, TitleView.render)
    // snippet.end
  }

  private func render() { print("title:", song.title) }
}

@MainActor final class Label {
  func show(_ text: String) { print(text) }
}

@MainActor func show(_ song: Song, in label: Label) {
  // snippet.observed
  observed { song.plays > 9 ? "\(song.title) (hit)" : song.title }
    .connect(label, Label.show)
  // snippet.end
}

// snippet.value
@MainActor final class Player {
  @EmitterValue private(set) var score = 0

  func goal() { score += 1 }
}

@MainActor func follow(_ player: Player) {
  withObservationTracking {
    print(player.score)  // or player.$score.value
  } onChange: {
    print("about to change")
  }
  // The same value as a signal.
  player.$score.connect { score in print("now", score) }
}
// snippet.end
