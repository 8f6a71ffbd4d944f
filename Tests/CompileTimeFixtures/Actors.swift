// Actors take async methods by name, and synchronous ones in a closure.

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

#if WRONG
  func connectsSynchronousMethod(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{call to actor-isolated instance method 'add' in a synchronous nonisolated context}}
    signal.connect(store, Store.add)
    // expected-error@+1 {{call to actor-isolated instance method 'reload()' in a synchronous nonisolated context}}
    signal.connect(store, Store.reload)
  }

  func connectsMethodOfAnotherType(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{the method takes other parameters than the signal has: a slot takes all of them or none, and a tuple is one; else write map(target, Type.method, { … })}}
    signal.connect(store, Store.write)
  }

  func connectsWithQueue(signal: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{a method of an actor runs on the actor, and takes no queue: write connect(actor, Type.method)}}
    signal.connect(store, Store.save, queue)
  }
#endif
