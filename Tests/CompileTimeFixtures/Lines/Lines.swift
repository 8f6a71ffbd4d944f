// Natural lines: each expression type-checks in at most 100 ms, by the compiler's own warning, or
// longer on a slow machine: `natural.py`.

// Longer than the format allows, as lines under work are.
// swift-format-ignore-file

import Dispatch
import SignalObserver

final class Plain {
  var score = 0
  func reload() {}
  func show(_ score: Int) {}
  func show(_ score: Int, of team: String) {}
  func write(_ text: String) {}
  func load(_ score: Int) async {}
}

final class Shared: Sendable {
  func reload() {}
  func add(_ score: Int) {}
  func measure(_ length: Double) {}
  func name(_ score: Int, _ team: String) {}
  func write(_ text: String) {}
  @concurrent func save(_ score: Int) async {}
}

@MainActor final class View {
  var title = ""
  var value = 0.0
  func reload() {}
  func show(_ score: Int) {}
  func name(_ score: Int, _ team: String) {}
  func write(_ text: String) {}
  func load(_ score: Int) async {}
}

actor Store {
  func reload() {}
  func add(_ score: Int) {}
  func name(_ score: Int, _ team: String) {}
  func save(_ score: Int) async {}
}

struct Score: Sendable, Equatable {
  var points = 0
  var team = ""
  var tags: [String] = []
  var x = 0.0
  var y = 0.0
}

let queue = DispatchQueue(label: "queue")
let started = EmitterVoid()
let scored = EmitterArg<Int>()
let changed = EmitterArg2<Int, String>()
let score = EmitterArg<Score>()
let named = EmitterArg<String?>()
let title = EmitterValue("")

