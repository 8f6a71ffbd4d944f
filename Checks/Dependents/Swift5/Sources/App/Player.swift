import SignalObserver

// Of Swift 5: none of these says whether it is `Sendable`.

final class Album {
  var title: String

  init(title: String) { self.title = title }
}

final class Player {
  @EmitterVoid var started
  @EmitterArg<Int> var scoreChanged
  @EmitterArg2<Int, String> var goalScored
  @EmitterArg<Album> var albumChanged
  @EmitterValue var title = ""

  func goal(_ score: Int) {
    _started.invoke()
    _scoreChanged.invoke(score)
    _goalScored.invoke(score, "north")
    _albumChanged.invoke(Album(title: "album \(score)"))
    title = "title \(score)"
  }
}

final class Log {
  private(set) var lines: [String] = []

  func add(_ score: Int) { lines.append("score \(score)") }
  func addGoal(_ score: Int, _ team: String) { lines.append("\(team) \(score)") }
  func addAlbum(_ album: Album) { lines.append(album.title) }
  func addTitle(_ title: String) { lines.append("title \(title)") }
  func upload(_ score: Int) async { lines.append("uploaded \(score)") }
}

final class Counter: Sendable {
  func count(_ score: Int) {}
  func upload(_ score: Int) async {}
}

@MainActor final class ScoreView {
  private(set) var text = ""

  func show(_ score: Int) { text = "\(score)" }
  func clear() { text = "" }
  func load(_ score: Int) async { text = "loaded \(score)" }
}

actor Statistics {
  private(set) var sum = 0

  func add(_ score: Int) { sum += score }
  func save(_ score: Int) async { sum += score }
}

@globalActor actor Disk {
  static let shared = Disk()
}

@Disk final class Archive {
  nonisolated init() {}

  func write(_ score: Int) {}
}
