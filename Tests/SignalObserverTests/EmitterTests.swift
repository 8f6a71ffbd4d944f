import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct EmitterTests {
  let log = Log()

  @Test func `a property wrapper emits, and its property is the signal, always the same`() {
    final class Player {
      @EmitterArg2<Int, String> var scoreChanged

      func goal() { _scoreChanged.invoke(1, "north") }
    }
    let player = Player()
    let target = Target("label", log)
    player.scoreChanged.connect(target, Target.showBoth, .inline)

    player.goal()

    #expect(log.entries == ["label 1 north"])
    #expect(player.scoreChanged === player.scoreChanged)
  }

  @Test func `a constant emitter is for Sendable classes and statics`() {
    final class Service: Sendable {
      static let quit = EmitterVoid()
      let changed = EmitterArg<Int>()
    }
    let service = Service()
    let target = Target("target", log)
    service.changed.signal.connect(target, Target.show, .inline)
    let observer = Service.quit.signal.connect(target, Target.called, .inline)

    service.changed.invoke(1)
    Service.quit.invoke()
    observer.cancel()

    #expect(log.entries == ["target 1", "target"])
  }

  @Test func `copies of an emitter share the signal`() {
    let emitter = EmitterVoid()
    let copy = emitter
    copy.signal.connect(on: .inline) { [log] in log.add("called") }

    emitter.invoke()

    #expect(copy.signal === emitter.signal)
    #expect(log.entries == ["called"])
  }

  @Test func `emitting without slots does nothing`() {
    let emitter = EmitterArg<Int>()
    emitter.invoke(1)
    emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }.cancel()

    emitter.invoke(2)

    #expect(log.entries == [])
  }

  @Test func `a slot may take nothing of any payload`() {
    let (nothing, one, two) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let target = Target("called", log)
    nothing.signal.connect(target, Target.called, .inline)
    one.signal.connect(target, Target.called, .inline)
    two.signal.connect(target, Target.called, .inline)

    nothing.invoke()
    one.invoke(1)
    two.invoke(1, "one")

    #expect(log.entries == ["called", "called", "called"])
  }

  @Test func `a large payload is shared and not copied`() {
    let emitter = EmitterArg<[Int]>()
    let addresses = Log()
    let address: @Sendable ([Int]) -> String = { values in
      unsafe values.withUnsafeBufferPointer { "\($0.baseAddress as Any)" }
    }
    let payload = Array(0..<100_000)
    for _ in 0..<3 { emitter.signal.connect(on: .inline) { addresses.add(address($0)) } }

    emitter.invoke(payload)

    #expect(addresses.entries == Array(repeating: address(payload), count: 3))
  }

  @Test func `a method of a superclass is connected, and an override of it is called`() {
    class Base {
      let log: Log
      init(_ log: Log) { self.log = log }

      func show(_ value: Int) { log.add("base \(value)") }
      func inherited(_ value: Int) { log.add("inherited \(value)") }
    }
    final class Derived: Base {
      override func show(_ value: Int) { log.add("derived \(value)") }
    }
    let emitter = EmitterArg<Int>()
    let target = Derived(log)
    emitter.signal.connect(target, Base.show, .inline)
    emitter.signal.connect(target, Derived.inherited, .inline)

    emitter.invoke(1)

    #expect(log.entries == ["derived 1", "inherited 1"])
  }

  @Test func `a payload that is not Sendable is delivered inline`() {
    final class Document { var title = "untitled" }
    let emitter = EmitterArg<Document>()
    let log = log
    emitter.signal.connect { (document: Document) in
      document.title = "seen"
      log.add("slot")
    }
    let document = Document()

    emitter.invoke(document)

    #expect(document.title == "seen")
    #expect(log.entries == ["slot"])
  }
}
