import CSanitizers
import Dispatch
import Foundation
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct MisuseTests {
  let log = Log()
  let made = Made.current

  @Test(arguments: Place.allCases)
  func `resuming what is not suspended, is over-resumed or cancelled does nothing`(
    place: Place
  ) async {
    let emitter = made.emitter(Int.self)
    let observer = place.connect(emitter.signal) { [log] in log.add("\($0)") }

    for _ in 0..<3 { observer.resume() }
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    observer.resume()
    emitter.invoke(2)

    #expect(await log.entries(1) == ["2"])
    observer.cancel()
    observer.resume()
    #expect(observer.isCancelled)
    #expect(!observer.isSuspended)
  }

  // MARK: - In a deinit

  @Test func `a target that connects itself in its deinit gets a connection that has ended`() async
  {
    await #expect(processExitsWith: .exitCode(7)) {
      final class Dying: Sendable {
        let signal: Signal<Int>
        let observers: Box<[SignalObserver]>

        init(_ signal: Signal<Int>, _ observers: Box<[SignalObserver]>) {
          (self.signal, self.observers) = (signal, observers)
        }

        deinit {
          observers.value = [
            signal.connect(self, Dying.called, .inline), signal.connect(self, Dying.called, .main),
            signal.connect(self, on: .inline) { target, _ in target.called(0) },
            signal.map(self, Dying.called, { $0 }, nil),
          ]
        }

        func called(_: Int) { exit(1) }
      }
      let emitter = EmitterArg<Int>()
      let observers = Box<[SignalObserver]>()
      do { _ = Dying(emitter.signal, observers) }

      emitter.invoke(1)
      let ended = observers.value?.count { $0.isCancelled }

      exit(ended == 4 && emitter.signal.slotCount == 0 ? 7 : 2)
    }
  }

  @Test func `a target that was held weakly before may connect itself in its deinit as well`() {
    let emitter = made.emitter(Int.self)
    let observers = Box<[SignalObserver]>([])
    for _ in 0..<2 {
      let target = Box(
        Retiring { target in
          observers.value?.append(emitter.signal.connect(target, Retiring.called, .inline))
        })
      // Makes the runtime's table of weak references to it.
      _ = target.value.map { emitter.signal.connect($0, Retiring.called, .inline) }
      target.value = nil
    }

    emitter.invoke(1)

    #expect(observers.value?.map(\.isCancelled) == [true, true])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `others may be connected in a deinit, and cancelled there`() {
    let emitter = made.emitter(Int.self)
    let old = emitter.signal.connect(on: .inline) { [log] in log.add("old \($0)") }
    let object = Box(
      Lifetime { [log] in
        old.cancel()
        emitter.signal.connect(on: .inline) { log.add("new \($0)") }
      })

    object.value = nil
    emitter.invoke(1)

    #expect(old.isCancelled)
    #expect(log.entries == ["new 1"])
  }

  @Test func `an owner emits in its deinit: everyone is called but itself`() {
    final class Owner: Sendable {
      let gone: EmitterArg<Int>
      let log: Log
      init(_ made: Made, _ log: Log) {
        gone = made.emitter(Int.self)
        self.log = log
        gone.signal.connect(self, Owner.called, .inline)
      }

      deinit { gone.invoke(1) }

      func called(_ value: Int) { log.add("itself \(value)") }
    }
    let queue = DispatchQueue(label: "cases")
    let hold = Gate()
    queue.async { hold.pass() }
    let owner = Box(Owner(made, log))
    let log = log
    owner.value?.gone.signal.connect(on: .inline) { log.add("inline \($0)") }
    owner.value?.gone.signal.connect(on: queue) { log.add("queue \($0)") }

    owner.value = nil
    hold.open()
    queue.sync {}

    #expect(log.entries == ["inline 1", "queue 1"])
  }

  @Test func `an emission holds its emitter, though nobody else does`() {
    @inline(never) func connected(_ log: Log) -> EmitterArg<Int> {
      let emitter = made.emitter(Int.self)
      for index in 0..<3 { emitter.signal.connect(on: .inline) { log.add("\(index) \($0)") } }
      return emitter
    }

    connected(log).invoke(1)

    #expect(log.entries == ["0 1", "1 1", "2 1"])
  }

  @Test(arguments: Place.allCases)
  func `connecting to a signal whose emitter is gone gives an observer that is cancelled`(
    place: Place
  ) {
    let signal = EmitterArg<Int>().signal
    let capture = Box(made.object())

    let observer = made.watch(
      place.connect(signal) { [capture = capture.value] _ in capture?.use() })
    capture.value = nil

    #expect(observer.isCancelled)
    #expect(made.census.alive == 0)
    #expect(signal.slotCount == 0)
  }

  // MARK: - Queues that do not run

  @Test func `what waits for a suspended queue is seen, kept, and delivered when it is resumed`() {
    let emitter = made.emitter(Lifetime.self)
    let queue = DispatchQueue(label: "suspended")
    emitter.signal.connect(on: queue) { [log] _ in log.add("called") }
    queue.suspend()

    for _ in 0..<1000 { emitter.invoke(made.object()) }
    #expect(emitter.signal.debugDescription.contains("1000 pending"))
    #expect(made.census.alive == 1000)
    queue.resume()
    for _ in 0..<10 { queue.sync {} }

    #expect(log.entries.count == 1000)
  }

  @Test func `what waits for a queue that never runs is released by cancelling`() {
    let emitter = made.emitter(Lifetime.self)
    let queue = DispatchQueue(label: "suspended")
    let capture = Box(made.object())
    let target = made.watch(Target("target", log))
    let observer = emitter.signal.connect(target, on: queue) { [capture = capture.value] _, _ in
      capture?.use()
    }
    capture.value = nil
    queue.suspend()
    for _ in 0..<1000 { emitter.invoke(made.object()) }

    observer.cancel()

    #expect(made.census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
    withExtendedLifetime(target) {}
    // Dispatch stops a program that releases a suspended queue.
    queue.resume()
  }

  @Test func `the emitter's death does not lose what waits for a suspended queue`() {
    let queue = DispatchQueue(label: "suspended")
    queue.suspend()
    let observer = Box<SignalObserver>()
    do {
      let emitter = made.emitter(Int.self)
      observer.value = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
      for value in 1...3 { emitter.invoke(value) }
    }
    #expect(observer.value?.isCancelled == false)

    queue.resume()
    queue.sync {}

    #expect(log.entries == ["1", "2", "3"])
    #expect(observer.value?.isCancelled == true)
  }

  // MARK: - Depth

  /// Emitters that forward to each other, `place` of each slot, and what the last one has sent.
  private static func chain(
    _ count: Int, _ place: Place, _ queue: DispatchQueue, _ end: @escaping @Sendable (Int) -> Void
  ) -> [EmitterArg<Int>] {
    let emitters = (0..<count).map { _ in EmitterArg<Int>() }
    for (emitter, next) in zip(emitters, emitters.dropFirst()) {
      place.connect(emitter.signal, queue) { next.invoke($0 + 1) }
    }
    emitters.last?.signal.connect(on: .inline) { (value: Int) in end(value) }
    return emitters
  }

  @Test func `a chain of 20,000 signals that forward inline fits a stack of 8 MiB in a release`() {
    // A level takes some 290 bytes of stack; 3,000 without the optimiser, more with a sanitizer.
    #if DEBUG
      let stackSize = 256 << 20
    #else
      let stackSize = built_with_thread_sanitizer() ? 256 << 20 : 8 << 20
    #endif
    // ThreadSanitizer keeps track of 65,536 frames of a thread, some forty a level, and dies or hangs with
    // more.
    let count = built_with_thread_sanitizer() ? 500 : 20_000
    let log = log
    RunningThread(stackSize: stackSize) {
      let emitters = Self.chain(count, .inline, .main) { log.add("\($0)") }
      emitters.first?.invoke(1)
      // From the last to the first, since each one's slot holds the next.
      for emitter in emitters.reversed() { emitter.cancelAllObservers() }
    }.join()

    #expect(log.entries == ["\(count)"])
  }

  @Test func `a chain of 20,000 signals that forward by way of a queue needs no stack`() {
    let log = log
    // A level of recursion takes 336 bytes at least, which would be six times this.
    RunningThread(stackSize: 1 << 20) {
      let queue = DispatchQueue(label: "cases")
      let done = Gate()
      let emitters = Self.chain(20_000, .queue, queue) {
        log.add("\($0)")
        done.open()
      }
      emitters.first?.invoke(1)
      done.pass()
      queue.sync {}
      for emitter in emitters.reversed() { emitter.cancelAllObservers() }
    }.join()

    #expect(log.entries == ["20000"])
  }

  // MARK: - The end of the process

  @Test func `emitting from an exit function calls the slots`() async {
    await #expect(processExitsWith: .exitCode(3)) {
      AtExit.changed.signal.connect(on: .inline) { if $0 == 1 { _exit(3) } }
      AtExit.changed.signal.connect(on: DispatchQueue(label: "never")) { _ in }
      atexit { AtExit.changed.invoke(1) }
      exit(0)
    }
  }

  @Test func `X3 a slot that stops the program does so with its own words`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let emitter = EmitterArg<Int>()
      emitter.signal.connect(on: .inline) { value in
        precondition(value == 0, "the slot's own words")
      }
      emitter.invoke(0)
      emitter.invoke(1)
    }
    #if DEBUG
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("the slot's own words"))
    #else
      _ = result
    #endif
  }

  @Test func `nothing is left uncounted: the trait fails a test that leaves something`() async {
    let left = await NothingLeft(patience: .zero).left { leaked.value = Made.current.object() }
    #expect(left == 1)
    leaked.value = nil
  }
}