func chains(plain: Plain, shared: Shared, view: View, store: Store) {
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(on: nil) { print($0) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(on: .inline) { print($0) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(on: queue) { print($0) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect { print($0) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect { @MainActor in view.show($0) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared) { $0.add($1) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, on: queue) { $0.add($1) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.add)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.add, nil)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.add, .inline)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.add, queue)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.reload)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(shared, Shared.save)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(view, View.show)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(view, View.load)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(store) { $0.add($1) }
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.connect(store, Store.save)
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.map(view, View.write, { "\($0)" })
  scored.signal.map { $0 * 2 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.map(shared, Shared.write, { "\($0)" }, .inline)
  scored.signal.map { $0 * 2 }.filter { $0 > 3 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.dropFirst().removeDuplicates().connect(shared, Shared.add)
  scored.signal.map { $0 * 2 }.filter { $0 > 3 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.dropFirst().removeDuplicates().connect(on: .inline) { print($0) }
  scored.signal.map { $0 * 2 }.filter { $0 > 3 }.compactMap { $0 == 6 ? nil : $0 }.scan(0) { $0 + $1 }.dropFirst().removeDuplicates().connect(store, Store.save)
}

func operators(shared: Shared, view: View, store: Store) {
  scored.signal.map { $0 + 1 }.connect { print($0) }
  scored.signal.map { "\($0)" }.connect(view, View.write)
  scored.signal.map { $0 > 3 ? "high" : "low" }.connect(view, View.write)
  scored.signal.map { ($0, "\($0)") }.connect(shared, Shared.name)
  scored.signal.map { _ in }.connect(shared, Shared.reload)
  scored.signal.filter { $0 > 3 && $0 < 100 }.connect(shared, Shared.add)
  scored.signal.compactMap { $0 == 0 ? nil : 100 / $0 }.connect(shared, Shared.add)
  scored.signal.scan([]) { $0 + [$1] }.connect { print($0.count) }
  scored.signal.scan(0) { max($0, $1) }.removeDuplicates().connect(on: queue) { print("best", $0) }
  scored.signal.dropFirst(2).connect(store) { $0.add($1) }
  scored.signal.prefix(3).connect(shared) { $0.add($1) }
  scored.signal.prefix { $0 < 10 }.connect { print($0) }
  scored.signal.prefix(1).connect { print($0) }
  scored.signal.pairwise().connect { print($1 - $0) }
  scored.signal.pairwise().filter { $0 < $1 }.map { $1 - $0 }.connect(shared, Shared.add, .inline)
  scored.signal.pairwise().map { $1 - $0 }.filter { $0 != 0 }.connect(shared, Shared.add)
  scored.signal.pairwise().map { $1 - $0 }.filter { $0 != 0 }.connect(view, View.show)
  scored.signal.scan([Int]()) { $0.suffix(9) + [$1] }.map { $0.reduce(0, +) }.connect { print($0) }
  scored.signal.scan([Int]()) { $0.suffix(9) + [$1] }.map { $0.reduce(0, +) }.connect(shared) { $0.add($1) }
  scored.signal.scan([Int]()) { $0.suffix(9) + [$1] }.map { (last: [Int]) in last.reduce(0, +) / last.count }.connect(shared) { $0.add($1) }
  scored.signal.removeDuplicates { abs($0 - $1) < 2 }.connect(view, View.show)
  scored.signal.debounce(for: .milliseconds(50)).connect(view, View.show)
  scored.signal.throttle(for: .seconds(1)).map { $0 * 2 }.connect(on: queue) { print($0) }
  scored.signal.delay(for: .seconds(1)).connect(shared, Shared.add)
  merge(scored.signal, scored.signal.map { -$0 }).filter { $0 != 0 }.connect { print($0) }
  combineLatest(scored.signal, named.signal).connect { print($0, $1 ?? "nobody") }
  combineLatest(scored.signal, score.signal).map { $0 + $1.points }.connect(shared, Shared.add)
  score.signal.map(\.points).filter { $0 > 0 }.connect(shared, Shared.add)
  score.signal.map { $0.tags }.map { $0.map { $0.count } }.connect { print($0) }
  score.signal.filter { !$0.team.isEmpty }.map { $0.team }.connect(view, View.write)
  score.signal.removeDuplicates().compactMap { $0.tags.first }.connect(shared, Shared.write, queue)
  named.signal.compactMap { $0 }.map { $0.uppercased() }.connect(view, View.write)
  named.signal.map { $0 ?? "nobody" }.connect(view, View.write)
  named.signal.map { $0 == nil ? 0 : 1 }.scan(0) { $0 + $1 }.connect(view, View.show)
}

func arithmetic(
  _ scored: SignalArg<Int>, _ changed: SignalArg2<Int, String>, _ started: SignalVoid, _ score: SignalArg<Score>,
  _ temp: SignalArg<Double>, _ names: SignalArg<[String]>, _ opt: SignalArg<Int?>,
  _ res: SignalArg<Result<Int, any Error>>, shared: Shared, view: View, store: Store
) {
  temp.map { ($0 - 32) / 1.8 }.connect { print($0) }
  temp.map { ($0 - 32) / 1.8 }.connect(shared) { $0.measure($1) }
  temp.map { ($0 - 32) * 5 / 9 }.connect(shared) { $0.measure($1 + 1) }
  temp.map { ($0 - 32) * 5 / 9 }.connect(on: queue) { print("\($0) °C") }
  temp.scan(0.0) { $0 * 0.9 + $1 * 0.1 }.connect(shared) { $0.measure($1) }
  score.map { $0.x * $0.x + $0.y * $0.y }.filter { $0 < 1 }.connect { print($0.squareRoot()) }
  score.map { ($0.points + 1, $0.team + "!") }.connect(shared) { $0.name($1, $2) }
  score.map { ($0.points + 1, $0.team + "!") }.connect(store) { $0.name($1 + 1, $2) }
  score.filter { $0.points > 10 || $0.team == "north" }.map { $0.team }.removeDuplicates().connect(view, View.write)
  score.compactMap { $0.points > 10 ? $0.team : nil }.connect(view, View.write)
  score.map { $0.tags.filter { !$0.isEmpty }.joined(separator: ", ") }.connect(view, View.write)
  score.map { $0.tags.sorted { $0.count < $1.count }.first ?? "none" }.connect(view, View.write)
  names.map { $0.map { $0.uppercased() } }.map { $0.map { $0.count } }.connect { print($0.reduce(0) { $0 + $1 }) }
  names.map { $0.count }.pairwise().connect(shared) { $0.add($2 - $1) }
  names.compactMap { $0.first?.count }.map { $0 * 2 + 1 }.connect(store) { $0.add($1) }
  opt.compactMap { $0 }.map { $0 % 2 == 0 ? "even" : "odd" }.connect(view, View.write)
  opt.map { ($0 ?? 0) * 2 }.scan(0) { $0 + $1 }.connect(shared, Shared.add, .inline)
  opt.map { $0 == nil }.removeDuplicates().connect { print($0 ? "none" : "some") }
  opt.connect { if let n = $0 { print(n + 1) } }
  res.compactMap { try? $0.get() }.map { $0 * 2 }.filter { $0 > 1 }.connect(shared, Shared.add)
  res.compactMap { if case .failure(let error) = $0 { "\(error)" } else { nil } }.connect(view, View.write)
  scored.map { $0 * 2 + 1 }.filter { $0 % 3 == 0 }.connect(shared) { shared, score in shared.add(score * 2 + 1) }
  scored.map { [$0, $0 + 1] }.connect { print($0.reduce(0, +)) }
  scored.map { ["score": $0] }.connect { print($0["score"] ?? 0) }
  scored.map { max(0, min(100, $0)) }.removeDuplicates().connect(view, View.show)
  scored.map { max(0, min(100, $0 - 1)) }.connect(shared) { $0.add($1) }
  scored.map { -$0 }.connect(store) { $0.add($1 * 2) }
  scored.map { $0 < 0 ? -$0 : $0 }.connect(shared) { $0.add($1) }
  scored.map { $0 & 1 == 0 ? 1 << $0 : 0 }.connect(shared) { $0.add($1) }
  scored.scan((min: Int.max, max: Int.min)) { (min($0.min, $1), max($0.max, $1)) }.connect { print($0.min, $0.max) }
  scored.filter { [1, 2, 3].contains($0) }.connect(shared, Shared.add)
  scored.filter { (1...10).contains($0) }.map { $0 * $0 }.connect(shared) { $0.add($1) }
  scored.filter { $0 % 15 == 0 || $0 % 3 == 0 && $0 > 10 }.connect(shared, Shared.add, queue)
  scored.map { $0 % 15 == 0 ? "FizzBuzz" : $0 % 3 == 0 ? "Fizz" : $0 % 5 == 0 ? "Buzz" : "\($0)" }.connect(view, View.write)
  scored.map { $0 % 15 == 0 ? "FizzBuzz" : $0 % 3 == 0 ? "Fizz" : "\($0)" }.connect { print($0) }
  scored.map { String($0).count }.connect(shared) { $0.add($1 + 1) }
  scored.map { "\($0) points" + ($0 == 1 ? "" : "s") }.connect(view, View.write)
  scored.map { "\($0) point" + ($0 == 1 ? "" : "s") }.connect { print($0 + "!") }
  scored.prefix(while: { $0 < 10 }).map { $0 * 2 }.connect { print($0) }
  scored.throttle(for: .milliseconds(100)).map { Double($0) / 100 }.connect(view) { @MainActor view, value in view.value = value * 2 }
  scored.debounce(for: .milliseconds(300)).removeDuplicates().filter { $0 > 0 }.map { "\($0)" }.connect(view, View.write)
  scored.map { $0 * 2 }.connect(view) { @MainActor in $0.value = Double($1) / 2 }
  scored.connect(on: .inline) { print($0 * 2 + 1, $0 % 2 == 0 ? "even" : "odd") }
  scored.connect(shared, on: .inline) { $0.add($1 * 2 + ($1 > 3 ? 1 : 0)) }
  scored.connect(shared, on: queue) { shared, score in shared.write("\(score): " + (score > 3 ? "high" : "low")) }
  scored.connect(shared) { $0.add($1 * 2 + ($1 > 3 ? 1 : 0) - $1 / 2) }
  scored.connect(store) { $0.add($1 * 2 + ($1 > 3 ? 1 : 0) - $1 / 2) }
  scored.connect(store) { await $0.save($1 * 2 + ($1 > 3 ? 1 : 0)) }
  changed.map { "\($1): \($0)" }.connect(view, View.write)
  changed.map { $1.count * 2 + $0 }.connect(shared) { $0.add($1) }
  changed.filter { $0 > 3 && !$1.isEmpty }.map { $1 + "\($0)" }.connect(view, View.write)
  changed.connect(shared) { $0.name($1 * 2 + 1, $2 + "!") }
  changed.connect(shared, on: queue) { $0.name($1 * 2 + 1, $2 + "!") }
  changed.connect(store) { $0.name($1 * 2 + 1, $2 + "!") }
  combineLatest(scored, temp).map { Double($0) * $1 }.connect(shared) { $0.measure($1) }
  merge(scored.map { $0 * 2 }, opt.compactMap { $0 }).scan(0) { $0 + $1 }.connect(shared) { $0.add($1) }
  merge(scored.map { "\($0)" }, changed.map { "\($0)\($1)" }).connect(view, View.write)
  merge(started.map { 0 }, scored.map { $0 + 1 }).connect(shared, Shared.add)
  started.scan(0) { count, _ in count + 1 }.filter { $0 % 2 == 0 }.connect(shared, Shared.add)
  started.map { Int.random(in: 0..<10) }.connect(store) { $0.add($1) }
  let total = scored.map { $0 * 2 }.filter { $0 > 3 }.scan(0) { $0 + $1 }
  total.connect(shared, Shared.add)
  let observer = scored.map { $0 * 2 }.filter { $0 > 3 }.connect(on: .inline) { print($0) }
  observer.cancel()
  let bag = ObserverBag()
  scored.map { $0 * 2 }.connect { print($0 + 1) }.store(in: bag)
  bag.insert(scored.map { $0 * 2 }.filter { $0 > 1 }.connect(shared, Shared.add))
}

func plainForms(plain: Plain, shared: Shared, view: View, store: Store) {
  started.signal.connect { print("started") }
  started.signal.connect(on: queue) { print("started") }
  started.signal.connect(shared) { $0.reload() }
  started.signal.connect(shared, on: .inline) { $0.reload() }
  started.signal.connect(shared, Shared.reload)
  started.signal.connect(view, View.reload)
  started.signal.connect(store) { $0.reload() }
  scored.signal.connect { print($0 + 1) }
  scored.signal.connect { score in print(score > 3 ? score * 2 : score + 1) }
  scored.signal.connect { score in await store.save(score) }
  scored.signal.connect { @MainActor score in view.title = "\(score)" }
  scored.signal.connect(shared) { shared, score in shared.add(score * 2) }
  scored.signal.connect(shared) { shared, score in await shared.save(score) }
  scored.signal.connect(view) { @MainActor view, score in view.title = score > 0 ? "won" : "lost" }
  scored.signal.connect(store) { store, score in store.add(score + 1) }
  scored.signal.connect(store) { store, score in await store.save(score + 1) }
  scored.signal.connect(plain, Plain.reload, .inline)
  scored.signal.connect(shared, Shared.reload, nil)
  scored.signal.map(view, View.write, { "\($0)" })
  scored.signal.map(shared, Shared.name, { ($0 + 1, "\($0)") })
  scored.signal.map(shared, Shared.add, { $0 > 1 ? $0 : 0 }, queue)
  changed.signal.connect { print($0 + 1, $1 + "!") }
  changed.signal.connect { score, team in print(score, team.uppercased()) }
  changed.signal.connect(on: queue) { score, team in print(score, team) }
  changed.signal.connect(shared) { $0.name($1 + 1, $2) }
  changed.signal.connect(shared, on: .inline) { $0.name($1, $2) }
  changed.signal.connect(shared, Shared.name)
  changed.signal.connect(view, View.name)
  changed.signal.connect(store) { $0.name($1, $2) }
  changed.signal.filter { $0 > 1 && $1 != "" }.connect(shared, Shared.name)
  changed.signal.map { $0 + $1.count }.filter { $0 > 1 }.connect { print($0) }
  changed.signal.map { ($0 * 2, $1 + "!") }.connect(shared, Shared.name, .inline)
  changed.signal.map(shared, Shared.write, { "\($1)\($0)" })
  title.signal.connect { print($0.count) }
  title.signal.changes.connect { print($0, $1) }
  let connectLater = { @Sendable () -> Void in scored.signal.connect(shared, Shared.add) }
  connectLater()
}

@MainActor final class Screen {
  var shown = 0
  let view = View()

  func follow() {
    scored.signal.connect { self.shown += $0 }
    scored.signal.connect(self) { $0.shown = $1 > 3 ? $1 : 0 }
    scored.signal.connect(self, Screen.show)
    scored.signal.map { $0 * 2 }.filter { $0 > 3 }.scan(0) { $0 + $1 }.connect(self) { $0.shown = $1 }
    scored.signal.map { $0 * 2 }.filter { $0 > 3 }.scan(0) { $0 + $1 }.connect(self, Screen.show)
    scored.signal.map { $0 * 2 }.filter { $0 > 3 }.connect { [view] in view.show($0) }
    changed.signal.connect(self) { me, score, team in me.shown = score + team.count }
  }

  func show(_ score: Int) {}
}

actor Keeper {
  var kept = 0

  func follow() {
    scored.signal.connect(self) { $0.kept += $1 }
    scored.signal.connect(self, Keeper.save)
    scored.signal.map { $0 * 2 }.filter { $0 > 3 }.scan(0) { $0 + $1 }.connect(self) { $0.kept = $1 }
    changed.signal.connect(self) { me, score, team in me.kept = score + team.count }
  }

  func save(_ score: Int) async {}
}
