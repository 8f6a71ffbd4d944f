import SignalObserver
import Testing

/// Whatever emits on an actor, the actor's own slots run there and then, before a later inline slot.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct AtOnceTests {
  private let atOnce = ["here", "inline"]

  @Test func `invoke without a payload says where it is`() async {
    #expect(await Home().invokeNothing() == atOnce)
  }

  @Test func `invoke with two arguments says where it is`() async {
    #expect(await Home().invokeBoth() == atOnce)
  }

  @Test func `invokeAndWait says where it is`() async {
    #expect(await Home().invokeAndWait() == atOnce)
  }

  @Test func `an emitter that is bound says where its source emits`() async {
    #expect(await Home().invokeBound() == atOnce)
  }

  @Test func `a value that is set says where it is`() async {
    #expect(await Home().set() == atOnce)
  }

  @Test func `a value that is invoked says where it is`() async {
    #expect(await Home().invokeValue() == atOnce)
  }

  @Test func `a value that is bound says where its source emits`() async {
    #expect(await Home().setBound() == atOnce)
  }

  @Test func `a bond says where the other side is set`() async {
    #expect(await Home().setBonded() == atOnce)
  }

  @Test func `a merge says where its source emits`() async {
    #expect(await Home().invokeMerged() == atOnce)
  }

  @Test func `a replay says where its source emits`() async {
    #expect(await Home().invokeReplayed() == atOnce)
  }

  @Test func `feeding says where it is`() async {
    #expect(await Home().feed() == atOnce)
  }
}

private actor Home {
  private let log = Log()

  private func note() { log.add("here") }

  private func follow<Payload: Sendable>(_ source: some SignalSource<Payload>) {
    let log = log
    source.connect { (_: Payload) in self.note() }
    source.connect(on: .inline) { (_: Payload) in log.add("inline") }
  }

  func invokeNothing() -> [String] {
    let emitter = EmitterVoid()
    follow(emitter.signal)
    emitter.invoke()
    return log.entries
  }

  func invokeBoth() -> [String] {
    let emitter = EmitterArg2<Int, String>()
    let log = log
    emitter.signal.connect { (_: (Int, String)) in self.note() }
    emitter.signal.connect(on: .inline) { (_: (Int, String)) in log.add("inline") }
    emitter.invoke(1, "a")
    return log.entries
  }

  func invokeAndWait() async -> [String] {
    let emitter = EmitterArg<Int>()
    follow(emitter.signal)
    await emitter.invokeAndWait(1)
    return log.entries
  }

  func invokeBound() -> [String] {
    let (source, emitter) = (EmitterArg<Int>(), EmitterArg<Int>())
    source.signal.bind(to: emitter)
    follow(emitter.signal)
    source.invoke(1)
    return log.entries
  }

  func set() -> [String] {
    let value = EmitterValue(0)
    follow(value.signal.changes.map { $0.1 })
    value.set(1)
    return log.entries
  }

  func invokeValue() -> [String] {
    let value = EmitterValue(0)
    follow(value.signal.changes.map { $0.1 })
    value.invoke()
    return log.entries
  }

  func setBound() -> [String] {
    let (source, value) = (EmitterArg<Int>(), EmitterValue(0))
    source.signal.bind(to: value)
    follow(value.signal.changes.map { $0.1 })
    source.invoke(1)
    return log.entries
  }

  func setBonded() -> [String] {
    let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
    let bond = mine.bond(givingTo: theirs)
    follow(theirs.signal.changes.map { $0.1 }.filter { $0 == 1 })
    mine.set(1)
    bond.cancel()
    return log.entries
  }

  func invokeMerged() -> [String] {
    let (emitter, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    follow(merge(emitter.signal, other.signal))
    emitter.invoke(1)
    return log.entries
  }

  func invokeReplayed() -> [String] {
    let emitter = EmitterArg<Int>()
    let replay = emitter.signal.replay(0)
    follow(replay)
    emitter.invoke(1)
    return log.entries
  }

  func feed() async -> [String] {
    let emitter = EmitterArg<Int>()
    follow(emitter.signal)
    let feeding = emitter.invoke(
      forEach: AsyncStream {
        $0.yield(1); $0.finish()
      })
    defer { feeding.cancel() }
    return await log.entries(2)
  }
}
