import Dispatch
import MainLoopScenario

@main
struct AsyncMain {
  static func main() async {
    MainLoopScenario.begin()
    DispatchQueue.main.async { MainLoopScenario.proceed() }
    // The scenario ends the program.
    await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
  }
}
