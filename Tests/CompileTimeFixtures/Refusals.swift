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
  @EmitterArg2<Int, Int> var moved
  @EmitterVoid var started

  func works() {
    _left.invoke((id: 1, name: ""))
    _title.modify { $0 += "!" }
    _ = scored.filter { $0 > 1 }
    _ = changed.signal.filter { $0 > 1 }
    _ = $title.changes
  }

  #if WRONG
    func goal() {
      // expected-error@+1 {{to send a payload, write invoke(…)}}
      _scored.send(1)
      // expected-error@+1 {{to send a payload, write invoke(…)}}
      _scored.emit(1)
      // expected-error@+1 {{to send a payload, write invoke(…)}}
      _scored.accept(1)
      // expected-error@+1 {{to send a payload, write invoke(…)}}
      _scored.onNext(1)
      // expected-error@+1 {{to send a payload, write invoke(…)}}
      _scored(1)
      // expected-error@+1 {{write first.zip(second)}}
      zip(scored, $title).connect { _, _ in }
      // expected-error@+1 {{the payload is one tuple: write invoke((first, second, third))}}
      _substituted.invoke(1, "", 2)
      // expected-error@+1 {{to set and send a value, write set(…)}}
      _title.send("")
      // expected-error@+1 {{to set and send a value, write set(…)}}
      _title.invoke("")
      // expected-error@+1 {{to set and send a value, write set(…)}}
      _title.accept("")
      // expected-error@+1 {{to set and send a value, write set(…)}}
      _title.onNext("")
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
      // expected-error@+1 {{to set a property, write bind(to: }}
      player.scored.connect(self, \.best)
      // expected-error@+1 {{to set a property, write bind(to: }}
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
  func check(_ score: Int) throws {}
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
  func save(_ score: Int) throws {}
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
  func sends(player: Player) {
    // expected-error@+1 {{only the emitter sends: write _name.invoke(…) in the type that declares the signal}}
    player.scored.invoke(1)
    // expected-error@+1 {{only the emitter sends: write _name.invoke(…) in the type that declares the signal}}
    player.scored.send(1)
    // expected-error@+1 {{only the emitter sends: write _name.invoke(…) in the type that declares the signal}}
    player.substituted.emit(1, "", 2)
  }

  func setsFromOutside(player: Player) {
    // expected-error@+1 {{only the emitter sets the value: write name = value, or _name.set(value) in the type that declares it}}
    player.$title.set("")
    // expected-error@+1 {{only the emitter sets the value: write name = value, or _name.set(value) in the type that declares it}}
    player.$title.send("")
  }

  func bindsToWhatCannotSend(player: Player, other: Player) {
    // expected-error@+1 {{bind to the emitter, not to its signal: write bind(to: _name)}}
    player.$title.bind(to: other.$title)
    // expected-error@+1 {{bind to the emitter, not to its signal: write bind(to: _name)}}
    player.scored.bind(to: other.scored)
    // expected-error@+1 {{bind to the emitter, not to its signal: write bind(to: _name)}}
    player.scored.map { "\($0)" }.bind(to: other.$title)
  }

  func bindsOtherwise(player: Player, label: Label) {
    // expected-error@+1 {{write connect { payload in … }, or bind(to:}}
    player.scored.bind { label.best = $0 }
    // expected-error@+1 {{this passes the current value of the property: write bind(to:}}
    player.scored.bind(to: label.best)
    // expected-error@+1 {{write bind(to:}}
    player.scored.bind(to: label, \.best)
    // expected-error@+1 {{incorrect argument label in call (have 'to:on:', expected 'to:of:')}}
    player.scored.bind(to: \.best, on: label)
    // expected-error@+1 {{the property and the payload have different types: write map { … }.bind(to:}}
    player.$title.bind(to: \.best, of: label)
    // expected-error@+1 {{the property and the payload have different types: write map { … }.bind(to:}}
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
    // expected-error@+1 {{write combineLatest(…).map { … }}}
    _ = combineLatest(player.scored, player.$title) { score, title in "\(score) \(title)" }
    // expected-error@+1 {{write combineLatest(…).map { … }}}
    _ = combineLatest(player.scored, player.scored, player.$title) { $0 + $1 + $2.count }
  }

  func forgetsTheSignal(label: Label, shared: Shared) {
    // expected-error@+1 {{connect to the signal of the emitter: write signal.connect(…)}}
    Player.all.connect { print($0) }
    // expected-error@+1 {{connect to the signal of the emitter: write signal.connect(…)}}
    Player.all.connect(shared) { $0.show($1) }
    // expected-error@+1 {{connect to the signal of the emitter: write signal.connect(…)}}
    Player.all.connect(label, Label.show)
    // expected-error@+1 {{connect to the signal of the emitter: write signal.connect(…)}}
    Player.all.connect(on: .main) { print($0) }
    // expected-error@+1 {{connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect { print($0) }
    // expected-error@+1 {{connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(on: .main) { print($0) }
    // expected-error@+1 {{connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(shared) { $0.show($1) }
    // expected-error@+1 {{connect to the signal of the emitter: write $name.connect(…), or signal.connect(…)}}
    Player.level.connect(label, Label.show)
  }

  func takesTheTupleApart(player: Player, label: Label, store: Store) {
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.substituted.connect(label, Label.substitute)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.scored.connect(label, Label.substitute)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target) { target, payload in … }}}
    player.substituted.connect(store, Store.substitute)
    // expected-error@+1 {{the method does not take the payload: change its parameters, or write connect(target, on: queue) { target, payload in … }}}
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
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.scored.connect(Label.show)
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.scored.connect(Label.load)
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.substituted.connect(Label.substitute)
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.scored.filter { $0 > 1 }.connect(Shared.show)
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.scored.connect(Shared.load)
    // expected-error@+1 {{the target is missing: write connect(target, Type.method)}}
    player.scored.connect(View.show)
    // expected-error@+1 {{instance member 'save' cannot be used on type 'Store'; did you mean to use a value of this type instead?}}
    player.scored.connect(Store.save)
  }

  func throwsErrors(player: Player, label: Label, shared: Shared) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect { score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Int) throws -> ()' to non-throwing function type '@Sendable (Int) -> Void'}}
    player.scored.connect(on: queue) { score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Shared, Int) throws -> ()' to non-throwing function type '@Sendable (Shared, Int) -> Void'}}
    player.scored.connect(shared, on: queue) { shared, score in try check(score) }
    // expected-error@+1 {{invalid conversion from throwing function of type '@Sendable (Int) throws -> ()' to non-throwing function type '@Sendable (Int) -> ()'}}
    _ = player.scored.map { score in try check(score) }
  }

  func throwsErrorsWithATarget(player: Player, label: Label, shared: Shared, value: Value) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(label) { label, score in try label.save(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(label) { try $0.save($1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.map { $0 + 1 }.connect(label) { label, score in try label.save(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.$title.connect(label) { _, _ in throw Refusal() }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(shared) { shared, score in try await shared.save(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(value) { _, score in try check(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.started.connect(label) { label in try label.save(1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.started.connect(label) { label, _ in try label.save(1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.moved.connect(label) { label, x, _ in try label.save(x) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.moved.connect(label) { label, place in try label.save(place.0) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.substituted.connect(label) { label, parts in try label.save(parts.0) }
  }

  func throwsErrorsOnAnActor(player: Player, store: Store) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(store) { store, score in try store.check(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.map { $0 + 1 }.connect(store) { try $0.check($1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(store) { store, score in try await store.write(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.started.connect(store) { store in try store.check(1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.moved.connect(store) { store, x, _ in try store.check(x) }
  }

  @MainActor func throwsErrorsOnTheMainActor(player: Player, view: View) {
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(view) { view, score in try view.save(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.scored.connect(view) { @MainActor view, score in try view.save(score) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.started.connect(view) { view in try view.save(1) }
    // expected-error@+1 {{a slot does not throw: handle the error inside, or send it on as a Result}}
    player.moved.connect(view) { view, x, _ in try view.save(x) }
  }

  // The mistake in the closure is told, and not that it throws.
  func makesAMistakeAsWell(player: Player, label: Label, store: Store) {
    // expected-error@+1 {{value of type 'Int' has no member 'nonsense'}}
    player.scored.connect(label) { label, score in try label.save(score.nonsense) }
    // expected-error@+1 {{value of type 'Store' has no member 'nonsense'}}
    player.scored.connect(store) { store, score in try store.nonsense(score) }
    // expected-error@+1 {{expects 2 arguments, but 1 was used in closure body}}
    player.scored.connect(label) { label in try label.save(1) }
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
    // expected-error@+1 {{cannot convert value of type '@Sendable (Any..., String, String) -> ()' to expected argument type '@isolated(any) @Sendable (Int) -> Void'}}
    player.scored.connect(print)
    // expected-error@+1 {{no exact matches in call to instance method 'connect'}}
    player.scored.connect(emitter.invoke)
    // expected-error@+1 {{cannot convert value of type 'Label' to expected argument type 'nonisolated(nonsending) (}}
    player.scored.connect(Label.show, label)
  }

  func keepsAnObject(player: Player, label: Label) {
    // expected-warning@+1 {{the connection keeps the function and its object alive: write connect(object, Type.method), or connect(keeping: function) to keep them}}
    player.scored.connect(label.show)
    // expected-warning@+1 {{the connection keeps the function and its object alive: write connect(object, Type.method), or connect(keeping: function) to keep them}}
    player.scored.connect(label.noted)
  }

  func keepsAFunction(player: Player, done: @escaping (Int) -> Void) {
    // expected-warning@+1 {{the connection keeps the function and its object alive: write connect(object, Type.method), or connect(keeping: function) to keep them}}
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
  }

  func placesTheQueue(player: Player, label: Label, shared: Shared, store: Store) {
    // expected-error@+2 {{type 'Any' has no member 'inline'}}
    // expected-error@+1 {{(Any, Int) async -> Void' expects 2 arguments, but 1 was used in closure body}}
    player.scored.connect(.inline) { print($0) }
    // expected-error@+1 {{the queue is the last argument: write connect(target, Type.method, queue)}}
    player.scored.connect(queue, label, Label.show)
    // expected-error@+1 {{a method of an actor runs on its actor: write connect(actor, Type.method), without a queue}}
    player.scored.connect(store, Store.save, queue)
    // expected-error@+1 {{after a method, the queue has no label: write connect(target, Type.method, queue)}}
    player.scored.connect(label, Label.show, on: queue)
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect({ print($0) }, queue)
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect({ print($0) }, nil)
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(shared, queue) { $0.show($1) }
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
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
    // expected-error@+2 {{value of tuple type '(String, String)' has no member 'old'}}
    // expected-error@+1 {{value of tuple type '(String, String)' has no member 'new'}}
    player.$title.changes.connect { change in print(change.old, change.new) }
  }

  func labelsTheQueue(player: Player) {
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(queue: queue) { print($0) }
    // expected-error@+1 {{the label of the queue is missing: write connect(on: queue) { … }, or connect(target, on: queue) { … }}}
    player.scored.connect(queue: .main) { print($0) }
  }

  // `as` keeps Swift from opening the existential.
  func castsToTheProtocol(player: Player, board: any Board) {
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(board as any Board, Board.show)
  }

  func holdsValues(player: Player, value: Value) {
    // expected-error@+1 {{requires that 'Value' be a class type}}
    player.scored.connect(value, Value.show, queue)
    // expected-error@+1 {{only a class or an actor can be a target: write connect { payload in … }}}
    player.scored.connect(value, on: queue) { $0.show($1) }
  }

  func writesCombine(player: Player, shared: Shared) {
    var set: Set<Int> = []
    // expected-error@+1 {{write connect { payload in … }; you need not keep the observer that it returns}}
    player.scored.sink { print($0) }
    // expected-error@+1 {{write bind(to: }}
    player.scored.assign(to: \.title, on: player)
    // expected-error@+1 {{write store(in: bag) with an ObserverBag; a connection with a target needs no bag}}
    player.scored.connect { print($0) }.store(in: &set)
    var array: [SignalObserver] = []
    // expected-error@+1 {{write store(in: bag) with an ObserverBag; a connection with a target needs no bag}}
    player.scored.connect { print($0) }.store(in: &array)
    // expected-error@+1 {{name the queue where you connect: write connect(on: queue) { … }, or connect(target, Type.method, queue)}}
    player.scored.receive(on: DispatchQueue.main).map { $0 * 2 }.connect(shared, Shared.show)
    // expected-error@+1 {{write prefix(1), or await next(); for a condition, write filter { … } before it}}
    player.scored.first().connect { print($0) }
    // expected-error@+1 {{write prefix(1), or await next(); for a condition, write filter { … } before it}}
    player.scored.first { $0 > 3 }.connect { print($0) }
  }

  func waitsForTheSignal(player: Player) async {
    // expected-error@+1 {{only the emitter sends: write _name.invokeAndWait(…) in the type that declares the signal}}
    await player.scored.invokeAndWait(1)
    // expected-error@+1 {{for-in loop requires 'Signal<Int>' to conform to 'AsyncSequence'}}
    for await score in player.scored { print(score) }
    // expected-error@+1 {{expects 0 arguments, but 1 was used in closure body}}
    _ = await player.scored.next { $0 > 2 }
  }

  @MainActor func writesOtherLibraries(player: Player, view: View, bag: ObserverBag) {
    // expected-error@+1 {{write connect { payload in … }; you need not keep the observer that it returns}}
    player.scored.subscribe(onNext: { print($0) })
    // expected-error@+1 {{write connect { payload in … }; you need not keep the observer that it returns}}
    player.scored.subscribe { [weak view] in view?.show($0) }
    // expected-error@+1 {{name the queue where you connect: write connect(on: queue) { … }, or connect(target, Type.method, queue)}}
    player.scored.observe(on: queue).connect { print($0) }
    // expected-error@+1 {{write store(in: bag) with an ObserverBag; a connection with a target needs no bag}}
    player.scored.connect { print($0) }.disposed(by: bag)
  }
#endif
