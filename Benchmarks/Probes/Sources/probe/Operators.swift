import SignalObserver

// What an operator adds to an emission: the difference of its row and of `emit-closure-1`, which
// emits the same numbers to the same slot without it.
//
// A "closure call" is what one more closure slot adds to an emission: a hundredth of the difference
// of `emit-closure-100` and `emit-closure-1`. `call-closure` is for comparison: a stored closure that
// is called by hand.
//
// A few operators send what the slot does not take; their rows include the cost of a `map` or two.

var references: [Work] {
  [
    Work(name: "call-closure", unit: "call", times: 2000) {
      let counter = Counter()
      let holder = Holder { counter.add($0) }
      return { times in
        for number in 0..<times { holder.call(number) }
      }
    },
    // What the operators of time ask of the platform for each payload.
    Work(name: "read-clock", unit: "deadline", times: 2000) {
      let counter = Counter()
      let (clock, duration) = (ContinuousClock(), Duration.seconds(3600))
      let start = clock.now
      return { times in
        for number in 0..<times {
          if deadline(clock, duration) > start { counter.add(number) }
        }
      }
    },
  ]
}

@inline(never)
private func deadline<C: Clock>(_ clock: C, _ duration: C.Duration) -> C.Instant {
  clock.now.advanced(by: duration)
}

private final class Holder {
  private let body: (Int) -> Void

  init(_ body: @escaping (Int) -> Void) { self.body = body }

  @inline(never)
  func call(_ number: Int) { body(number) }
}

// MARK: - Operators

var operators: [Work] {
  [
    through("map") { $0.map { $0 &+ 1 } },
    through("compactMap") { $0.compactMap { $0 &+ 1 } },
    through("filter") { $0.filter { $0 >= 0 } },
    through("removeDuplicates") { $0.removeDuplicates() },
    through("scan") { $0.scan(0) { $0 &+ $1 } },
    through("reductions") { $0.reductions(into: 0) { $0 &+= $1 } },
    pairs("pairwise") { $0.pairwise() },
    through("dropFirst") { $0.dropFirst() },
    through("prefix") { $0.prefix(.max) },
    through("prefix-while") { $0.prefix { $0 >= 0 } },
    through("prefix-for", times: 20_000) { $0.prefix(for: .seconds(3600)) },
    through("merge") { merge($0, otherEmitter.signal) },
    through("prefix-until") { $0.prefix(until: otherEmitter.signal) },
    pairs("zip") { $0.zip($0) },
    pairs("combineLatest") { combineLatest($0, otherValue.signal) },
    through("debounce", times: 20_000) { $0.debounce(for: .seconds(3600)) },
    through("throttle", times: 20_000) { $0.throttle(for: .seconds(3600)) },
    through("delay", times: 20_000) { $0.delay(for: .seconds(3600)) },
    through("replay") { $0.replay(3) },
  ]
}

/// What the article "Operators" lists as recipes; this target compiles the same file.
var recipes: [Work] {
  [
    pairs("withLatest", "recipe") { $0.withLatest(from: otherValue.signal) },
    through("sample", "recipe") { $0.sample(on: $0) },
    through("start", "recipe") { $0.start(with: 0) },
    through("flatMapLatest", "recipe") { $0.flatMapLatest { _ in otherValue.signal } },
    Work(name: "recipe-share", unit: "emission", times: 2000) {
      let emitter = EmitterArg<Int>()
      let (counter, shared) = (Counter(), share(emitter.signal))
      shared.signal.connect(on: .inline) { counter.add($0) }
      return { times in
        for number in 0..<times { emitter.invoke(number) }
        withExtendedLifetime(shared) {}
      }
    },
    through("timeout", "recipe", times: 20_000) { $0.timeout(after: .seconds(3600)) },
    Work(name: "recipe-total", unit: "change of one of ten children", times: 2000) {
      // The probes run on the main thread.
      MainActor.assumeIsolated { () -> @Sendable (Int) -> Void in
        let (cart, items) = (Cart(), (0..<10).map { _ in Item() })
        cart.items = items
        return { times in
          MainActor.assumeIsolated {
            for number in 1...times { items[0].price = number }
            withExtendedLifetime(cart) {}
          }
        }
      }
    },
  ]
}

private let otherEmitter = EmitterArg<Int>()
private let otherValue = EmitterValue(1)

/// More times where a task begins to wait meanwhile, whose start would show in fewer.
@inline(__always)
private func through(
  _ name: String, _ kind: String = "operator", times: Int = 2000,
  _ apply: @escaping (SignalArg<Int>) -> some SignalSource<Int>
) -> Work {
  Work(name: "\(kind)-\(name)", unit: "emission", times: times) {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    apply(emitter.signal).connect(on: .inline) { counter.add($0) }
    return { times in
      for number in 0..<times { emitter.invoke(number) }
    }
  }
}

/// An operator that sends pairs, to a closure with two parameters.
@inline(__always)
private func pairs(
  _ name: String, _ kind: String = "operator",
  _ apply: @escaping (SignalArg<Int>) -> some SignalSource<(Int, Int)>
) -> Work {
  Work(name: "\(kind)-\(name)", unit: "emission", times: 2000) {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    apply(emitter.signal).connect(on: .inline) { counter.add($0, $1) }
    return { times in
      for number in 0..<times { emitter.invoke(number) }
    }
  }
}

// MARK: - Values

var values: [Work] {
  [
    setting("set-value-nobody") { _, _ in },
    setting("set-value-1") { value, counter in value.connect(on: .inline) { counter.add($0) } },
    setting("set-value-changes-1") { value, counter in
      value.changes.connect(on: .inline) { counter.add($0, $1) }
    },
    setting("set-value-100") { value, counter in
      for _ in 0..<100 { value.connect(on: .inline) { counter.add($0) } }
    },
    emission("bind-emitter") { signal, counter in
      let bound = EmitterArg<Int>()
      bound.signal.connect(on: .inline) { counter.add($0) }
      counter.kept = bound
      signal.bind(to: bound)
    },
    setting("bind-value") { value, counter in
      let bound = EmitterValue(0)
      bound.signal.connect(on: .inline) { counter.add($0) }
      counter.kept = bound
      value.bind(to: bound)
    },
    setting("bind-property") { value, counter in
      value.bind(to: \.number, of: counter, on: .inline)
    },
    Work(name: "bond", unit: "set", times: 2000) {
      let (first, second) = (EmitterValue(0), EmitterValue(0))
      let counter = Counter()
      second.signal.connect(on: .inline) { counter.add($0) }
      first.bond(givingTo: second)
      return { times in
        for number in 0..<times { first.value = number }
        withExtendedLifetime(second) {}
      }
    },
    Work(name: "modify-element", unit: "change of 1,000 elements", times: 2000) {
      let value = EmitterValue(Array(repeating: 0, count: 1000))
      return { times in
        for number in 0..<times { value.value[number % 1000] &+= 1 }
      }
    },
    Work(name: "modify-value-1", unit: "change", times: 2000) {
      let value = EmitterValue(0)
      let counter = Counter()
      value.signal.connect(on: .inline) { counter.add($0) }
      return { times in
        for _ in 0..<times { value.modify { $0 &+= 1 } }
      }
    },
  ]
}

@inline(__always)
private func setting(
  _ name: String, _ connect: @escaping (SignalValue<Int>, Counter) -> Void
) -> Work {
  Work(name: name, unit: "set", times: 2000) {
    let value = EmitterValue(0)
    let counter = Counter()
    connect(value.signal, counter)
    return { times in
      for number in 0..<times { value.value = number }
      withExtendedLifetime(counter) {}
    }
  }
}
