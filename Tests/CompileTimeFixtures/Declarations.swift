// Where an emitter may be declared, and that only its owner emits what the signal sends.

import Observation
import SignalObserver

final class Service: Sendable {
  private let responding = EmitterArg<Int>()

  var responded: SignalArg<Int> { responding.signal }
}

enum Application {
  static let quitting = EmitterVoid()
}

actor Store {
  @EmitterArg<Int> nonisolated var changed
}

@MainActor final class Model {
  @EmitterArg<Int> nonisolated var changed
}

final class Draft {}

@MainActor final class Editor {
  // Not `nonisolated`, because a draft is not `Sendable`.
  @EmitterArg<Draft> var composed

  func compose() { _composed.invoke(Draft()) }
}

@Observable final class Player {
  @ObservationIgnored @EmitterArg<Int> var scored
  var best = 0

  func play() { _scored.invoke(1) }
}

func works(store: Store, model: Model) {
  store.changed.connect { _ in }
  model.changed.connect { _ in }
  Application.quitting.signal.connect {}
}

protocol Scoring {
  var scored: SignalArg<Int> { get }
}

@MainActor final class Match: Scoring {
  @EmitterArg<Int> nonisolated var scored
}

@MainActor final class Form {
  @EmitterValue var name = ""
  @EmitterValue var age = 0
  lazy var canSubmit: some SignalSource<Bool> = combineLatest($name, $age)
    .map { !$0.isEmpty && $1 >= 18 }
  private(set) var observer: SignalObserver?

  init() {
    canSubmit.connect { _ in }
    observer = $name.connect(self, Form.show)
  }

  private func show(_ name: String) {}
}

final class Game {
  @EmitterArg<Int> var scored
  let ended = EmitterVoid()

  func play() {
    _scored.invoke(1)
    ended.invoke()
  }
}

let pairs = EmitterArg2<Int, String>()

func works(game: Game) {
  game.play()
  pairs.invoke(1, "north")
  pairs.invoke((1, "north"))
}

#if WRONG
  // expected-error@+1 {{conformance of 'MainMatch' to protocol 'Scoring' crosses into main actor-isolated code}}
  @MainActor final class MainMatch: Scoring {
    @EmitterArg<Int> var scored
  }

  @MainActor final class HastyForm {
    @EmitterValue var name = ""
    // expected-error@+1 {{cannot use instance member '$name' within property initializer; property initializers run before 'self' is available}}
    let isNamed = $name.map { !$0.isEmpty }
  }

  final class Score {
    // expected-error@+1 {{an emitter has no value: remove the value, or write @EmitterValue var name = value}}
    @EmitterArg<Int> var goals = 0
    // expected-error@+1 {{an emitter has no value: remove the value, or write @EmitterValue var name = value}}
    @EmitterArg var shots = 0
  }

  final class WrappedService: Sendable {
    // expected-error@+1 {{stored property '_responded' of 'Sendable'-conforming class 'WrappedService' is mutable}}
    @EmitterArg<Int> var responded
  }

  final class WrappedSettings: Sendable {
    // expected-error@+1 {{stored property '_name' of 'Sendable'-conforming class 'WrappedSettings' is mutable}}
    @EmitterValue var name = ""
  }

  // expected-error@+2 {{type 'StoredSettings' does not conform to protocol 'Decodable'}}
  // expected-error@+1 {{type 'StoredSettings' does not conform to protocol 'Encodable'}}
  final class StoredSettings: Codable {
    @EmitterValue var volume = 1
  }

  // expected-error@+1 {{type 'SharedPoint' does not conform to protocol 'Equatable'}}
  struct SharedPoint: Equatable {
    @EmitterVoid var moved
  }

  actor WrappedStore {
    // expected-error@+1 {{'nonisolated' cannot be applied to mutable stored properties}}
    @EmitterValue nonisolated var count = 0
  }

  @MainActor final class SharingEditor {
    // expected-error@+1 {{'nonisolated' can not be applied to variable with non-'Sendable' type 'Signal<Draft>'}}
    @EmitterArg<Draft> nonisolated var composed
  }

  actor SharingDesk {
    // expected-error@+1 {{'nonisolated' can not be applied to variable with non-'Sendable' type 'Signal<Draft>'}}
    @EmitterArg<Draft> nonisolated var composed
  }

  enum WrappedApplication {
    // expected-error@+1 {{static property 'quit' is not concurrency-safe because it is nonisolated global shared mutable state}}
    @EmitterVoid static var quit
  }

  actor IsolatedStore {
    @EmitterArg<Int> var changed

    nonisolated func emit() {
      // expected-error@+1 {{actor-isolated property '_changed' can not be referenced from a nonisolated context}}
      _changed.invoke(1)
    }
  }

  func connectsFromOutside(store: IsolatedStore) {
    // expected-error@+1 {{actor-isolated property 'changed' can not be referenced from a nonisolated context}}
    store.changed.connect { _ in }
  }

  func emitsFromOutside(game: Game) {
    // expected-error@+1 {{only the emitter sends: write _name.invoke(…) in the type that declares the signal}}
    game.scored.invoke(1)
  }

  func emitsThroughStorage(game: Game) {
    // expected-error@+1 {{'_scored' is inaccessible due to 'private' protection level}}
    game._scored.invoke(1)
  }

  func emitsThroughSignal(game: Game) {
    // expected-error@+1 {{only the emitter sends: write _name.invoke(…) in the type that declares the signal}}
    game.ended.signal.invoke()
  }

  func replacesSignal(game: Game, other: Game) {
    // expected-error@+1 {{cannot assign to property: 'scored' is a get-only property}}
    game.scored = other.scored
  }

  func makesSignal() -> SignalArg<Int> {
    // expected-error@+1 {{'Signal<Payload>' initializer is inaccessible due to 'internal' protection level}}
    Signal()
  }

  func sendsAnotherType(emitter: EmitterArg<Int>) {
    // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
    emitter.invoke("one")
  }

  func sendsNothing(emitter: EmitterArg<Int>) {
    // expected-error@+1 {{instance method 'invoke(isolation:)' requires the types 'Int' and '()' be equivalent}}
    emitter.invoke()
  }

  func sendsTwo(emitter: EmitterArg<Int>) {
    // expected-error@+1 {{instance method 'invoke(_:_:isolation:)' requires the types 'Int' and '(Int, Int)' be equivalent}}
    emitter.invoke(1, 2)
  }

  func sendsOneOfTwo(emitter: EmitterArg2<Int, Int>) {
    // expected-error@+1 {{cannot convert value of type 'Int' to expected argument type '(Int, Int)'}}
    emitter.invoke(1)
  }
#endif
