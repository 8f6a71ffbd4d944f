import SignalObserver
import SignalObserverUI
import SwiftUI
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct OnSignalTests {
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

  @Test func `a view that appears again keeps its connection`() {
    let (stage, value) = (Stage(), EmitterValue(1))
    let screen = Screen {
      Text("x").onSignal(value.signal) { stage.trace.append("\($0)") }
    }
    screen.redraw()
    screen.appearAgain()
    value.set(2)

    #expect(stage.trace == ["1", "2"])
  }

  @Test func `an asynchronous action runs one call at a time, in order`() async {
    let stage = Stage()
    let steps = EmitterVoid()
    let screen = Screen {
      Text("x").onSignal(stage.points.signal) { point in
        stage.trace.append("begin \(point)")
        await steps.signal.next()
        stage.trace.append("end \(point)")
      }
    }
    for point in 1...3 { stage.points.invoke(point) }
    #expect(stage.trace == [])
    for point in 1...3 {
      await until { stage.trace.last == "begin \(point)" && steps.signal.slotCount == 1 }
      steps.invoke()
    }
    await until { stage.trace.count == 6 }

    withExtendedLifetime(screen) {
      #expect(stage.trace == (1...3).flatMap { ["begin \($0)", "end \($0)"] })
    }
  }

  @Test func `an asynchronous action is cancelled with the view, and what waits is dropped`() async
  {
    let stage = Stage()
    let steps = EmitterVoid()
    let screen = Screen {
      stage.isShown
        ? Text("x").onSignal(stage.points.signal) { point in
          stage.trace.append("begin \(point)")
          _ = await steps.signal.next()
          stage.trace.append(Task.isCancelled ? "cancelled" : "end")
        } : nil
    }
    stage.points.invoke(1)
    stage.points.invoke(2)
    await until { stage.trace == ["begin 1"] && steps.signal.slotCount == 1 }
    stage.isShown = false
    screen.redraw()
    await until { stage.trace.count == 2 && stage.points.signal.slotCount == 0 }

    #expect(stage.trace == ["begin 1", "cancelled"])
  }

  @Test func `another source waits for the call of the first, which is cancelled`() async {
    let stage = Stage()
    let gate = EmitterVoid()
    let first = stage.points
    let screen = Screen {
      Text("x").onSignal(stage.points.signal) { point in
        stage.trace.append("begin \(point)")
        // It does not look at its cancellation.
        if point == 1 { await Task { await gate.signal.next() }.value }
        stage.trace.append(Task.isCancelled ? "cancelled" : "end")
      }
    }
    first.invoke(1)
    await until { stage.trace == ["begin 1"] && gate.signal.slotCount == 1 }
    stage.points = EmitterArg()
    screen.redraw()
    stage.points.invoke(2)
    first.invoke(3)
    gate.invoke()
    await until { stage.trace.count == 4 }

    #expect(stage.trace == ["begin 1", "cancelled", "begin 2", "end"])
  }

  @Test func `a view that is gone drops what it has kept, although a call does not end`() async {
    let stage = Stage()
    let gate = EmitterVoid()
    let first = stage.points
    var screen: Screen? = Screen {
      Text("x").onSignal(stage.points.signal) { point in
        stage.trace.append("begin \(point)")
        // It does not look at its cancellation.
        await Task { await gate.signal.next() }.value
      }
    }
    first.invoke(1)
    await until { stage.trace == ["begin 1"] && gate.signal.slotCount == 1 }
    stage.points = EmitterArg()
    screen?.redraw()
    #expect(first.signal.slotCount == 0)
    #expect(stage.points.signal.slotCount == 1)
    screen = nil
    #expect(stage.points.signal.slotCount == 0)
    gate.invoke()
  }

  /// Waits for what other tasks of the main actor do, until the test's time is over.
  private func until(_ condition: () -> Bool) async {
    while !condition() && !Task.isCancelled { await Task.yield() }
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
