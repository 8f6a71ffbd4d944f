// A mistake inside a closure is told as what it is, in every form. Lines/Mistakes.swift has more of them,
// beside a method with one overload.

import Dispatch
import SignalObserver

final class Shared: Sendable {
  func reload() {}
  func add(_ score: Int) {}
  func name(_ score: Int, _ team: String) {}
  func save(_ score: Int) async {}
}

@MainActor final class View {
  func show(_ score: Int) {}
}

actor Store {
  func add(_ score: Int) {}
  func save(_ score: Int) async {}
}

enum Event {
  case scored(Int)
  case ended
}

let queue = DispatchQueue(label: "queue")

func worksWithPatterns(_ happened: SignalArg<Event>, shared: Shared) {
  happened.connect { event in if case .scored(let score) = event { shared.add(score) } }
  happened.connect(shared) { shared, event in
    switch event {
    case .scored(let score): shared.add(score)
    case .ended: shared.reload()
    }
  }
  happened.compactMap { event -> Int? in
    if case .scored(let score) = event { return score }
    return nil
  }.connect { score in shared.add(score) }
}

func works(_ scored: SignalArg<Int>, _ started: SignalVoid, shared: Shared, store: Store) {
  started.connect { print("started") }
  started.connect(shared) { $0.reload() }
  scored.connect { _ in print("scored") }
  scored.connect(store) { store, _ in store.add(1) }
  let doubled = EmitterValue(2).signal
  combineLatest(doubled, doubled, doubled).connect(shared) { shared, parts in
    shared.add(parts.0 + parts.1 + parts.2)
  }
}

