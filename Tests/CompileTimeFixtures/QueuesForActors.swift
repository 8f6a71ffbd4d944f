// A method of a global actor takes no queue.

import Dispatch
import SignalObserver

@MainActor final class View {
  func reload() {}
  func show(_ number: Int) {}
}

/// Public: see CompilerBugs.
@globalActor public actor Background {
  /// The one instance.
  public static let shared = Background()
}

@Background final class Log {
  func note(_ number: Int) {}
}

let queue = DispatchQueue(label: "queue")

func works(signal: SignalArg<Int>, view: View, log: Log) {
  signal.connect(view, View.show)
  signal.connect(log, Log.note)
  signal.map(view, View.show, { $0 })
  signal.map(log, Log.note, { $0 })
}

#if WRONG
  func connectsWithQueue(signal: SignalArg<Int>, view: View, log: Log) {
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)}}
    signal.connect(view, View.reload, queue)
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)}}
    signal.connect(view, View.show, queue)
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)}}
    signal.connect(view, View.show, nil)
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write connect(target, Type.method)}}
    signal.connect(log, Log.note, queue)
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write map(target, Type.method, transform)}}
    signal.map(view, View.show, { $0 }, queue)
    // expected-warning@+1 {{a method of the main actor, or of another global actor, runs there: write map(target, Type.method, transform)}}
    signal.map(log, Log.note, { $0 }, queue)
  }
#endif
