import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueDeclarationTests {
  final class Service: Sendable {
    private let title = EmitterValue("a")
    var titleValue: SignalValue<String> { title.signal }
    static let shared = EmitterValue(1)

    func load() { title.value += "b" }
  }

  actor Counter {
    @EmitterValue var count = 0
    private let total = EmitterValue(0)
    nonisolated var totalValue: SignalValue<Int> { total.signal }

    func add() {
      count += 1
      total.set(total.value + 1)
    }
    func trace() -> Trace<Int> { $count.traced().0 }
  }

  @MainActor final class Screen {
    @EmitterValue var title = "a"
    var shown: [String] = []

    func show(_ title: String) { shown.append(title) }
  }

  @Test func `a constant of a Sendable class is a value`() {
    let service = Service()
    let (trace, _) = service.titleValue.traced()
    service.load()
    Service.shared.set(2)
    #expect(trace.entries == ["a", "ab"])
    #expect(Service.shared.value == 2)
  }

  @Test func `an actor has values`() async {
    let counter = Counter()
    let inside = await counter.trace()
    let (outside, _) = counter.totalValue.traced()
    await counter.add()
    #expect(inside.entries == [0, 1])
    #expect(outside.entries == [0, 1])
  }

  @Test @MainActor func `a main actor class is told at once of what is set there`() {
    let screen = Screen()
    let other = Screen()
    screen.$title.connect(other, Screen.show)
    screen.title = "b"
    #expect(other.shown == ["a", "b"])
  }

  @Test(arguments: [false, true])
  func `an actor slot runs before a change returns that is made on the actor`(
    isKeptElsewhere: Bool
  ) async {
    actor Store {
      let value: EmitterValue<Int>
      var seen: [Int] = []

      init(_ value: EmitterValue<Int>) { self.value = value }

      func run() -> [[Int]] {
        value.signal.changes.connect(self) { store, _, new in store.seen.append(new) }
        value.set(1)
        let afterSet = seen
        value.modify { $0 = 2 }
        let afterModify = seen
        value.invoke()
        return [afterSet, afterModify, seen]
      }
    }
    let kept = Box(0)
    let value =
      isKeptElsewhere
      ? EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 }) : EmitterValue(0)
    #expect(await Store(value).run() == [[1], [1, 2], [1, 2, 2]])
  }
}