#if WRONG
  // Behind a target, the compiler names another mistake, unless the type of the payload stands before the
  // case.
  func matchesWrongly(
    _ happened: SignalArg<Event>, _ changed: SignalArg2<Int, String>, shared: Shared
  ) {
    // expected-error@+1 {{type 'Event' has no member 'score'}}
    happened.connect { event in if case .score(let score) = event { shared.add(score) } }
    // expected-error@+1 {{tuple pattern has the wrong length for tuple type 'Int'}}
    happened.connect { event in if case .scored(let score, let team) = event { print(score, team) }
    }
    // expected-error@+2 {{cannot convert value of type '(Int, String)' to specified type '(_, _, _)'}}
    changed.connect { change in
      let (score, team, seconds) = change
      print(score, team, seconds)
    }
    // expected-error@+1 {{trailing closure passed to parameter of type 'TypeDotMethod' that does not accept a closure}}
    happened.connect(shared) { shared, event in
      switch event {
      case .score(let score): shared.add(score)
      case .ended: shared.reload()
      }
    }
    // expected-error@+1 {{type 'Event' has no member 'score'}}
    happened.connect { event in if case Event.score(let score) = event { shared.add(score) } }
    happened.connect(shared) { shared, event in
      switch event {
      // expected-error@+1 {{type 'Event' has no member 'score'}}
      case Event.score(let score): shared.add(score)
      case .ended: shared.reload()
      }
    }
    // expected-error@+1 {{type 'Event' has no member 'score'}}
    happened.connect(on: .inline) { event in if case .score(let score) = event { shared.add(score) }
    }
    // expected-error@+1 {{type 'Any' does not conform to the 'Sendable' protocol}}
    happened.compactMap { event in
      if case .scored(let score) = event { return score }
      return nil
    }.connect { score in print(score) }
  }

  func alone(_ scored: SignalArg<Int>, _ changed: SignalArg2<Int, String>, shared: Shared) {
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect { print($0.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect { score in print(score.nonsense) }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect { shared.nonsense($0) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect { score in shared.add("\(score)") }
    // expected-error@+1 {{extra argument in call}}
    scored.connect { shared.add($0, 1) }
    // expected-error@+2 {{cannot convert value of type 'Int' to specified type 'String'}}
    scored.connect { score in
      let text: String = score; print(text)
    }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect { score in if score > 1 { shared.nonsense() } }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect { score async in print(score.nonsense) }
    // expected-error@+1 {{contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored}}
    scored.connect { print("scored") }
    // expected-error@+1 {{value of type 'String' has no member 'nonsense'}}
    changed.connect { print($0, $1.nonsense) }
    // expected-error@+1 {{unnamed argument #2 must precede unnamed argument #1}}
    changed.connect { score, team in shared.name(team, score) }
  }

  func onQueues(_ scored: SignalArg<Int>, _ changed: SignalArg2<Int, String>, shared: Shared) {
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(on: queue) { print($0.nonsense) }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect(on: .inline) { shared.nonsense($0) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect(on: .main) { score in shared.add("\(score)") }
    // expected-error@+1 {{value of type 'String' has no member 'nonsense'}}
    changed.connect(on: queue) { score, team in print(score, team.nonsense) }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect(shared, on: queue) { $0.nonsense($1) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared, on: queue) { shared, score in shared.add(score.nonsense) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect(shared, on: .inline) { shared, score in shared.add("\(score)") }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    changed.connect(shared, on: queue) { shared, score, team in shared.nonsense(score, team) }
  }

  func withTargets(_ scored: SignalArg<Int>, _ started: SignalVoid, shared: Shared) {
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect(shared) { $0.nonsense($1) }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect(shared) { shared, score in shared.nonsense(score) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect(shared) { shared, score in shared.add("\(score)") }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    scored.connect(shared) { shared, score async in shared.nonsense(score) }
    // expected-error@+1 {{value of type 'Shared' has no member 'nonsense'}}
    started.connect(shared) { $0.nonsense() }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared) { shared, score in shared.add(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared) { $0.add($1.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared) { _, score in print(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared) { shared, score in await shared.save(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.filter { $0 > 1 }.connect(shared) { $0.add($1.nonsense) }
    // expected-error@+3 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(shared) { shared, score in
      shared.reload()
      shared.add(score.nonsense)
    }
  }

  // The two that the article "What does not compile, and what to write" explains.
  func named(_ changed: SignalArg2<Int, String>, _ scored: SignalArg<Int>, shared: Shared) {
    // expected-error@+2 {{(Shared, (Int, String)) -> Void' expects 2 arguments, but 3 were used in closure body}}
    // expected-error@+1 {{cannot convert value of type '(Int, String)' to expected argument type 'Int'}}
    changed.connect(shared) { shared, score, team in shared.name(score, team.nonsense) }
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    scored.map { $0 * 2 }.connect(shared) { shared, score in shared.add(score.nonsense) }
  }

  // Types before the parameters, or the two parts as one parameter, let the compiler name the mistake.
  func twoPayloads(_ changed: SignalArg2<Int, String>, _ scored: SignalValue<Int>, shared: Shared) {
    // expected-error@+1 {{(Shared, (Int, String)) -> Void' expects 2 arguments, but 3 were used in closure body}}
    changed.connect(shared) { shared, score, team in shared.add(team) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    changed.connect(shared) { (shared, score: Int, team: String) in shared.add(team) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    changed.connect(shared) { shared, change in shared.add(change.1) }
    // expected-error@+1 {{binary operator '+' cannot be applied to operands of type 'Int' and 'String'}}
    changed.connect { score, team in print(score + team) }
    // expected-error@+1 {{binary operator '+' cannot be applied to operands of type 'Int' and 'String'}}
    changed.connect { (score: Int, team: String) in print(score + team) }
    // expected-error@+3 {{cannot convert value of type '(Int, Int, Int)' to expected argument type 'Int'}}
    // expected-error@+1 {{(Shared, (Int, Int, Int)) -> Void' expects 2 arguments, but 4 were used in closure body}}
    combineLatest(scored, scored, scored).connect(shared) { shared, a, b, c in
      shared.add(a + b + c)
    }
  }

  func onActors(_ scored: SignalArg<Int>, store: Store) {
    // expected-error@+1 {{value of type 'Store' has no member 'nonsense'}}
    scored.connect(store) { $0.nonsense($1) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect(store) { store, score in store.add("\(score)") }
    // expected-error@+1 {{value of type 'Store' has no member 'nonsense'}}
    scored.connect(store) { store, score in await store.nonsense(score) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(store) { store, score in store.add(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(store) { $0.add($1.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(store) { store, score in await store.save(score.nonsense) }
  }

  @MainActor func onMainActor(_ scored: SignalArg<Int>, view: View) {
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect { print($0.nonsense) }
    // expected-error@+1 {{value of type 'View' has no member 'nonsense'}}
    scored.connect { view.nonsense($0) }
    // expected-error@+1 {{value of type 'View' has no member 'nonsense'}}
    scored.connect(view) { $0.nonsense($1) }
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    scored.connect(view) { view, score in view.show("\(score)") }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(view) { view, score in view.show(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(view) { $0.show($1.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect(view) { @MainActor view, score in view.show(score.nonsense) }
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    scored.connect { view.show($0.nonsense) }
  }
#endif
