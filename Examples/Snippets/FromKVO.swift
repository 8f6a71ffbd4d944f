// A song and its view, with values in place of key-value observing.

import SignalObserver

#if canImport(ObjectiveC)
  import Foundation

  // snippet.bridge
  /// Sends the fraction that a `Progress` has completed.
  ///
  /// `@unchecked Sendable`: only `init` uses the observation. Releasing ends it.
  final class ProgressWatcher: @unchecked Sendable {
    private let changed = EmitterArg<Double>()
    var fractionChanged: SignalArg<Double> { changed.signal }
    private let observation: NSKeyValueObservation

    init(_ progress: Progress) {
      observation = progress.observe(\.fractionCompleted) {
        [changed] progress, _ in
        changed.invoke(progress.fractionCompleted)
      }
    }
  }
// snippet.end
#endif

// snippet.after
final class Song {
  @EmitterValue var title = "Untitled"
  @EmitterValue var artist = ""
  var heading: some SignalSource<String> {
    combineLatest($title, $artist)
      .map { title, artist in "\(artist): \(title)" }
  }
}

final class SongView {
  private(set) var text = ""
  private let observers = ObserverBag()

  func follow(_ song: Song) {
    observers.cancelAll()  // the song that the view followed before
    song.heading.connect(self) { view, heading in view.text = heading }
      .store(in: observers)
    song.$title.changes.connect { old, new in print("renamed:", old, new) }
      .store(in: observers)
  }
}
// snippet.end

@MainActor func check() {
  let song = Song()
  let view = SongView()
  view.follow(song)
  precondition(view.text == ": Untitled")
  song.title = "Yesterday"
  song.artist = "Kim"
  precondition(view.text == "Kim: Yesterday")
}

check()
