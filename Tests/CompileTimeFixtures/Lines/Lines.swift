// Natural lines: each expression type-checks in at most 100 ms, by the compiler's own warning.

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
  func name(_ score: Int, _ team: String) {}
  func write(_ text: String) {}
  @concurrent func save(_ score: Int) async {}
}

@MainActor final class View {
  var title = ""
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
  scored.signal.once().connect { print($0) }
  scored.signal.pairwise().connect { print($1 - $0) }
  scored.signal.pairwise().filter { $0 < $1 }.map { $1 - $0 }.connect(shared, Shared.add, .inline)
  scored.signal.removeDuplicates { abs($0 - $1) < 2 }.connect(view, View.show)
  scored.signal.debounce(for: .milliseconds(50)).connect(view, View.show)
  scored.signal.throttle(for: .seconds(1)).map { $0 * 2 }.connect(on: queue) { print($0) }
  scored.signal.delay(for: .seconds(1)).connect(shared, Shared.add)
  merge(scored.signal, scored.signal.map { -$0 }).filter { $0 != 0 }.connect { print($0) }
  combineLatest(scored.signal, named.signal).connect { print($0, $1 ?? "nobody") }
  combineLatest(scored.signal, score.signal).map { $0 + $1.points }.connect(shared, Shared.add)
  score.signal.map(\.points).filter { $0 > 0 }.connect(shared, Shared.add)
  score.signal.map { $0.tags }.mapElements { $0.count }.connect { print($0) }
  score.signal.filter { !$0.team.isEmpty }.map { $0.team }.connect(view, View.write)
  score.signal.removeDuplicates().compactMap { $0.tags.first }.connect(shared, Shared.write, queue)
  named.signal.compactMap { $0 }.map { $0.uppercased() }.connect(view, View.write)
  named.signal.map { $0 ?? "nobody" }.connect(view, View.write)
  named.signal.map { $0 == nil ? 0 : 1 }.scan(0) { $0 + $1 }.connect(view, View.show)
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
