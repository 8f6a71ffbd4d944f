// A program whose main actor has an executor of its own, by the experimental interface of Swift 6.2
// and 6.3. The library takes the main queue for the main actor's place, and stops such a program.

@_spi(ExperimentalCustomExecutors) import _Concurrency
import Dispatch
import Foundation
import SignalObserver

let ownQueue = DispatchQueue(label: "own")

final class OwnExecutor: MainExecutor, Sendable {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    ownQueue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func run() throws { RunLoop.main.run() }

  func stop() {}
}

struct OwnFactory: ExecutorFactory {
  static let own = OwnExecutor()
  static var mainExecutor: any MainExecutor { own }
  static var defaultExecutor: any TaskExecutor { PlatformExecutorFactory.defaultExecutor }
}

@MainActor final class Screen {
  func show(_ number: Int) {}
}

@main struct Program {
  static func main() {
    _createExecutors(factory: OwnFactory.self)
    Task.detached {
      let emitter = EmitterArg<Int>()
      let screen = Screen()
      emitter.signal.connect(screen, Screen.show)
      try await Task.sleep(for: .seconds(30))
      print("nobody noticed")
      exit(0)
    }
    dispatchMain()
  }
}
