// A slot is a method of its target, with the parameters of the signal or none.

import Dispatch
import SignalObserver

final class Player {
  @EmitterVoid var started
  @EmitterArg<Int> var scored
  @EmitterArg2<Int, String> var scoreChanged
}

final class Label {
  func reload() {}
  func show(_ score: Int) {}
  func write(_ text: String) {}
  func load(_ text: String) async {}
  func showTeam(_ score: Int, _ team: String) {}
  func update() {}
  func update(_ score: Int) {}
}

final class Other {
  func show(_ score: Int) {}
}

@MainActor final class View {
  func write(_ text: String) {}
}

struct Value {
  func reload() {}
  func show(_ score: Int) {}
  func showTeam(_ score: Int, _ team: String) {}
  func load(_ text: String) async {}
}

let queue = DispatchQueue(label: "queue")

func works(player: Player, label: Label) {
  player.started.connect(label, Label.reload)
  player.scored.connect(label, Label.reload)
  player.scored.connect(label, Label.show)
  player.scored.map(label, Label.write, { "\($0)" })
  player.scored.connect(label, Label.update(_:))
  player.scored.connect(label, Label.update as (Label) -> () -> Void)
  player.scoreChanged.connect(label, Label.showTeam)
  player.scoreChanged.connect { score, team in }
  player.scored.connect(label, Label.show, .main)
  player.scored.map(label, Label.write, { "\($0)" }, queue)
  player.scored.connect(on: queue) { score in }
}

#if WRONG
  func connectsStruct(player: Player, value: Value) {
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.started.connect(value, Value.reload)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value, Value.reload)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value, Value.show)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scoreChanged.connect(value, Value.showTeam)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value, Value.load)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.started.connect(value) { $0.reload() }
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value) { value, score in value.show(score) }
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value) { value, score async in value.show(score) }
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scoreChanged.connect(value) { $0.showTeam($1, $2) }
  }

  func connectsMethodOfAnotherClass(player: Player, label: Label) {
    // expected-error@+1 {{cannot convert value of type 'Label' to expected argument type 'Other'}}
    player.scored.connect(label, Other.show)
  }

  func connectsMethodOfAnotherType(player: Player, label: Label, view: View) {
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scored.connect(label, Label.write)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scored.connect(label, Label.load)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scored.connect(view, View.write)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }}}
    player.scored.connect(label, Label.write, queue)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }}}
    player.scored.connect(label, Label.write, nil)
  }

  func connectsMoreThanThePayload(player: Player, label: Label) {
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.started.connect(label, Label.show)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scored.connect(label, Label.showTeam)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }}}
    player.scored.connect(label, Label.showTeam, queue)
  }

  func connectsPartOfThePayload(player: Player, label: Label) {
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scoreChanged.connect(label, Label.show)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }}}
    player.scoreChanged.connect(label, Label.show, queue)
  }

  func namesTheQueueFirst(player: Player, label: Label) {
    // expected-warning@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.started.connect(queue) { _ in print("started") }
    // expected-warning@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(queue) { queue, score in print(score) }
    // expected-warning@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scoreChanged.connect(queue) { score, team in print(score, team) }
    // expected-error@+1 {{(DispatchQueue, Int) -> Void' expects 2 arguments, but 1 was used in closure body}}
    player.scored.connect(queue) { score in print(score) }
    // expected-error@+1 {{contextual type for closure argument list expects 2 arguments, which cannot be implicitly ignored}}
    player.scored.connect(queue) { print("scored") }
  }

  func connectsEitherOfTwoMethods(player: Player, label: Label) {
    // expected-error@+1 {{ambiguous use of 'update'}}
    player.scored.connect(label, Label.update)
  }

  func mapsToAnotherType(player: Player, label: Label) {
    // expected-error@+1 {{cannot convert value of type 'Int' to closure result type 'String'}}
    player.scored.map(label, Label.write, { $0 })
  }

  func takesAnotherType(player: Player) {
    // expected-error@+1 {{cannot convert value of type '@Sendable (String) -> ()' to expected argument type '@isolated(any) @Sendable (Int) -> Void'}}
    player.scored.connect { (team: String) in }
  }

  func takesTooMuch(player: Player, label: Label) {
    // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (Int) -> Void' expects 1 argument, but 2 were used in closure body}}
    player.scored.connect { score, team in }
    // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (Label, Int) -> Void' expects 2 arguments, but 3 were used in closure body}}
    player.scored.connect(label) { label, score, team in }
  }

  func labelsTheQueue(player: Player, label: Label) {
    // expected-error@+1 {{extraneous argument label 'queue:' in call}}
    player.scored.connect(label, Label.show, queue: .main)
  }
#endif

final class Upload: Sendable {
  func send(_ score: Int) async {}
}

func send(_ score: Int) async {}

// Async function values, which the feature NonisolatedNonsendingByDefault makes stay with their caller. From no
// actor, that is a task, which must not use an object beside the code that connects.
func asyncFunctionValues(
  _ player: Player, _ label: Label, _ upload: Upload,
  _ value: @escaping @Sendable (Int) async -> Void,
  _ withTarget: nonisolated(nonsending) @escaping @Sendable (Label, Int) async -> Void
) {
  player.scored.connect(value)
  player.scored.connect(send)
  player.scored.connect(upload.send)
  #if WRONG
    // expected-error@+1 {{type 'Label' does not conform to the 'Sendable' protocol}}
    player.scored.connect(label, withTarget)
  #endif
}
