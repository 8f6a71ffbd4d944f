// Only the owner of an emitter emits, with what the signal sends.

import SignalObserver

final class Player {
  @EmitterArg<Int> var scored
  let ended = EmitterVoid()

  func play() {
    _scored.invoke(1)
    ended.invoke()
  }
}

let pairs = EmitterArg2<Int, String>()

func works(player: Player) {
  player.play()
  pairs.invoke(1, "north")
  pairs.invoke((1, "north"))
}

#if WRONG
  func emitsFromOutside(player: Player) {
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.scored.invoke(1)
  }

  func emitsThroughStorage(player: Player) {
    // expected-error@+1 {{'_scored' is inaccessible due to 'private' protection level}}
    player._scored.invoke(1)
  }

  func emitsThroughSignal(player: Player) {
    // expected-error@+1 {{a signal does not send: its emitter does, in the type that declares it: _name.invoke(…)}}
    player.ended.signal.invoke()
  }

  func replacesSignal(player: Player, other: Player) {
    // expected-error@+1 {{cannot assign to property: 'scored' is a get-only property}}
    player.scored = other.scored
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
