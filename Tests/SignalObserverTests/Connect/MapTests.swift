import Dispatch
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct MapTests {
  let log = Log()
  let nothing = EmitterVoid()
  let one = EmitterArg<Int>()
  let two = EmitterArg2<Int, String>()

  @Test func `map takes nothing to methods with no, one and two parameters`() {
    let target = Target("target", log)
    nothing.signal.map { [log] in log.add("transform") }.connect(target, Target.called, .inline)
    nothing.signal.map(target, Target.show, { 7 }, nil)
    nothing.signal.map(target, Target.showBoth, { (7, "seven") }, nil)

    nothing.invoke()

    #expect(log.entries == ["transform", "target", "target 7", "target 7 seven"])
  }

  @Test func `map takes one argument to methods with no, one and two parameters`() {
    let target = Target("target", log)
    one.signal.map { [log] in log.add("transform \($0)") }.connect(target, Target.called, .inline)
    one.signal.map(target, Target.showText, { "\($0 + 1)" }, nil)
    one.signal.map(target, Target.showBoth, { ($0, "\($0)") }, nil)

    one.invoke(1)

    #expect(log.entries == ["transform 1", "target", "target 2", "target 1 1"])
  }

  @Test func `map takes two arguments to methods with no, one and two parameters`() {
    let target = Target("target", log)
    two.signal.map { [log] in log.add("transform \($0) \($1)") }.connect(
      target, Target.called, .inline)
    two.signal.map(target, Target.showText, { "\($1)\($0)" }, nil)
    two.signal.map(target, Target.showBoth, { ($0 * 2, $1 + "!") }, nil)

    two.invoke(1, "one")

    #expect(log.entries == ["transform 1 one", "target", "target one1", "target 2 one!"])
  }

  @Test func `the transform runs once for each delivery, where the slot runs`() {
    let queue = DispatchQueue(label: "map")
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "on the queue")
    let target = Target("target", log)
    one.signal.map(
      target, Target.showText, { _ in DispatchQueue.getSpecific(key: key) ?? "elsewhere" }, queue)

    for value in 0..<2 { one.invoke(value) }
    // Twice: the first delivery may be in progress when the second emission is made.
    for _ in 0..<2 { queue.sync {} }

    #expect(log.entries == ["target on the queue", "target on the queue"])
  }

  @MainActor
  @Test func `the transform before an asynchronous method runs on the method's actor`() async {
    let target = MainTarget(log)
    one.signal.map { value in
      // Stops the program anywhere else.
      MainActor.assumeIsolated { value + 1 }
    }.connect(target, MainTarget.show)

    one.invoke(1)

    #expect(await log.entries(1) == ["main 2"])
    withExtendedLifetime(target) {}
  }

  @Test func `the transform does not run if the target is gone, the slot suspended or cancelled`() {
    let targets = Box((0..<3).map { Target("\($0)", log) })
    let observers = (targets.value ?? []).map { target in
      one.signal.map(
        target, Target.show,
        { [log] in
          log.add("transform")
          return $0
        }, nil)
    }
    observers[0].cancel()
    observers[1].suspend()
    targets.value = targets.value.map { Array($0.prefix(2)) }

    one.invoke(1)

    #expect(log.entries == [])
  }

  @MainActor
  @Test func `map without a queue runs where connect would`() {
    let target = Target("target", log)
    one.signal.map(target, Target.showText) { "\($0)" }

    one.invoke(1)

    #expect(log.entries == ["target 1"])
  }
}

@MainActor
private final class MainTarget {
  let log: Log

  init(_ log: Log) { self.log = log }

  func show(_ value: Int) async { log.add("main \(value)") }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct MapCaseTests {
  let log = Log()
  let made = Made.current

  @Test func `M1 mapped slots keep their place among the others`() {
    let emitter = made.emitter(Int.self)
    let target = made.watch(Target("target", log))
    emitter.signal.connect(target, Target.show, .inline)
    emitter.signal.map(target, Target.showText, { "mapped \($0)" }, nil)
    emitter.signal.connect(target, Target.called, .inline)

    emitter.invoke(1)

    #expect(log.entries == ["target 1", "target mapped 1", "target"])
  }

  @Test func `M4 a mapped slot holds neither its target nor the signal`() {
    let emitter = Box(made.emitter(Int.self))
    @Weakly var signal = emitter.value?.signal
    let target = Box(made.watch(Target("target", log)))
    @Weakly var reference = target.value
    let observer = target.value.flatMap {
      emitter.value?.signal.map($0, Target.showText, { "\($0)" }, nil)
    }

    target.value = nil
    #expect(reference == nil)
    #expect(observer?.isCancelled == true)
    emitter.value = nil

    #expect(signal == nil)
  }

  @Test func `M5 ten thousand mapped slots that are cancelled leave nothing`() {
    let emitter = made.emitter(Int.self)
    let target = made.watch(Target("target", log))
    for queue in [nil, DispatchQueue(label: "cases")] {
      for _ in 0..<10_000 {
        let capture = made.object()
        let observer = emitter.signal.map(
          target, Target.show,
          {
            capture.use()
            return $0
          }, queue)
        observer.cancel()
      }
    }

    #expect(made.census.alive == 0)
    #expect(emitter.signal.slotCount == 0)
    withExtendedLifetime(target) {}
  }
}
