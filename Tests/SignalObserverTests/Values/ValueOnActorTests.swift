import SignalObserver
import Testing

/// A value of an actor that is not the main actor.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueOnActorTests {
  let log = Log()

  @Studio @Test func `what the setter of a bound property changes is delivered at once, and once`()
  {
    @Studio final class Field {
      let total = EmitterValue(0)
      var text: String {
        get { "\(total.value)" }
        set { total.modify { $0 = Int(newValue) ?? -1 } }
      }
    }
    let (source, field, log) = (EmitterArg<String>(), Field(), log)
    field.total.signal.changes.connect { @Studio _, total in log.add("\(total)") }
    source.signal.bind(to: \.text, of: field)
    source.invoke("7")

    #expect(log.entries == ["7"])
    #expect(field.text == "7")
  }

  @Studio @Test func `a slot that is connected during a delivery is called at once`() {
    let (value, log) = (EmitterValue(0), log)
    let observer = value.signal.changes.connect(on: .inline) { _, _ in
      value.signal.connect { @Studio number in log.add("\(number)") }
    }
    value.set(1)
    // The slot holds the value.
    observer.cancel()

    #expect(log.entries == ["1"])
  }
}
