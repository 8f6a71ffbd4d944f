import Dispatch
import SignalObserver
import Testing
import Turns

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
