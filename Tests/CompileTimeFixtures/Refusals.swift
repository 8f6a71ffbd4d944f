// What is written by habit, or by mistake, and the answer that it gets.

import Foundation
import SignalObserver

class Player {
  @EmitterArg<Int> var scored
  @EmitterValue var title = ""
  let changed = EmitterArg<Int>()
  static let all = EmitterArg<Int>()
  static let level = EmitterValue(0)
  @EmitterArg<(Int, String, Double)> var substituted
  @EmitterArg<(id: Int, name: String)> var left

  func works() {
    _left.invoke((id: 1, name: ""))
    _title.modify { $0 += "!" }
    _ = scored.filter { $0 > 1 }
    _ = changed.signal.filter { $0 > 1 }
    _ = $title.changes
  }

  #if WRONG
    func goal() {
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.send(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.emit(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.fire()
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.post(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.yield(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.notify(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.accept(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored.onNext(1)
      // expected-error@+1 {{an emitter sends by invoke: write invoke(…)}}
      _scored(1)
      // expected-error@+1 {{a tuple of three is one payload: write invoke((first, second, third))}}
      _substituted.invoke(1, "", 2)
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.send("")
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.invoke("")
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.post("")
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.yield("")
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.accept("")
      // expected-error@+1 {{an emitter of a value sends what is set: write set(…)}}
      _title.onNext("")
      // expected-error@+1 {{write modify { $0 += 1 }: the closure changes the value}}
      _title.update { $0 += "!" }
      // expected-warning@+1 {{result of call to 'modify(isolation:_:)' is unused}}
      _title.modify { $0 + "!" }
      // expected-warning@+1 {{result of call to 'modify(isolation:_:)' is unused}}
      _title.modify { title in title.uppercased() }
      // expected-error@+1 {{trailing closure passed to parameter of type 'String' that does not accept a closure}}
      _title.set { $0 + "!" }
      // expected-error@+1 {{instance method 'invoke(isolation:)' requires the types 'Int' and '()' be equivalent}}
      _scored.invoke()
      // expected-error@+2 {{extra argument 'name' in call}}
      // expected-error@+1 {{cannot convert value of type 'Int' to expected argument type '(id: Int, name: String)'}}
      _left.invoke(id: 1, name: "")
      // expected-error@+1 {{instance method 'invoke(_:_:isolation:)' requires the types '(id: Int, name: String)' and '(Int, String)' be equivalent}}
      _left.invoke(1, "")
    }

    func operatesOnTheEmitter() {
      // expected-error@+1 {{referencing instance method 'filter' requires wrapped value of type 'Signal<Int>'}}
      _ = _scored.filter { $0 > 1 }
      // expected-error@+1 {{referencing property 'values' requires wrapped value of type 'Signal<Int>'}}
      _ = _scored.values
      // expected-error@+1 {{value of type 'EmitterArg<Int>' (aka 'Emitter<Int>') has no member 'filter'}}
      _ = changed.filter { $0 > 1 }
      // expected-error@+1 {{value of type 'EmitterValue<String>' has no member 'changes'}}
      _ = _title.changes
    }
  #endif
}

#if WRONG
  final class Team: Player {
    func score() {
      // expected-error@+1 {{'_scored' is inaccessible due to 'private' protection level}}
      _scored.invoke(1)
    }
  }

  final class Declaring {
    // expected-error@+1 {{cannot convert value of type 'EmitterArg<Int>' (aka 'Emitter<Int>') to specified type 'Int'}}
    @EmitterArg<Int> var scored = EmitterArg<Int>()
    // expected-error@+2 {{generic parameter 'Argument' could not be inferred}}
    // expected-error@+1 {{property type 'Int' does not match 'wrappedValue' type 'Signal<Argument>'}}
    @EmitterArg var lost: Int
    // expected-error@+1 {{'Signal<Payload>' initializer is inaccessible due to 'internal' protection level}}
    let drawn = SignalArg<Int>()
  }
#endif

// A closure of `modify` changes its argument, and may return anything.
struct Refusal: Error {}

func modifies(
  _ title: EmitterValue<String>, _ scores: EmitterValue<[Int]>, _ name: EmitterValue<String?>,
  _ label: EmitterValue<Label>
) throws {
  title.modify { $0 += "!" }
  title.modify { $0 = "" }
  title.modify { if $0.isEmpty { $0 = "none" } }
  title.modify { title in
    title += "!"
    title += "?"
  }
  _ = title.modify { $0.removeFirst() }
  _ = scores.modify { $0.removeLast() }
  name.modify { $0?.append("!") }
  name.modify { $0 = nil }
  label.modify { label in
    label.best = 1
    label.show(1)
  }
  try title.modify { title in
    try check(1)
    title += "!"
  }
  do throws(Refusal) {
    try title.modify { (title: inout String) throws(Refusal) in
      if title.isEmpty { throw Refusal() }
    }
  } catch { let _: Refusal = error }
  let first: Character = title.modify { title in
    defer { title += "!" }
    return title.removeFirst()
  }
  let old: String = title.modify { title in
    let old = title
    title += "!"
    return old
  }
  print(first, old)
}

final class Label {
  var best = 0
  private(set) var last = 0
  let first = 0
  func show(_ score: Int) {}
  func load(_ score: Int) async {}
  func save(_ score: Int) throws {}
  static func note(_ score: Int) {}
  let noted: (Int) -> Void = { _ in }
  func substitute(_ number: Int, _ name: String, _ seconds: Double) {}

  #if WRONG
    func follow(_ player: Player) {
      // expected-error@+1 {{cannot convert value of type '(Int) -> ()' to expected argument type 'TypeDotMethod'}}
      player.scored.connect(self, show)
      // expected-error@+1 {{type 'TypeDotMethod' has no member 'show'}}
      player.scored.connect(self, .show)
      // expected-error@+1 {{type 'TypeDotMethod' has no member 'show'}}
      player.scored.connect(self, .show, queue)
      // expected-error@+1 {{cannot convert value of type 'Label' to expected argument type 'Self'}}
      player.scored.connect(self, Self.show)
      // expected-error@+1 {{a property is no slot: to set it, write bind(to:of:), with the key path and the target}}
      player.scored.connect(self, \.best)
      // expected-error@+1 {{a property is no slot: to set it, write bind(to:of:), with the key path and the target}}
      player.scored.connect(self, \Label.best, queue)
      // expected-error@+1 {{capture of 'self' with non-Sendable type 'Label?' in a '@Sendable' closure}}
      player.scored.connect { [weak self] score in self?.show(score) }
    }
  #endif
}

final class Shared: Sendable {
  func show(_ score: Int) {}
  func load(_ score: Int) async {}
  func save(_ score: Int) async throws {}
}

actor Store {
  var best = 0
  func add(_ score: Int) {}
  func save(_ score: Int) async {}
  func write(_ score: Int) async throws {}
  func substitute(_ number: Int, _ name: String, _ seconds: Double) async {}
}

struct Value {
  var best = 0
  func show(_ score: Int) {}
  mutating func add(_ score: Int) {}
}

@MainActor final class View {
  var best = 0
  func show(_ score: Int) {}
}

@MainActor protocol Board: AnyObject, Sendable {
  func show(_ score: Int)
}

@MainActor protocol PlainBoard: AnyObject {
  func show(_ score: Int)
}

func check(_ score: Int) throws {}

let queue = DispatchQueue(label: "queue")

// A method of these names, although unavailable, would hide the functions here.
extension SignalSource where Payload: Sendable {
  func withItself() -> some SignalSource<Payload> { merge(self, self) }
  func andItself() -> some SignalSource<(Payload, Payload)> { combineLatest(self, self) }
}

func works(player: Player, store: Store, board: any Board) {
  player.scored.connect(store, Store.save)
  player.scored.connect(board, Board.show)
  player.scored.bind(to: player.changed)
  player.$title.connect { print($0) }
  player.scored.bind(to: \.best, of: Label())
  player.scored.connect(keeping: Label().show)
  player.scored.connect(Label()) { $0.noted($1) }
  player.scored.connect(Label()) { label, score in try? label.save(score) }
  player.scored.map { score in Result { try check(score) } }.connect { print($0) }
  _ = player.scored.compactMap { score in try? check(score) }
  player.scored.connect(on: .global(qos: .background)) { print($0) }
  player.scored.connect(Shared(), Shared.load)
  player.scored.connect(store) { store, score in store.best = score }
}

func worksInTwoSteps(player: Player, title: EmitterValue<String>, bag: ObserverBag) {
  title.bond(givingTo: EmitterValue(""))
  let observer = player.scored.connect { print($0) }
  observer.store(in: bag)
}

@MainActor func worksOnMainActor(player: Player, board: any PlainBoard, view: View) {
  player.scored.bind(to: \.best, of: view)
  player.scored.connect(board) { $0.show($1) }
}

#if WRONG
  func sends(player: Player, other: EmitterArg<Int>) {
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.scored.invoke(1)
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.scored.send(1)
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.substituted.emit(1, "", 2)
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.scored.fire()
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.scored.post(1)
    // expected-error@+1 {{an emitter is no slot: to pass on each payload, write bind(to: emitter)}}
    player.scored.connect(other)
    // expected-error@+1 {{a signal does not send: to pass on each payload, write bind(to: emitter)}}
    player.scored.connect(other.signal)
  }

  func setsFromOutside(player: Player) {
    // expected-error@+1 {{a value is set through its emitter: write name = value, or _name.set(value) in the type that declares it}}
    player.$title.set("")
    // expected-error@+1 {{a value is set through its emitter: write name = value, or _name.set(value) in the type that declares it}}
    player.$title.send("")
  }

  func bindsToWhatCannotSend(player: Player, other: Player) {
    // expected-error@+1 {{a signal does not send: bind to its emitter: bind(to: _name)}}
    player.$title.bind(to: other.$title)
    // expected-error@+1 {{a signal does not send: bind to its emitter: bind(to: _name)}}
    player.scored.bind(to: other.scored)
    // expected-error@+1 {{a signal does not send: bind to its emitter: bind(to: _name)}}
    player.scored.map { "\($0)" }.bind(to: other.$title)
  }

  func bindsOtherwise(player: Player, label: Label) {
    // expected-error@+1 {{write connect { payload in … }, or bind(to:}}
    player.scored.bind { label.best = $0 }
    // expected-error@+1 {{this is a copy of what the property holds: write bind(to:}}
    player.scored.bind(to: label.best)
    // expected-error@+1 {{write bind(to:}}
    player.scored.bind(to: label, \.best)
    // expected-error@+1 {{write bind(to:}}
    player.scored.bind(label, \.best)
    // expected-error@+1 {{the property is of another type than the payload: write map { … }.bind(to:}}
    player.$title.bind(to: \.best, of: label)
    // expected-error@+1 {{the property is of another type than the payload: write map { … }.bind(to:}}
    player.$title.bind(to: \.best, of: label, on: queue)
    // expected-error@+1 {{instance method 'bind(to:)' requires that 'Label' conform to 'SignalSource'}}
    player.scored.bind(to: label)
    // expected-error@+1 {{type '(Int) -> ()' cannot conform to 'SignalSource'}}
    player.scored.bind(to: label.show)
  }

  func bindsToOtherProperties(player: Player, label: Label, value: Value, store: Store) {
    // expected-error@+1 {{no exact matches in call to instance method 'bind'}}
    player.scored.bind(to: \.last, of: label)
    // expected-error@+1 {{no exact matches in call to instance method 'bind'}}
    player.scored.bind(to: \.first, of: label)
    // expected-error@+1 {{no exact matches in call to instance method 'bind'}}
    player.scored.bind(to: \.best, of: value)
    // expected-error@+1 {{cannot form key path to actor-isolated property 'best'}}
    player.scored.bind(to: \.best, of: store)
  }

  @MainActor func bindsOnAQueue(player: Player, view: View) {
    // expected-error@+1 {{type 'ReferenceWritableKeyPath<View, Int>' does not conform to the 'Sendable' protocol}}
    player.scored.bind(to: \.best, of: view, on: .main)
  }

  func bonds(player: Player, title: EmitterValue<String>, other: EmitterValue<String>) {
    // expected-error@+1 {{no exact matches in call to instance method 'bond'}}
    title.bond(to: other)
    // expected-error@+1 {{value of type 'SignalValue<String>' has no member 'bond'}}
    player.$title.bond(givingTo: other)
  }

  func keepsWhatStoreReturns(player: Player, bag: ObserverBag) {
    // expected-warning@+1 {{constant 'observer' inferred to have type '()', which may be unexpected}}
    let observer = player.scored.connect { print($0) }.store(in: bag)
    // expected-error@+1 {{value of tuple type '()' has no member 'cancel'}}
    observer.cancel()
  }

  func transformsWhatItCombines(player: Player) {
    // expected-error@+1 {{the payloads are a tuple: write combineLatest(first, second).map { … }}}
    _ = combineLatest(player.scored, player.$title) { score, title in "\(score) \(title)" }
    // expected-error@+1 {{the payloads are a tuple: write combineLatest(first, second, third).map { … }}}
    _ = combineLatest(player.scored, player.scored, player.$title) { $0 + $1 + $2.count }
  }

  func forgetsTheSignal(label: Label, shared: Shared) {
    // expected-error@+1 {{others connect to the signal of an emitter: write signal.connect(…)}}
    Player.all.connect { print($0) }
    // expected-error@+1 {{others connect to the signal of an emitter: write signal.connect(…)}}
    Player.all.connect(shared) { $0.show($1) }
    // expected-error@+1 {{others connect to the signal of an emitter: write signal.connect(…)}}
    Player.all.connect(label, Label.show)
    // expected-error@+1 {{others connect to the signal of an emitter: write signal.connect(…)}}
    Player.all.connect(on: .main) { print($0) }
    // expected-error@+1 {{others connect to the value of an emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect { print($0) }
    // expected-error@+1 {{others connect to the value of an emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(on: .main) { print($0) }
    // expected-error@+1 {{others connect to the value of an emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(shared) { $0.show($1) }
    // expected-error@+1 {{others connect to the value of an emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(label, Label.show)
  }

  func takesTheTupleApart(player: Player, label: Label, store: Store) {
    // expected-error@+1 {{a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target) { me, x in me.method(x.0, x.1, x.2) }}}
    player.substituted.connect(label, Label.substitute)
    // expected-error@+1 {{a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target) { me, x in me.method(x.0, x.1, x.2) }}}
    player.scored.connect(label, Label.substitute)
    // expected-error@+1 {{a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target) { me, x in me.method(x.0, x.1, x.2) }}}
    player.substituted.connect(store, Store.substitute)
    // expected-error@+1 {{a slot takes the payload or nothing, and a tuple of three is one payload: write a method that takes the tuple, or connect(target, on: queue) { me, x in me.method(x.0, x.1, x.2) }}}
    player.substituted.connect(label, Label.substitute, queue)
  }

  func forgetsTheDollar(player: Player, label: Label) {
    // expected-error@+1 {{value of type 'Player' has no member '$scored'}}
    player.$scored.connect(label, Label.show)
    // expected-error@+1 {{referencing instance method 'connect(_:fileID:line:)' requires wrapper 'SignalValue<String>'}}
    player.title.connect { print($0) }
    // expected-error@+1 {{referencing property 'changes' requires wrapper 'SignalValue<String>'}}
    _ = player.title.changes
    // expected-error@+1 {{argument type 'String' does not conform to expected type 'SignalSource'}}
    merge(player.scored.map { "\($0)" }, player.title).connect { print($0) }
    // expected-error@+1 {{global function 'combineLatest' requires that 'String' conform to 'SignalSource'}}
    _ = combineLatest(player.scored, player.title)
  }

  @MainActor func forgetsTheTarget(player: Player) {
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.scored.connect(Label.show)
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.scored.connect(Label.load)
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.substituted.connect(Label.substitute)
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.scored.filter { $0 > 1 }.connect(Shared.show)
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.scored.connect(Shared.load)
    // expected-error@+1 {{a method has its target before it: write connect(target, Type.method)}}
    player.scored.connect(View.show)
    // expected-error@+1 {{instance member 'save' cannot be used on type 'Store'; did you mean to use a value of this type instead?}}
    player.scored.connect(Store.save)
  }

  func throwsErrors(player: Player, label: Label, shared: Shared) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect { score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Int) throws -> ()' to non-throwing function type '@Sendable (Int) -> Void'}}
    player.scored.connect(on: queue) { score in try check(score) }
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    player.scored.connect(label) { label, score in try label.save(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Shared, Int) throws -> ()' to non-throwing function type '@Sendable (Shared, Int) -> Void'}}
    player.scored.connect(shared, on: queue) { shared, score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Int) throws -> ()' to non-throwing function type '@Sendable (Int) -> ()'}}
    _ = player.scored.map { score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type}}
    player.scored.connect(shared) { shared, score in try await shared.save(score) }
  }

  func givesAMethodWithoutItsType(player: Player, label: Label) {
    // expected-error@+1 {{cannot convert value of type '(Int) -> ()' to expected argument type 'TypeDotMethod'}}
    player.scored.connect(label, label.show)
    // expected-error@+1 {{cannot convert value of type '@Sendable (Int) -> ()' to expected argument type 'TypeDotMethod'}}
    player.scored.connect(label, Label.note)
    // expected-error@+1 {{cannot convert value of type '(Int) -> Void' to expected argument type 'TypeDotMethod'}}
    player.scored.connect(label, label.noted)
  }

  func givesAnotherFunction(player: Player, label: Label, emitter: EmitterArg<Int>) {
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    player.scored.connect(print)
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    player.scored.connect(emitter.invoke)
    // expected-error@+1 {{cannot convert value of type 'Label' to expected argument type 'nonisolated(nonsending) (}}
    player.scored.connect(Label.show, label)
  }

  func keepsAnObject(player: Player, label: Label) {
    // expected-warning@+1 {{the connection keeps the function, and its object if it has one: write connect(object, Type.method), which does not, or connect(keeping: function)}}
    player.scored.connect(label.show)
    // expected-warning@+1 {{the connection keeps the function, and its object if it has one: write connect(object, Type.method), which does not, or connect(keeping: function)}}
    player.scored.connect(label.noted)
  }

  func keepsAFunction(player: Player, done: @escaping (Int) -> Void) {
    // expected-warning@+1 {{the connection keeps the function, and its object if it has one: write connect(object, Type.method), which does not, or connect(keeping: function)}}
    player.scored.connect(done)
  }

  func givesAMethodThatThrows(player: Player, label: Label, shared: Shared, store: Store) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(label, Label.save)
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(shared, Shared.save)
    // expected-error@+1 {{Sendable (Int) async throws -> ()' to non-throwing function type 'nonisolated(nonsending) @Sendable (Int) async -> ()'}}
    player.scored.connect(store, Store.write)
  }

  func givesASynchronousMethodOfAnActor(player: Player, store: Store) {
    // expected-error@+1 {{call to actor-isolated instance method 'add' in a synchronous nonisolated context}}
    player.scored.connect(store, Store.add)
  }

  func givesAMutatingMethod(player: Player, value: Value) {
    // expected-error@+2 {{cannot convert value of type '@Sendable (inout Value) -> @Sendable (Int) -> ()' to expected argument type '(Value) -> nonisolated(nonsending) (Int) async -> ()'}}
    // expected-error@+1 {{cannot reference 'mutating' method as function value}}
    player.scored.connect(value, Value.add)
    // expected-error@+2 {{cannot convert value of type '@Sendable (inout Value) -> @Sendable (Int) -> ()' to expected argument type '(Value) -> (Int) -> ()'}}
    // expected-error@+1 {{cannot reference 'mutating' method as function value}}
    player.scored.connect(value, Value.add, .inline)
  }

  func placesTheQueue(player: Player, label: Label, shared: Shared, store: Store) {
    // expected-error@+2 {{type 'Any' has no member 'inline'}}
    // expected-error@+1 {{(Any, Int) async -> Void' expects 2 arguments, but 1 was used in closure body}}
    player.scored.connect(.inline) { print($0) }
    // expected-error@+1 {{the queue of a method is the last: write connect(target, Type.method, queue)}}
    player.scored.connect(queue, label, Label.show)
    // expected-error@+1 {{a method of an actor runs on the actor, and takes no queue: write connect(actor, Type.method)}}
    player.scored.connect(store, Store.save, queue)
    // expected-error@+1 {{the queue of a method has no label: write connect(target, Type.method, queue)}}
    player.scored.connect(label, Label.show, on: queue)
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect({ print($0) }, queue)
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect({ print($0) }, nil)
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(shared, queue) { $0.show($1) }
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(shared, nil) { $0.show($1) }
  }

  func takesAnActorForAQueue(player: Player, store: Store, shared: Shared) {
    // expected-error@+1 {{cannot convert value of type 'Store' to expected argument type 'DispatchQueue'}}
    player.scored.connect(on: store) { print($0) }
    // expected-error@+1 {{cannot convert value of type 'MainActor' to expected argument type 'DispatchQueue'}}
    player.scored.connect(on: MainActor.shared) { print($0) }
    // expected-error@+1 {{cannot convert value of type 'OperationQueue' to expected argument type 'DispatchQueue'}}
    player.scored.connect(on: OperationQueue.main) { print($0) }
    // expected-error@+1 {{cannot convert value of type 'RunLoop' to expected argument type 'DispatchQueue'}}
    player.scored.connect(on: RunLoop.main) { print($0) }
    // expected-error@+1 {{cannot convert value of type 'MainActor' to expected argument type 'DispatchQueue'}}
    player.scored.connect(shared, Shared.show, MainActor.shared)
  }

  func namesAnotherPlace(player: Player, shared: Shared) {
    // expected-error@+1 {{type 'DispatchQueue?' has no member 'background'}}
    player.scored.connect(on: .background) { print($0) }
    // expected-error@+1 {{type 'DispatchQueue?' has no member 'mainActor'}}
    player.scored.connect(on: .mainActor) { print($0) }
    // expected-error@+1 {{type 'DispatchQueue?' has no member 'immediate'}}
    player.scored.connect(shared, Shared.show, .immediate)
    // expected-error@+1 {{failed to produce diagnostic for expression; please submit a bug report}}
    player.scored.connect(on: .global) { print($0) }
    // expected-error@+1 {{failed to produce diagnostic for expression; please submit a bug report}}
    player.scored.connect(on: .sync) { print($0) }
    // expected-error@+1 {{failed to produce diagnostic for expression; please submit a bug report}}
    player.scored.connect(shared, Shared.show, .async)
    // expected-error@+1 {{cannot convert value of type 'DispatchQoS' to expected argument type 'DispatchQueue'}}
    player.scored.connect(on: DispatchQoS.background) { print($0) }
  }

  func awaitsOnAQueue(player: Player, shared: Shared) {
    // expected-error@+1 {{to parameter expecting synchronous function type}}
    player.scored.connect(on: queue) { score in await shared.load(score) }
    // expected-error@+1 {{to synchronous function type '(Int) -> ()'}}
    player.scored.connect(shared, Shared.load, queue)
  }

  func namesThePartsOfAChange(player: Player) {
    // expected-error@+1 {{value of tuple type '(String, String)' has no member 'old'}}
    player.$title.changes.connect { change in print(change.old) }
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    player.$title.changes.connect { change in print(change.old, change.new) }
  }

  func labelsTheQueue(player: Player) {
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(queue: queue) { print($0) }
    // expected-error@+1 {{a queue has a label: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(queue: .main) { print($0) }
  }

  // `as` keeps Swift from opening the existential.
  func castsToTheProtocol(player: Player, board: any Board) {
    // expected-error@+1 {{a target is a class or an actor, which is held weakly; connect a closure instead}}
    player.scored.connect(board as any Board, Board.show)
  }

  func holdsValues(player: Player, value: Value) {
    // expected-error@+1 {{a target is a class or an actor, which is held weakly; connect a closure instead}}
    player.scored.connect(value, Value.show, queue)
    // expected-error@+1 {{a target is a class or an actor, which is held weakly; connect a closure instead}}
    player.scored.connect(value, on: queue) { $0.show($1) }
  }

  func writesCombine(player: Player, shared: Shared) {
    var set: Set<Int> = []
    // expected-error@+1 {{write connect { payload in … }; the connection stays without its observer being kept}}
    player.scored.sink { print($0) }
    // expected-error@+1 {{write bind(to:of:), with the same key path and object}}
    player.scored.assign(to: \.title, on: player)
    // expected-error@+1 {{write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target}}
    player.scored.connect { print($0) }.store(in: &set)
    var array: [SignalObserver] = []
    // expected-error@+1 {{write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target}}
    player.scored.connect { print($0) }.store(in: &array)
    // expected-error@+1 {{the queue is named where you connect: connect(on: queue) { … }, connect(target, Type.method, queue)}}
    player.scored.receive(on: DispatchQueue.main).map { $0 * 2 }.connect(shared, Shared.show)
    // expected-error@+1 {{write prefix(1), or await next(); for a condition, filter { … } before it}}
    player.scored.first().connect { print($0) }
    // expected-error@+1 {{write prefix(1), or await next(); for a condition, filter { … } before it}}
    player.scored.first { $0 > 3 }.connect { print($0) }
  }

  func waitsForTheSignal(player: Player) async {
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invokeAndWait(…)}}
    await player.scored.invokeAndWait(1)
    // expected-error@+1 {{for-in loop requires 'Signal<Int>' to conform to 'AsyncSequence'}}
    for await score in player.scored { print(score) }
    // expected-error@+1 {{expects 0 arguments, but 1 was used in closure body}}
    _ = await player.scored.next { $0 > 2 }
  }

  @MainActor func writesOtherLibraries(player: Player, view: View, bag: ObserverBag) {
    // expected-error@+1 {{write connect { payload in … }; the connection stays without its observer being kept}}
    player.scored.subscribe(onNext: { print($0) })
    // expected-error@+1 {{write connect { payload in … }; the connection stays without its observer being kept}}
    player.scored.subscribe { [weak view] in view?.show($0) }
    // expected-error@+1 {{write connect { payload in … }; the connection stays without its observer being kept}}
    player.scored += { print($0) }
    // expected-error@+1 {{write connect { payload in … }; the connection stays without its observer being kept}}
    player.scored += view.show
    // expected-error@+1 {{write prefix(1).connect { payload in … }}}
    player.scored.once { print($0) }
    // expected-error@+1 {{the queue is named where you connect: connect(on: queue) { … }, connect(target, Type.method, queue)}}
    player.scored.observe(on: queue).connect { print($0) }
    // expected-error@+1 {{write store(in: bag), with an ObserverBag; or nothing, for a connection that ends with its target}}
    player.scored.connect { print($0) }.disposed(by: bag)
    let observer = player.scored.connect { print($0) }
    // expected-error@+1 {{write cancel()}}
    observer.dispose()
    // expected-error@+1 {{write cancel()}}
    observer.disconnect()
    // expected-error@+1 {{write cancel()}}
    observer.invalidate()
    // expected-error@+1 {{write suspend()}}
    observer.pause()
    // expected-error@+1 {{write cancelObservers(of: target), on the signal}}
    player.scored.disconnect(view)
    // expected-error@+1 {{write insert(observer), or observer.store(in: bag)}}
    bag.add(observer)
    // expected-error@+1 {{write cancelAll()}}
    bag.removeAll()
  }
#endif
