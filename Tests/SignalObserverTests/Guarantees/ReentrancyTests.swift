import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class ReentrancyTests: Sendable {
  let log = Log()
  let emitter = EmitterArg<Int>()

  // Slots that use the emitter hold it, and it holds them.
  deinit { emitter.cancelAllObservers() }

  /// Connects slots of the names `"a"`, `"b"`, and so on; the first emits what `next` answers.
  private func connect(_ names: String, _ react: @escaping @Sendable (String, Int) -> Void) {
    for name in names.map(String.init) {
      emitter.signal.connect(on: .inline) { [log] value in
        log.add("\(name)\(value)")
        react(name, value)
        log.add("/")
      }
    }
  }

  private var trace: String { log.entries.joined() }

  @Test
  func
    `5. A slot may emit, also the same signal: the inner emission completes before that invoke returns`()
  {
    connect("abc") { [emitter, log] name, value in
      guard name == "a", value == 1 else { return }
      emitter.invoke(2)
      log.add("returned")
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2/b2/c2/returned/")
  }

  @Test
  func
    `5. Every slot still sees emissions in the order in which they were made, three levels deep`()
  {
    connect("abc") { [emitter] name, value in
      if name == "a", value < 3 { emitter.invoke(value + 1) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2b2/c2/a3/b3/c3///")
  }

  @Test func `5. Order holds after an emission of another signal was made inside`() {
    let other = EmitterVoid()
    other.signal.connect(on: .inline) { [log] in log.add("other") }
    connect("ab") { [emitter] name, value in
      guard name == "a", value == 1 else { return }
      other.invoke()
      emitter.invoke(2)
    }

    emitter.invoke(1)

    #expect(trace == "a1otherb1/a2/b2//")
  }

  @Test func `5. An emission made while an outer one is being settled follows both`() {
    connect("abc") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
      if name == "b", value == 1 { emitter.invoke(3) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1c1/a2/b2/c2/a3/b3/c3///")
  }

  @Test func `5. Emissions made at every level of settling are seen in order by every slot`() {
    let last = Atomic<Int>(1)
    connect("abcd") { [emitter] _, _ in
      let value = last.add(1, ordering: .relaxed).newValue
      if value <= 40 { emitter.invoke(value) }
    }

    emitter.invoke(1)

    for name in "abcd" {
      let seen = log.entries.filter { $0.hasPrefix(String(name)) }
      #expect(seen == (1...40).map { "\(name)\($0)" })
    }
  }

  @Test func `5. Two emissions made by one slot are seen in order by those behind it`() {
    connect("ab") { [emitter] name, value in
      guard name == "a", value == 1 else { return }
      emitter.invoke(2)
      emitter.invoke(3)
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2/a3/b3//")
  }

  @Test func `5. A slot first gets what the outer emission owes, also through another signal`() {
    let other = EmitterArg<Int>()
    other.signal.connect(on: .inline) { [emitter] in emitter.invoke($0 + 1) }
    connect("ab") { name, value in
      if name == "a", value == 1 { other.invoke(value) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
  }

  @Test
  func `5. A slot connected before the inner emission is called by it and not by the outer one`() {
    connect("ab") { [emitter, log] name, value in
      guard name == "a", value == 1 else { return }
      emitter.signal.connect(on: .inline) { log.add("new\($0)/") }
      emitter.invoke(2)
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2/new2//")
  }

  @Test
  func `5. What an outer emission owes to a slot that is cancelled meanwhile is not delivered`() {
    let third = Box<SignalObserver>()
    connect("ab") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
      if name == "b", value == 1 { third.value?.cancel() }
    }
    third.value = emitter.signal.connect(on: .inline) { [log] in log.add("c\($0)/") }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
  }

  @Test func `5. Order holds when slots are cancelled and connected at every level`() {
    // Cancelling moves the slots of the list, in the middle of nested emissions.
    let extra = Box<[SignalObserver]>([])
    connect("abc") { [emitter, log] name, value in
      for observer in extra.value ?? [] { observer.cancel() }
      extra.value = (0..<20).map { _ in emitter.signal.connect(on: .inline) { _ in } }
      if name == "a", value < 4 { emitter.invoke(value + 1) }
      _ = log
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2b2/c2/a3b3/c3/a4/b4/c4////")
  }

  @Test func `5. Order holds when another thread's emission is in progress`() {
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) { value in
      if value > 0 { return }
      entered.open()
      leave.pass()
    }
    let thread = RunningThread { [emitter] in emitter.invoke(0) }
    entered.pass()
    connect("ab") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
    leave.open()
    thread.join()
  }

  @MainActor
  @Test func `5. Order holds for slots that run at once on the main actor`() {
    emitter.signal.connect { [emitter, log] in
      log.add("a\($0)/")
      if $0 == 1 { emitter.invoke(2) }
    }
    emitter.signal.connect { [log] in log.add("b\($0)/") }

    emitter.invoke(1)

    #expect(trace == "a1/b1/a2/b2/")
  }

  @Test func `5. A thousand nested emissions are made`() {
    connect("ab") { [emitter] name, value in
      if name == "b", value < 1000 { emitter.invoke(value + 1) }
    }

    emitter.invoke(1)

    #expect(log.entries.count == 4000)
  }
}
