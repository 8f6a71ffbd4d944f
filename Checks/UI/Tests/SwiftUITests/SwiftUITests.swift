import SignalObserver
import SignalObserverUI
import SwiftUI
import Testing

@MainActor @Suite struct OnSignalTests {
  /// What a view is given, from outside.
  final class Stage {
    var trace: [String] = []
    var isShown = true
    var points = EmitterArg<Int>()
    var prefix = "old"
  }

  @Test func `a slot runs at once, on the main actor`() {
    let stage = Stage()
    let screen = Screen { Text("x").onSignal(stage.points.signal) { stage.trace.append("\($0)") } }
    stage.points.invoke(1)
    stage.points.invoke(2)

    #expect(stage.trace == ["1", "2"])
    #expect(screen.texts == ["x"])
  }

  @Test func `drawing again does not connect again, and the newest closure is called`() {
    let stage = Stage()
    let screen = Screen {
      let prefix = stage.prefix
      return Text("x").onSignal(stage.points.signal) { stage.trace.append("\(prefix) \($0)") }
    }
    stage.points.invoke(1)
    stage.prefix = "new"
    screen.redraw()
    stage.points.invoke(2)

    #expect(stage.trace == ["old 1", "new 2"])
    #expect(stage.points.signal.slotCount == 1)
  }

  @Test func `the connection ends with the view`() {
    let stage = Stage()
    let screen = Screen {
      stage.isShown
        ? Text("x").onSignal(stage.points.signal) { stage.trace.append("\($0)") } : nil
    }
    #expect(stage.points.signal.slotCount == 1)
    stage.isShown = false
    screen.redraw()
    stage.points.invoke(1)

    #expect(stage.points.signal.slotCount == 0)
    #expect(stage.trace == [])
  }

  @Test func `another signal is connected in place of the first`() {
    let stage = Stage()
    let first = stage.points
    let screen = Screen {
      Text("x").onSignal(stage.points.signal) { stage.trace.append("\($0)") }
    }
    stage.points = EmitterArg()
    screen.redraw()
    first.invoke(1)
    stage.points.invoke(2)

    #expect(stage.trace == ["2"])
    #expect(first.signal.slotCount == 0)
  }

  @Test func `a derived source is connected once, and anew when its id changes`() {
    let stage = Stage()
    let value = EmitterValue(1)
    let screen = Screen {
      Text("x").onSignal(value.signal.map { $0 * 10 }, id: stage.prefix) {
        stage.trace.append("\($0)")
      }
    }
    screen.redraw()
    #expect(stage.trace == ["10"])
    stage.prefix = "new"
    screen.redraw()

    #expect(stage.trace == ["10", "10"])
    #expect(value.signal.slotCount == 1)
  }

  @Test func `closures fit signals without arguments and with two`() {
    let stage = Stage()
    let (empty, two) = (EmitterVoid(), EmitterArg2<Int, String>())
    let screen = Screen {
      Text("x")
        .onSignal(empty.signal) { stage.trace.append("empty") }
        .onSignal(two.signal) { score, team in stage.trace.append("\(score) \(team)") }
    }
    empty.invoke()
    two.invoke(1, "north")

    withExtendedLifetime(screen) { #expect(stage.trace == ["empty", "1 north"]) }
  }
}

@MainActor @Suite struct ValueTests {
  final class Player {
    @EmitterValue var title = "News"
    let name = EmitterValue("Ann")
  }

  @Test func `a view that reads a value is drawn anew when it is set`() {
    struct TitleView: View {
      let player: Player

      var body: some View { Text(player.$title.value) }
    }
    let player = Player()
    let screen = Screen { TitleView(player: player) }
    player.title = "Today"
    screen.update()
    #expect(screen.texts == ["Today"])
    screen.update()

    #expect(screen.drawings == 2)
  }

  @Test func `a binding reads and sets the value, and its view is drawn anew`() {
    struct NameView: View {
      let player: Player

      var body: some View { TextField("Name", text: player.name.binding) }
    }
    let player = Player()
    let screen = Screen { NameView(player: player) }
    #expect(screen.fields["Name"]?.wrappedValue == "Ann")
    screen.fields["Name"]?.wrappedValue = "Bea"
    #expect(player.name.value == "Bea")
    screen.update()
    #expect(screen.drawings == 2)
    player.name.value = "Cid"
    screen.update()

    #expect(screen.drawings == 3)
    #expect(screen.fields["Name"]?.wrappedValue == "Cid")
  }
}
