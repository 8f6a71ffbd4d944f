import SignalObserver
import SignalObserverTesting
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ReleaseCheckTests {
  @Test func `it names what is alive, and holds nothing`() {
    final class Label {
      func show(_ score: Int) {}
    }
    let check = ReleaseCheck()
    let emitter = EmitterArg<Int>()
    var label: Label? = check.watch(Label())
    let capture = check.capture("closure")
    emitter.signal.connect { [capture] _ in withExtendedLifetime(capture) {} }
    if let label { emitter.signal.connect(label, Label.show, .inline) }
    #expect(check.alive == ["Label", "closure"])
    label = nil

    #expect(check.alive == ["closure"])
  }

  @Test func `it names each of several objects of one type`() {
    final class Label {}
    let check = ReleaseCheck()
    var labels = (0..<3).map { _ in check.watch(Label()) }
    #expect(check.alive == ["Label", "Label", "Label"])
    labels.removeFirst()

    #expect(check.alive == ["Label", "Label"])
  }

  @Test func `a cancelled connection has released its captures`() {
    let check = ReleaseCheck()
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.connect { [capture = check.capture("closure")] _ in
      withExtendedLifetime(capture) {}
    }
    #expect(check.alive == ["closure"])
    observer.cancel()

    #expect(check.alive == [])
  }
}
