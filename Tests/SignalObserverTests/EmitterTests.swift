import SignalObserver
import Testing

@Suite struct EmitterTests {
  @Test func `an emission reaches a connected method with its arguments`() {
    final class Player {
      @EmitterArg2<Int, String> var scoreChanged

      func goal() { _scoreChanged.invoke(1, "north") }
    }
    final class Label {
      var texts: [String] = []

      func show(score: Int, team: String) { texts.append("\(team) \(score)") }
    }
    let player = Player()
    let label = Label()

    player.scoreChanged.connect(label, Label.show, nil)
    player.goal()

    #expect(label.texts == ["north 1"])
  }
}