private let leaked = Box<Lifetime>()

private enum AtExit {
  static let changed = EmitterArg<Int>()
}

/// A target that does something in its deinit with itself.
private final class Retiring: Sendable {
  private let onEnd: @Sendable (Retiring) -> Void

  init(_ onEnd: @escaping @Sendable (Retiring) -> Void) { self.onEnd = onEnd }

  deinit { onEnd(self) }

  func called(_: Int) {}
}

/// Slots of payloads that are not `Sendable` stay where their signal is: other threads release
/// nothing.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct NonSendableTests {
  private let log = Log()

  @Test
  func `what a closure captures stays until the signal is used, though another thread cancels`() {
    let one = EmitterArg<Note>()
    let capture = Box(Lifetime { [log] in log.add("gone") })
    let observer = one.signal.connect { [capture = capture.value] _ in capture?.use() }
    capture.value = nil
    RunningThread { observer.cancel() }.join()
    #expect(log.entries == [])
    #expect(observer.isCancelled)
    one.invoke(Note("a"))

    #expect(log.entries == ["gone"])
  }

  @Test(arguments: 0..<6)
  func `the death of a target shows when the signal is used again`(form: Int) {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    var reader: Plain? = Plain()
    let observer =
      switch form {
      case 0: one.signal.connect(reader!, Plain.nothing)
      case 1: one.signal.connect(reader!, Plain.one)
      case 2: two.signal.connect(reader!, Plain.two)
      case 3: one.signal.connect(reader!) { reader, _ in reader.nothing() }
      case 4: two.signal.connect(reader!) { reader, _, _ in reader.nothing() }
      default: two.signal.connect(reader!, Plain.nothing)
      }
    reader = nil
    #expect(!observer.isCancelled)
    one.invoke(Note("a"))
    two.invoke(Note("a"), Note("b"))

    #expect(observer.isCancelled)
  }

  @Test func `closures of an actor are not connected elsewhere, with a target either`() async {
    await #expect(processExitsWith: .failure) {
      EmitterArg<Note>().signal.connect(Plain()) { @MainActor _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      EmitterArg2<Note, Note>().signal.connect(Plain()) { @MainActor _, _, _ in }
    }
  }

  @MainActor @Test func `a function of no actor may be connected on any`() {
    let (one, log) = (EmitterArg<Note>(), log)
    one.signal.connect(Plain.show(log))
    one.invoke(Note("a"))

    #expect(log.entries == ["a"])
  }
}

/// Methods of a class that is not `Sendable`.
private final class Plain {
  func nothing() {}
  func one(_: Note) {}
  func two(_: Note, _: Note) {}

  /// A function that is of no actor.
  nonisolated static func show(_ log: Log) -> (Note) -> Void { { log.add($0.text) } }
}
