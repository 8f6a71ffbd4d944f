// Actors take async methods by name, and synchronous ones in a closure. An async method of a class that is
// not Sendable stays on the isolation where it is connected. A method of a global actor takes no queue.

import Dispatch
import SignalObserver

actor Store {
  func add(_ number: Int) {}
  func reload() {}
  func save(_ number: Int) async {}
  func write(_ text: String) async {}
}

let queue = DispatchQueue(label: "queue")

func works(signal: SignalArg<Int>, store: Store) {
  signal.connect(store, Store.save)
  signal.connect(store) { $0.add($1) }
  signal.connect(store) { store, _ in store.reload() }
  signal.map { "\($0)" }.connect(store, Store.write)
}

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

func works(signal: SignalArg<Int>, view: View, log: Log) {
  signal.connect(view, View.show)
  signal.connect(log, Log.note)
  signal.map(view, View.show, { $0 })
  signal.map(log, Log.note, { $0 })
}

#if WRONG
  func connectsSynchronousMethod(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{call to actor-isolated instance method 'add' in a synchronous nonisolated context}}
    signal.connect(store, Store.add)
    // expected-error@+1 {{call to actor-isolated instance method 'reload()' in a synchronous nonisolated context}}
    signal.connect(store, Store.reload)
  }

  func connectsMethodOfAnotherType(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    signal.connect(store, Store.write)
  }

  func connectsWithQueue(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{a method of an actor runs on its actor: write connect(actor, Type.method), without a queue}}
    signal.connect(store, Store.save, queue)
  }

  @MainActor func leavesTheActor(signal: SignalArg<Int>, plain: Plain) {
    // expected-warning@+1 {{the method leaves the actor of its caller, but its class is not Sendable: make the method nonisolated(nonsending), or the class Sendable}}
    signal.connect(plain, Plain.loadElsewhere)
  }

  func connectsWithQueue(signal: SignalArg<Int>, view: View, log: Log) {
    // expected-warning@+1 {{a method of a global actor runs on that actor: write connect(target, Type.method), without a queue}}
    signal.connect(view, View.reload, queue)
    // expected-warning@+1 {{a method of a global actor runs on that actor: write connect(target, Type.method), without a queue}}
    signal.connect(view, View.show, queue)
    // expected-warning@+1 {{a method of a global actor runs on that actor: write connect(target, Type.method), without a queue}}
    signal.connect(view, View.show, nil)
    // expected-warning@+1 {{a method of a global actor runs on that actor: write connect(target, Type.method), without a queue}}
    signal.connect(log, Log.note, queue)
    // expected-warning@+1 {{a method of a global actor runs on that actor: write map(target, Type.method, transform), without a queue}}
    signal.map(view, View.show, { $0 }, queue)
    // expected-warning@+1 {{a method of a global actor runs on that actor: write map(target, Type.method, transform), without a queue}}
    signal.map(log, Log.note, { $0 }, queue)
  }
#endif
