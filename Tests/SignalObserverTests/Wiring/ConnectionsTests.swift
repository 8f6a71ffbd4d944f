import Dispatch
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .nothingLeft, .timeLimit(.minutes(5))) struct ConnectionsTests {
  let emitter = EmitterArg<Int>()
  let log = Log()

  private var connections: [Wiring.Connection] { emitter.signal.connections }

  @Test func `methods and closures are told apart, with and without targets`() {
    let target = Target("target", log)
    emitter.signal.connect(target, Target.show, .inline)
    emitter.signal.connect(target, on: .inline) { _, _ in }
    emitter.signal.connect(on: .inline) { _ in }
    emitter.signal.map(target, Target.showText) { "\($0)" }

    #expect(connections.map(\.slot) == [.method, .closure, .closure, .method])
    #expect(connections.map { $0.targetType == Target.self } == [true, true, false, true])
    #expect(connections.map { $0.targetType == nil } == [false, false, true, false])
    #expect(connections.map(\.operators) == [[], [], [], ["map"]])
  }

  @Test func `each connect form says where its slot runs`() async {
    let recorder = Recorder(log)
    emitter.signal.connect(on: .inline) { _ in }
    emitter.signal.connect({ @MainActor _ in })
    emitter.signal.connect(on: DispatchQueue(label: "work")) { _ in }
    emitter.signal.connect({ @Studio _ in })
    emitter.signal.connect(recorder, { _, _ in })
    emitter.signal.connect(recorder, Recorder.note)
    emitter.signal.connect { @concurrent (_: Int) async in }
    emitter.signal.connect { @MainActor (_: Int) async in }

    #expect(
      connections.map(\.place) == [
        .inline, .main, .queue("work"), .actor("Studio"), .target, .target, .task, .main,
      ])
    #expect(connections.map(\.isAsync) == [false, false, false, false, false, true, true, true])
  }

  @Test func `operators are named in the order in which payloads pass them`() {
    let source =
      emitter.signal
      .filter { $0 > 0 }.map { $0 + 1 }.compactMap { $0 }.removeDuplicates().dropFirst().prefix(9)
      .prefix { $0 < 9 }.scan(0) { $0 + $1 }.buffering(.newest(1)).debounce(for: .seconds(1))
      .pairwise()
    let observer = source.connect(on: .inline) { _ in }

    #expect(
      connections.map(\.operators) == [
        [
          "filter", "map", "compactMap", "removeDuplicates", "dropFirst", "prefix", "prefix",
          "scan", "buffering", "debounce", "pairwise",
        ]
      ])
    observer.cancel()
  }

  @Test func `an operator of the program has the name that it gives, or none`() {
    Doubled(base: emitter.signal, name: "doubled").connect(on: .inline) { _ in }
    Doubled(base: emitter.signal, name: nil).map { $0 }.connect(on: .inline) { _ in }

    #expect(connections.map(\.operators) == [["doubled"], ["map"]])
  }

  @Test func `operators of several sources name what the program has written`() {
    let (second, third) = (EmitterArg<Int>(), EmitterArg<Int>())
    let all = combineLatest(emitter.signal, second.signal, third.signal)
    let observer = all.map { $0.0 }.connect(on: .inline) { _ in }

    #expect(connections.map(\.operators) == [["combineLatest", "map"]])
    #expect(third.signal.connections.map(\.operators) == [["combineLatest", "map"]])
    observer.cancel()
  }

  @Test func `bindings name the signal or the object that they feed`() {
    let (other, value, twin) = (EmitterArg<Int>(), EmitterValue(0), EmitterValue(0))
    let box = Box(0)
    let observers = [
      emitter.signal.bind(to: other), emitter.signal.bind(to: value),
      emitter.signal.bind(to: \.value, of: box, on: .inline), value.bond(givingTo: twin),
    ]

    #expect(connections.map(\.operators) == [["bind"], ["bind"], ["bind"]])
    #expect(connections.map(\.slot) == [.signal, .signal, .closure])
    #expect(
      connections.map { "\($0.targetType ?? Never.self)" } == [
        "Signal<Int>", "SignalValue<Int>", "Box<Int>",
      ])
    for side in [value, twin] {
      #expect(side.signal.connections.map(\.operators) == [["bond"]])
      #expect(side.signal.connections.map(\.slot) == [.signal])
    }
    for observer in observers { observer.cancel() }
  }

  @Test func `a replay has the connections that follow it`() {
    let replay = emitter.signal.replay(1)
    let observers = [1, 2].map { line in
      replay.filter { _ in true }.connect(on: .inline, fileID: "M/F.swift", line: line) { _ in }
    }

    #expect(connections.map(\.slot) == [.operator])
    #expect(connections.first?.following.map(\.operators) == [["filter"], ["filter"]])
    #expect(connections.first?.following.map(\.line) == [1, 2])
    observers[0].cancel()
    #expect(connections.map(\.operators) == [["replay", "filter"]])
    observers[1].cancel()
    withExtendedLifetime(replay) {}
  }

  @Test func `suspension, pending and dropped payloads, file and line are told`() {
    let queue = DispatchQueue(label: "held")
    let hold = Gate()
    queue.async { hold.pass() }
    let observer = emitter.signal.buffering(.newest(2))
      .connect(on: queue, fileID: "M/F.swift", line: 7) { _ in }
    for value in 0..<5 { emitter.invoke(value) }
    observer.suspend()

    let connection = connections.first
    #expect(connection?.isSuspended == true)
    #expect(connection?.pendingCount == 2)
    #expect(connection?.droppedCount == 3)
    #expect(connection?.fileID == "M/F.swift")
    #expect(connection?.line == 7)
    hold.open()
    queue.sync {}
    #expect(connections.first?.pendingCount == 0)
    #expect(connection?.pendingCount == 2)
  }

  @Test func `a value tells its connections, those to its changes included`() {
    let value = EmitterValue(7)
    value.signal.connect(on: .inline) { _ in }
    value.signal.changes.connect(on: .inline) { _, _ in }

    #expect(value.signal.connections.map(\.operators) == [[], ["changes"]])
  }

  @Test func `connections keep no target alive, and leave out those whose target is dead`() {
    var target: Target? = Target("target", log)
    @Weakly var kept = target
    if let target { emitter.signal.connect(target, Target.show, .inline) }
    let connections = connections
    target = nil

    #expect(kept == nil)
    #expect(connections.map(\.slot) == [.method])
    #expect(self.connections.isEmpty)
  }

  @Test func `what a dead target's closure releases may use the signal while it is looked at`() {
    var target: Target? = Target("target", log)
    if let target {
      let end = Lifetime { [emitter] in
        emitter.invoke(1)
        emitter.signal.connect(on: .inline) { _ in }
      }
      emitter.signal.connect(target, on: .inline) { _, _ in end.use() }
    }
    target = nil

    #expect(connections.isEmpty)
    #expect(connections.map(\.slot) == [.closure])
  }
}

/// An operator of the program.
private struct Doubled<Base: SignalSource<Int>>: SignalSource {
  let base: Base
  let name: String?

  func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
    let slot = slot.adapted { $0 * 2 }
    return base.attach(name.map { slot.passing($0) } ?? slot)
  }
}
