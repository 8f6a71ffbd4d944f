import CSanitizers
import Foundation
import SignalObserver
import Testing

/// What takes time in proportion to its size: 16 times as much of it may take 64 times as long, where the square
/// would take 256 times as long.
@Suite(
  .serialized, .inTurn, .timeLimit(.minutes(5)),
  .disabled(
    if: built_with_thread_sanitizer(), "it has a stack of its own for calls, which is not as deep"))
struct GrowthTests {
  /// Processor time of the calling thread, which does not count what the machine does besides.
  private func seconds(_ work: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      // It writes to `time` before it returns.
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    work()
    return now() - start
  }

  private func expectLinear(
    from count: Int, _ location: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable (Int) -> Void
  ) async {
    let ratio = Box<Double>()
    // The depth needs a stack.
    await withCheckedContinuation { done in
      _ = RunningThread(stackSize: 256 << 20) {
        work(count)
        let few = (0..<3).map { _ in seconds { work(count) } }.min() ?? 0
        let many = (0..<2).map { _ in seconds { work(16 * count) } }.min() ?? 0
        ratio.value = many / few
        done.resume()
      }
    }
    #expect((ratio.value ?? .infinity) <= 64, sourceLocation: location)
  }

  @Test
  func `slots that cancel themselves, connect the next and emit take linear time in their depth`()
    async
  {
    await expectLinear(from: 250) { depth in
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
  func `cancelling among those that an emission has retired takes linear time in their number`(
    _ isReversed: Bool
  ) async {
    await expectLinear(from: 1000) { count in
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

  @Test func `cancelling what waits on a queue takes linear time in what waits`() async {
    await expectLinear(from: 1000) { count in
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
