// An async method of a class that is not Sendable stays on the isolation where it is connected.

import SignalObserver

final class Plain {
  nonisolated(nonsending) func load(_ number: Int) async {}
  @concurrent func loadElsewhere(_ number: Int) async {}
}

final class Shared: Sendable {
  nonisolated(nonsending) func load(_ number: Int) async {}
  @concurrent func loadElsewhere(_ number: Int) async {}
}

@MainActor func works(signal: SignalArg<Int>, plain: Plain, shared: Shared) {
  signal.connect(plain, Plain.load)
  signal.connect(shared, Shared.load)
  signal.connect(shared, Shared.loadElsewhere)
}

#if WRONG
  @MainActor func leavesTheActor(signal: SignalArg<Int>, plain: Plain) {
    // expected-warning@+1 {{the method runs beside the code that owns its target: make it nonisolated(nonsending), or the class Sendable}}
    signal.connect(plain, Plain.loadElsewhere)
  }
#endif
