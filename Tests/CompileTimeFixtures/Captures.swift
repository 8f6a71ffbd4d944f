// What a closure uses that may run elsewhere can be used there.

import Dispatch
import SignalObserver
import Synchronization

final class Counter {
  var count = 0

  func add(_ number: Int) { count += number }
}

@MainActor final class View {
  var number = 0

  func show(_ number: Int) {}
}

let queue = DispatchQueue(label: "queue")

func works(
  signal: SignalArg<Int>, view: View, done: @escaping (Int) -> Void,
  shown: @escaping @Sendable (Int) -> Void
) {
  signal.connect(on: queue) { number in print(number) }
  signal.connect { @MainActor number in view.show(number) }
  signal.connect { await view.show($0) }
  signal.connect(view, View.show)
  signal.connect(keeping: done)
  signal.connect { shown($0) }
  let count = Mutex(0)
  signal.connect { number in count.withLock { $0 += number } }
}

@MainActor func worksOnMainActor(signal: SignalArg<Int>, counter: Counter) {
  var sum = 0
  signal.connect { number in
    counter.add(number)
    sum += number
  }
  signal.connect(counter, Counter.add)
}

func worksWithValues(_ found: SignalArg2<Int, String>, counter: Counter) {
  found.filter { [wanted = counter.count] id, _ in id == wanted }.connect { _, _ in }
}

@MainActor final class Limited {
  var limit = 0

  func isHigh(_ number: Int) -> Bool { number > limit }

  func follow(_ signal: SignalArg<Int>, view: View) {
    signal.connect(self) { me, number in if number > me.limit { view.show(number) } }
    signal.connect { view.show($0) }
    signal.connect(view) { $0.show($1) }
    signal.filter { [limit] in $0 > limit }.connect(view, View.show)
    let high = EmitterArg<Int>()
    signal.connect(self) { me, number in if number > me.limit { high.invoke(number) } }
  }

  #if WRONG
    func capturesItself(_ signal: SignalArg<Int>) {
      // expected-error@+1 {{reference to property 'limit' in closure requires explicit use of 'self' to make capture semantics explicit}}
      signal.connect(self) { limit += $1 }
    }

    func filter(_ signal: SignalArg<Int>, view: View) {
      // expected-error@+1 {{main actor-isolated property 'limit' can not be referenced from a Sendable closure}}
      signal.filter { $0 > self.limit }.connect(view, View.show)
      // expected-error@+1 {{main actor-isolated property 'limit' can not be referenced from a Sendable closure}}
      signal.map { $0 + self.limit }.connect(view, View.show)
      // expected-error@+1 {{call to main actor-isolated instance method 'isHigh' in a synchronous nonisolated context}}
      signal.filter { self.isHigh($0) }.connect(view, View.show)
    }
  #endif
}

actor Store {
  @EmitterArg<Int> nonisolated var stored

  func follow(_ signal: SignalArg<Int>) {
    signal.connect(self) { me, number in me._stored.invoke(number) }
    signal.bind(to: _stored)
    queue.async { [_stored] in _stored.invoke(1) }
  }

  #if WRONG
    func followInClosures(_ signal: SignalArg<Int>) {
      // expected-error@+1 {{actor-isolated property '_stored' can not be referenced from a nonisolated context}}
      signal.connect { [weak self] number in self?._stored.invoke(number) }
      // expected-error@+1 {{actor-isolated property '_stored' can not be referenced from a Sendable closure}}
      signal.connect(on: queue) { number in self._stored.invoke(number) }
      // expected-error@+1 {{actor-isolated property '_stored' can not be referenced from a Sendable closure}}
      queue.async { self._stored.invoke(1) }
    }
  #endif
}

#if WRONG
  func callsAFunction(signal: SignalArg<Int>, done: @escaping (Int) -> Void) {
    // expected-error@+1 {{capture of 'done' with non-Sendable type '(Int) -> Void' in a '@Sendable' closure}}
    signal.connect { done($0) }
  }

  // Void is Sendable, so any thread may emit.
  func callsAPlainFunctionInline(started: SignalVoid, done: @escaping () -> Void) {
    // expected-error@+1 {{passing non-Sendable parameter 'done' to function expecting a '@Sendable' closure}}
    started.connect(on: .inline, done)
    // expected-error@+1 {{capture of 'done' with non-Sendable type '() -> Void' in a '@Sendable' closure}}
    started.connect(on: .inline) { done() }
  }

  func filtersByAPlainFunction(signal: SignalArg<Int>, isHigh: @escaping (Int) -> Bool) {
    // expected-error@+1 {{passing non-Sendable parameter 'isHigh' to function expecting a '@Sendable' closure}}
    _ = signal.filter(isHigh)
  }

  func capturesStateInQueueClosure(signal: SignalArg<Int>, counter: Counter) {
    // expected-error@+1 {{capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure}}
    signal.connect(on: queue) { counter.add($0) }
  }

  func capturesStateInClosure(signal: SignalArg<Int>, counter: Counter) {
    // expected-error@+1 {{capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure}}
    signal.connect { counter.add($0) }
  }

  func capturesStateInInlineClosure(signal: SignalArg<Int>, counter: Counter) {
    // expected-error@+1 {{capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure}}
    signal.connect(on: .inline) { counter.add($0) }
  }

  func capturesStateInTransform(signal: SignalArg<Int>, counter: Counter, view: View) {
    signal.map(view, View.show) { number in
      // expected-error@+1 {{capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure}}
      counter.count + number
    }
  }

  func mutatesCapture(signal: SignalArg<Int>, started: SignalVoid) {
    var sum = 0
    // expected-error@+1 {{mutation of captured var 'sum' in concurrently-executing code}}
    started.connect { sum += 1 }
    // expected-error@+1 {{mutation of captured var 'sum' in concurrently-executing code}}
    signal.connect { sum += $0 }
  }

  @MainActor func mutatesCaptureInline(signal: SignalArg<Int>) {
    var numbers: [Int] = []
    // expected-error@+1 {{mutation of captured var 'numbers' in concurrently-executing code}}
    signal.connect(on: .inline) { numbers.append($0) }
  }

  func callsMainActorFromClosure(signal: SignalArg<Int>, view: View) {
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect { view.show($0) }
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect(view) { $0.show($1) }
    // expected-error@+1 {{main actor-isolated property 'number' can not be mutated from a Sendable closure}}
    signal.connect { view.number = $0 }
  }

  func capturesStateInOperator(_ found: SignalArg2<Int, String>, counter: Counter) {
    // expected-error@+1 {{capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure}}
    found.filter { id, _ in id == counter.count }.connect { _, _ in }
  }

  @MainActor func callsMainActorFromQueue(signal: SignalArg<Int>, view: View) {
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect(on: .main) { view.show($0) }
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect(view, on: .main) { $0.show($1) }
    // expected-error@+1 {{converting function value of type '@MainActor @Sendable (Int) -> ()' to '@Sendable (Int) -> Void' loses global actor 'MainActor'}}
    signal.connect(on: .main) { @MainActor number in view.show(number) }
    // expected-error@+1 {{converting function value of type '@MainActor @Sendable (Int) -> ()' to '@Sendable (Int) -> Void' loses global actor 'MainActor'}}
    signal.connect(on: .main, view.show)
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect(on: queue) { view.show($0) }
    // expected-error@+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
    signal.connect(view, on: queue) { $0.show($1) }
  }
#endif
