// A signal of a payload that is not Sendable, and its emitter, stay where they are.

import SignalObserver

final class Document {}

final class Counter {
  func add(_ number: Int) {}
}

func works(signal: SignalArg<Int>) {
  Task.detached { signal.connect { _ in } }
}

func worksIfNobodyElseHasIt() {
  let emitter = EmitterArg<Document>()
  Task.detached { emitter.invoke(Document()) }
}

#if WRONG
  func sendsSignal(signal: SignalArg<Document>) {
    // expected-error@+1 {{risks causing data races}}
    Task.detached { signal.connect { _ in } }
  }

  func sendsEmitter() {
    let emitter = EmitterArg<Document>()
    // expected-error@+1 {{risks causing data races}}
    Task.detached { emitter.invoke(Document()) }
    emitter.invoke(Document())
  }

  // A slot of an actor's code uses its target there, so the target does not leave the actor.
  actor Desk {
    let scored = EmitterArg<Int>()
    let named = EmitterArg2<Int, String>()
    let started = EmitterVoid()

    func connectsMethod() -> sending Counter {
      let counter = Counter()
      scored.signal.connect(counter, Counter.add)
      return counter  // expected-error {{sending 'counter' risks causing data races}}
    }

    func connectsClosure() -> sending Counter {
      let counter = Counter()
      scored.signal.connect(counter) { counter, number in counter.add(number) }
      return counter  // expected-error {{sending 'counter' risks causing data races}}
    }

    func connectsClosureOfTwo() -> sending Counter {
      let counter = Counter()
      named.signal.connect(counter) { counter, number, _ in counter.add(number) }
      return counter  // expected-error {{sending 'counter' risks causing data races}}
    }

    func connectsClosureOfNothing() -> sending Counter {
      let counter = Counter()
      started.signal.connect(counter) { counter in counter.add(1) }
      return counter  // expected-error {{sending 'counter' risks causing data races}}
    }

    func connectsClosureOnQueue() -> sending Counter {
      let counter = Counter()
      scored.signal.connect(counter, on: .main) { counter, number in counter.add(number) }
      return counter  // expected-error {{sending 'counter' risks causing data races}}
    }
  }

  // A chain of operators does not leave the actor either, although its payload is Sendable.
  actor Match {
    let scored = EmitterArg<Int>()

    func high() -> some SignalSource<Int> { scored.signal.filter { $0 > 100 } }
  }

  func asksForTheChain(match: Match) async {
    // expected-error@+1 {{non-Sendable 'some SignalSource<Int>'-typed result can not be returned from actor-isolated instance method 'high()' to nonisolated context}}
    await match.high().connect { _ in }
  }
#endif
