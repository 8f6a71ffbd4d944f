import Foundation
import SignalObserver
import Testing

/// A value whose state belongs to the main actor.
@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct IsolatedValueTests {
  @MainActor final class Settings {
    private var stored = "Kim"
    var onRead = {}
    var name: String {
      get {
        onRead()
        return stored
      }
      set { stored = newValue }
    }
  }

  static func value(of settings: Settings) -> EmitterValue<String> {
    EmitterValue(get: { settings.name }, set: { settings.name = $0 })
  }

  @Test func `a value may be kept in a property of the main actor`() {
    let settings = Settings()
    let value = Self.value(of: settings)
    let (trace, _) = value.signal.traced()
    let log = Log()
    value.signal.changes.connect(on: .inline) { log.add("\($0) \($1)") }

    value.value = "Lee"
    value.modify { $0 += "!" }
    settings.name = "Sam"
    #expect(value.value == "Sam")
    value.invoke()

    #expect(trace.entries == ["Kim", "Lee", "Lee!", "Sam"])
    #expect(log.entries == ["Kim Lee", "Lee Lee!", "Lee! Sam"])
  }

  @Test func `a binding compares with what the getter returns`() {
    let settings = Settings()
    let (value, source) = (Self.value(of: settings), EmitterValue("Kim"))
    source.signal.bind(to: value)
    settings.name = "Sam"
    source.set("Kim")

    #expect(settings.name == "Kim")
    #expect(value.value == "Kim")
  }

  @Test func `elsewhere it is what was last set or sent`() async {
    let settings = Settings()
    let value = Self.value(of: settings)
    value.set("Lee")
    settings.name = "Sam"

    let read = await Task.detached { (value.value, value.signal.traced().0.entries) }.value

    #expect(read == ("Lee", ["Lee"]))
  }

  @Test func `elsewhere it is what it was at first, if nothing was set or sent`() async {
    let settings = Settings()
    let value = Self.value(of: settings)
    settings.name = "Sam"

    let read = await Task.detached { (value.value, value.signal.traced().0.entries) }.value

    #expect(read == ("Kim", ["Kim"]))
  }

  @Test(arguments: ["set", "modify", "invoke", "bound"])
  func `setting it elsewhere stops the program, and says where to set it`(how: String) async throws
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [how] in
      let settings = await Settings()
      let value = await MainActor.run { IsolatedValueTests.value(of: settings) }
      // The getter does not run either: this would end the program without a failure.
      await MainActor.run { settings.onRead = { exit(EXIT_SUCCESS) } }
      await Task.detached {
        switch how {
        case "bound":
          let source = EmitterArg<String>()
          source.signal.bind(to: value)
          source.invoke("Lee")
        case "set": value.set("Lee")
        case "modify": value.modify { $0 = "Lee" }
        default: value.invoke()
        }
      }.value
    }

    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("a value of the main actor is made, set and sent there"))
  }

  @Test func `a value of another global actor is set on that actor only`() async {
    @Studio final class Settings {
      var volume = 1
      func value() -> EmitterValue<Int> {
        EmitterValue(get: { self.volume }, set: { self.volume = $0 })
      }
      func turnUp() -> Int {
        value().set(2)
        return volume
      }
    }
    #expect(await Settings().turnUp() == 2)
    await #expect(processExitsWith: .failure) {
      let value = await Settings().value()
      value.set(2)
    }
  }
}

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
