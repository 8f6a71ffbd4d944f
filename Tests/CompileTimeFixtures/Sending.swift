// What is not Sendable stays where it is: a signal of such a payload, its emitter, a chain and a target.

import SignalObserver

final class Document {}

final class Counter {
  func add(_ number: Int) {}
}

final class Player {
  @EmitterArg<Int> var scored
}

func works(signal: SignalArg<Int>) {
  Task.detached { signal.connect { _ in } }
}

protocol SharedBoard: AnyObject, Sendable {
  func show(_ number: Int)
}

func worksForGenerics<SomeBoard: SharedBoard>(scored: SignalArg<Int>, board: SomeBoard) {
  scored.connect(board, SomeBoard.show)
}

protocol UnsharedBoard: AnyObject {
  func show(_ number: Int)
}

func worksForProtocols<SomeBoard: UnsharedBoard>(scored: SignalArg<Int>, board: SomeBoard) {
  scored.connect(board, UnsharedBoard.show)
}

func worksInTask(player: Player) {
  let values = player.scored.values
  Task { for await score in values { print(score) } }
}

actor Storing {
  @EmitterArg<Document> var opened
  private let observers = ObserverBag()
  private var sum = 0

  init(_ scored: SignalArg<Int>) {
    scored.connect(self) { me, score in me.sum += score }.store(in: observers)
  }

  func follow() { opened.connect { document in print(document) } }
}

@MainActor func worksForOne(scored: SignalArg<Int>) async {
  _ = await scored.filter { $0 > 100 }.next()
}

func worksIfNobodyElseHasIt() {
  let emitter = EmitterArg<Document>()
  Task.detached { emitter.invoke(Document()) }
}

#if WRONG
  @MainActor final class HastyForm {
    @EmitterValue var name = ""
    let isNamed: any SignalSource<Bool>
    let observer: SignalObserver

    init() {
      // expected-error@+1 {{'self' used in property access '$name' before all stored properties are initialized}}
      isNamed = $name.map { !$0.isEmpty }
      // expected-error@+1 {{'self' used in property access '$name' before all stored properties are initialized}}
      observer = $name.connect { _ in }
    }
  }

  func sendsSignal(signal: SignalArg<Document>) {
    // expected-error@+1 {{risks causing data races}}
    Task.detached { signal.connect { _ in } }
  }

  func loopsInTask(player: Player) {
    // expected-error@+1 {{passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure}}
    Task { for await score in player.scored.values { print(score) } }
  }

  actor StoringOne {
    @EmitterArg<Document> var opened
    private var observer: SignalObserver?
    private var sum = 0

    init(_ scored: SignalArg<Int>) {
      // expected-error@+1 {{cannot access property 'observer' here in nonisolated initializer}}
      observer = scored.connect(self) { me, score in me.sum += score }
    }

    func follow() {
      // expected-error@+1 2{{pattern that the region-based isolation checker does not understand how to check. Please file a bug}}
      opened.connect { @MainActor document in print(document) }
    }
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

  @MainActor func testsInTheLoop(scored: SignalArg<Int>) async {
    // expected-error@+1 {{(Int) async -> Bool' risks causing data races}}
    _ = await scored.values.first { $0 > 100 }
  }

  final class Label {
    @MainActor func show(_ number: Int) {}
  }

  @MainActor protocol Board: AnyObject {
    func show(_ number: Int)
  }

  @MainActor func connectsOneMethodOfTheMainActor(scored: SignalArg<Int>, label: Label) {
    // expected-error@+1 {{sending 'self' risks causing data races}}
    scored.connect(label, Label.show)
  }

  @MainActor func connectsProtocol(scored: SignalArg<Int>, board: any Board) {
    // expected-error@+1 {{sending 'self' risks causing data races}}
    scored.connect(board, Board.show)
  }

  @MainActor func connectsGeneric<SomeBoard: Board>(scored: SignalArg<Int>, board: SomeBoard) {
    // expected-error@+2 {{sending 'self' risks causing data races}}
    // expected-warning@+1 {{capture of non-Sendable type 'SomeBoard.Type' in an isolated closure}}
    scored.connect(board, SomeBoard.show)
  }

  func connectsPlainGeneric<SomeBoard: UnsharedBoard>(scored: SignalArg<Int>, board: SomeBoard) {
    // expected-warning@+1 {{capture of non-Sendable type 'SomeBoard.Type' in an isolated closure}}
    scored.connect(board, SomeBoard.show)
  }
#endif
