import Dispatch
import Foundation
import SignalObserver
import Synchronization

/// Emits before the main loop runs, on the main queue and off it, and prints what ran when.
///
/// A program calls ``begin()`` on its main thread, runs its main loop, and calls ``proceed()``
/// on it.
public enum MainLoopScenario {
  private static let emitter = EmitterArg<String>()
  private static let trace = Mutex<[String]>([])

  /// Connects, and emits where no loop runs yet.
  public static func begin() {
    emitter.signal.connect { note("  slot: \($0)") }
    emit("before the loop")
  }

  /// Emits on the main queue, then off it, then ends the program.
  public static func proceed() {
    dispatchPrecondition(condition: .onQueue(.main))
    emit("on the main queue")
    MainActor.assumeIsolated {
      note("invoke: on the main actor")
      emitter.invoke("on the main actor")
      note("returned")
    }
    let other = DispatchQueue(label: "other")
    other.sync {
      emit("off the main queue")
      emit("off again")
    }
    emit("on the main queue, behind others")
    DispatchQueue.main.async { finish() }
  }

  /// From no actor: where it runs is known at run time only.
  private static func emit(_ payload: String) {
    note("invoke: \(payload)")
    emitter.invoke(payload)
    note("returned")
  }

  private static func note(_ line: String) {
    trace.withLock { $0.append(line) }
  }

  private static func finish() {
    for line in trace.withLock({ $0 }) { print(line) }
    exit(0)
  }
}
