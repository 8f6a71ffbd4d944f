// The types of sources and wrappers: what a property, a protocol, an operator and a binding take.

import SignalObserver

struct Point: Sendable {
  var x = 1
}

final class Player {
  @EmitterArg<Int> var scored
  @EmitterArg2<Int, String> var goalScored
  @EmitterArg<Point> var moved
  @EmitterValue var title = ""
  @EmitterValue var count = 0
}

@MainActor final class Window {
  var status = ""
}

protocol Scoring {
  var scored: SignalArg<Int> { get }
  var titleValue: SignalValue<String> { get }
}

extension Player: Scoring {
  var titleValue: SignalValue<String> { $title }
}

actor Match {
  private let scoring = EmitterArg<Int>()
  nonisolated let recent: SignalReplay<Int>
  nonisolated let latest: any SignalSource<Int> & Sendable
  nonisolated var high: some SignalSource<Int> { scoring.signal.filter { $0 > 100 } }
  nonisolated func higher(_ least: Int) -> some SignalSource<Int> {
    scoring.signal.filter { $0 > least }
  }

  init() {
    recent = scoring.signal.replay(3)
    latest = scoring.signal.replay(1)
  }
}

func works(player: Player, match: Match, path: KeyPath<Point, Int> & Sendable) {
  let high: (any SignalSource<Int>)? = player.scored.filter { $0 > 100 }
  high?.connect { _ in }
  match.high.connect { _ in }
  match.higher(200).connect { _ in }
  player.moved.map { $0[keyPath: path] }.connect { _ in }
  player.moved.map(\.x).connect { _ in }
  player.goalScored.removeDuplicates(by: ==).connect { _ in }
  merge([player.scored, player.$count] as [any SignalSource<Int>]).connect { _ in }
  merge(player.scored, player.scored.filter { $0 > 100 }).connect { _ in }
  combineLatest(player.$count, player.$title).connect { _, _ in }
}

func worksWithClock(player: Player, clock: any Clock<Duration>) {
  player.scored.debounce(for: .seconds(1), clock: clock).connect { _ in }
}

@MainActor func worksOnMainActor(player: Player, window: Window) {
  player.$title.bind(to: \.status, of: window)
}

