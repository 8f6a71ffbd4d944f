// Swift 6.3 cannot build this: "function has wrong linkage to be called from …". The global actor is
// not public, and one of its methods is connected by name. Public ones, and closures, are built.

import SignalObserver

@globalActor actor Background {
  static let shared = Background()
}

@Background final class Log {
  #if SYNC
    func note(_ number: Int) {}
  #else
    func note(_ number: Int) async {}
  #endif
}

func connect(signal: SignalArg<Int>, log: Log) {
  signal.connect(log, Log.note)
}
