import CSanitizers
import Foundation
import SignalObserver
import Testing

/// Many of what takes time in proportion to its number, which `load` of the benchmarks measures.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)),
  .disabled(
    if: built_with_thread_sanitizer(), "it has a stack of its own for calls, which is not as deep"))
struct GrowthTests {
  /// The depth needs a stack.
  private func onDeepStack(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      _ = RunningThread(stackSize: 256 << 20) {
        work()
        done.resume()
      }
    }
  }

  @Test func `slots that cancel themselves, connect the next and emit nest 4,000 deep`() async {
    await onDeepStack {
      let depth = 4000
      let emitter = EmitterArg<Int>()
      let deepest = Box(0)
      @Sendable func connect() {
        let observer = Box<SignalObserver>()
        observer.value = emitter.signal.connect(on: .inline) { level in
          observer.value?.cancel()
          deepest.value = level
          if level == depth { return }
          connect()
          emitter.invoke(level + 1)
        }
      }
      connect()
      emitter.invoke(1)
      #expect(deepest.value == depth)
    }
  }

  @Test(arguments: [false, true])
  func `a slot cancels 16,000 others`(_ isReversed: Bool) async {
    await onDeepStack {
      let count = 16_000
      let emitter = EmitterVoid()
      let observers = Box<[SignalObserver]>([])
      emitter.signal.connect(on: .inline) {
        for observer in observers.value ?? [] { observer.cancel() }
      }
      let others = (0..<count).map { _ in emitter.signal.connect(on: .inline) {} }
      observers.value = isReversed ? others.reversed() : others
      emitter.invoke()
      #expect(emitter.signal.slotCount == 1)
    }
  }

  @Test func `16,000 slots for which something waits on a queue are cancelled`() async {
    await onDeepStack {
      let count = 16_000
      let emitter = EmitterArg<Int>()
      let queue = DispatchQueue(label: "growth")
      queue.suspend()
      let observers = (0..<count).map { _ in emitter.signal.connect(on: queue) { _ in } }
      for number in 0..<4 { emitter.invoke(number) }
      for observer in observers { observer.cancel() }
      queue.resume()
      #expect(emitter.signal.slotCount == 0)
    }
  }
}