#if WRONG
  func storesChain(player: Player) {
    // expected-error@+1 {{cannot convert value of type 'some SignalSource<Int>' to specified type 'Signal<Int>'}}
    let high: Signal<Int>? = player.scored.filter { $0 > 100 }
    high?.connect { _ in }
    // expected-error@+1 {{cannot convert value of type 'SignalValue<Int>' to specified type 'Signal<Int>'}}
    let count: Signal<Int> = player.$count
    count.connect { _ in }
    // expected-error@+1 {{cannot convert value of type 'SignalObserver' to specified type 'ObserverBag'}}
    let scoped: ObserverBag = player.scored.connect { _ in }
    _ = scoped
  }

  func returnsChain(player: Player) -> Signal<Int> {
    // expected-error@+1 {{cannot convert return expression of type 'some SignalSource<Int>' to return type 'Signal<Int>'}}
    player.scored.filter { $0 > 100 }
  }

  actor StoringMatch {
    // expected-error@+1 {{'nonisolated' can not be applied to variable with non-'Sendable' type 'any SignalSource<Int>'}}
    nonisolated let recent: any SignalSource<Int>

    init(_ recent: any SignalSource<Int> & Sendable) { self.recent = recent }
  }

  actor IsolatedMatch {
    let scoring = EmitterArg<Int>()
    let recent: any SignalSource<Int>
    var high: some SignalSource<Int> { scoring.signal.filter { $0 > 100 } }

    init(_ recent: any SignalSource<Int> & Sendable) { self.recent = recent }
  }

  func connectsFromOutside(storing: StoringMatch, isolated: IsolatedMatch) async {
    // expected-error@+1 {{non-Sendable type 'any SignalSource<Int>' of property 'recent' cannot exit nonisolated context}}
    storing.recent.connect { _ in }
    // expected-error@+1 {{non-Sendable type 'any SignalSource<Int>' of property 'recent' cannot exit actor-isolated context}}
    await isolated.recent.connect { _ in }
    // expected-error@+1 {{non-Sendable type 'some SignalSource<Int>' of property 'high' cannot exit actor-isolated context}}
    await isolated.high.connect { _ in }
  }

  func storesSendableChain(player: Player) {
    // expected-error@+1 {{type 'some SignalSource<Int>' does not conform to the 'Sendable' protocol}}
    let high: any SignalSource<Int> & Sendable = player.scored.filter { $0 > 100 }
    high.connect { _ in }
  }

  protocol AnyScoring {
    var scored: any SignalSource<Int> { get }
  }

  // expected-error@+1 {{type 'AnyScorer' does not conform to protocol 'AnyScoring'}}
  final class AnyScorer: AnyScoring {
    @EmitterArg<Int> var scored
  }

  func mergesAnArray(player: Player) {
    // expected-error@+1 {{failed to produce diagnostic for expression; please submit a bug report}}
    merge([player.scored, player.$count]).connect { _ in }
    // expected-error@+1 {{failed to produce diagnostic for expression; please submit a bug report}}
    combineLatest([player.$count, player.$title]).connect { _ in }
    // expected-error@+1 {{cannot convert value of type 'some SignalSource<Int>' to expected element type 'Signal<Int>'}}
    merge([player.scored, player.scored.filter { $0 > 100 }]).connect { _ in }
  }

  func mapsByPath(player: Player, path: KeyPath<Point, Int>) {
    // expected-error@+2 {{cannot convert value of type 'KeyPath<Point, Int>' to expected argument type '@Sendable (Point) -> Output'}}
    // expected-error@+1 {{generic parameter 'Output' could not be inferred}}
    _ = player.moved.map(path)
    // expected-error@+1 {{capture of 'path' with non-Sendable type 'KeyPath<Point, Int>' in a '@Sendable' closure}}
    _ = player.moved.map { $0[keyPath: path] }
  }

  func removesDuplicatePairs(player: Player) {
    // expected-error@+1 {{type '(Int, String)' cannot conform to 'Equatable'}}
    _ = player.goalScored.removeDuplicates()
  }

  func debouncesWithClock(player: Player, clock: any Clock) {
    // expected-error@+1 {{type 'any Clock' cannot conform to 'Clock'}}
    _ = player.scored.debounce(for: .seconds(1), clock: clock)
  }

  struct Theme {
    var color = ""
  }

  final class Panel {
    var theme: Theme?
  }

  func bindsToPartOfOptional(player: Player, panel: Panel) {
    // expected-error@+1 {{no exact matches in call to instance method 'bind'}}
    player.$title.bind(to: \.theme?.color, of: panel)
  }

  func bindsOutsideMainActor(player: Player, window: Window) {
    // expected-error@+1 {{cannot form key path to main actor-isolated property 'status'}}
    player.$title.bind(to: \.status, of: window)
  }

  /// An operator whose closure captures the whole source.
  struct Large<Base: SignalSource<Int>>: SignalSource {
    let base: Base
    let least: Int

    func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
      // expected-error@+1 {{capture of 'self' with non-Sendable type 'Large<Base>' in a '@Sendable' closure}}
      base.attach(slot.compactAdapted { $0 < least ? nil : $0 })
    }
  }
#endif

/// A class that is not `Sendable`, with a chain.
final class Counter {
  @EmitterValue var score = 0
  @EmitterValue var total = 0
  var doubled: some SignalSource<Int> { $score.map { $0 * 2 } }
}

// A chain that is erased stays in the region of its emitter, and adds none.
actor Referee {
  func watch() {
    let counter = Counter()
    let source: any SignalSource<Int> = counter.doubled
    source.connect { print($0) }
    Task { counter.score = 1 }
  }
}

@MainActor func totals() {
  let counter = Counter()
  combineLatest([counter.doubled, counter.$score] as [any SignalSource<Int>])
    .connect { counter.total = $0.reduce(0, +) }
  counter.score = 1
}

extension SignalSource where Payload: Sendable {
  func logged() -> SignalObserver { connect(on: .inline) { print(Self.self, $0) } }
}
