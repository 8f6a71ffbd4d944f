// Lines with one mistake each. Scripts/check-fixtures compiles them as they are, and with each connect
// form replaced by the method below it that has one overload and a name of as many letters: the words,
// the places and the time must be the same.

// swift-format-ignore-file

import Dispatch
import SignalObserver

extension SignalSource where Payload: Sendable {
  /// In place of `connect { … }`.
  func receive(_ body: @escaping @Sendable (Payload) -> Void) {}
  /// In place of `connect(on: queue) { … }`.
  func enqueue(on queue: DispatchQueue?, _ body: @escaping @Sendable (Payload) -> Void) {}
  /// In place of `connect(target) { … }`.
  func perform<Target: AnyObject>(
    _ target: Target, _ body: @escaping @Sendable (Target, Payload) -> Void
  ) {}
  /// In place of `connect(target, on: queue) { … }`.
  func deliver<Target: AnyObject>(
    _ target: Target, on queue: DispatchQueue?, _ body: @escaping @Sendable (Target, Payload) -> Void
  ) {}
}

final class Shared: Sendable {
  let best = 0
  func reload() {}
  func add(_ score: Int) {}
  func name(_ score: Int, _ team: String) {}
}

let queue = DispatchQueue(label: "queue")

func mistakes(_ scored: SignalArg<Int>, _ changed: SignalArg2<Int, String>, _ started: SignalVoid, shared: Shared) {
  // A wrong member
  scored.connect { print($0.nonsense) }
  scored.connect { score in print(score.nonsense) }
  scored.connect { shared.nonsense($0) }
  scored.connect { score in shared.add(score.nonsense) }
  changed.connect { print($0, $1.nonsense) }
  changed.connect { score, team in print(score.nonsense, team) }
  started.connect { shared.nonsense() }
  scored.map { $0 * 2 }.connect { print($0.nonsense) }
  scored.filter { $0 > 1 }.connect { print($0.nonsense) }
  scored.map { $0.nonsense }.connect { print($0) }
  scored.filter { $0.nonsense > 1 }.connect { print($0) }
  scored.dropFirst().removeDuplicates().connect { print($0.nonsense) }
  scored.connect(on: queue) { print($0.nonsense) }
  scored.connect(on: .inline) { shared.nonsense($0) }
  scored.map { $0 * 2 }.connect(on: nil) { print($0.nonsense) }
  scored.filter { $0 > 1 }.connect(on: .inline) { print($0.nonsense) }
  changed.connect(on: queue) { score, team in print(score, team.nonsense) }
  scored.connect(shared) { $0.nonsense($1) }
  scored.connect(shared) { shared, score in shared.nonsense(score) }
  scored.map { $0 * 2 }.connect(shared) { $0.nonsense($1) }
  scored.connect(shared, on: queue) { $0.nonsense($1) }
  scored.connect(shared, on: .inline) { shared, score in shared.add(score.nonsense) }
  // A wrong member of the payload, behind a target
  scored.connect(shared) { shared, score in shared.add(score.nonsense) }
  scored.connect(shared) { shared, score in print(score.nonsense) }
  scored.connect(shared) { _, score in print(score.nonsense) }
  scored.connect(shared) { $0.add($1.nonsense) }
  scored.connect(shared) { $0.add($1.nonsense + 1) }
  scored.filter { $0 > 1 }.connect(shared) { $0.add($1.nonsense) }
  scored.dropFirst().removeDuplicates().connect(shared) { shared, score in shared.add(score.nonsense) }
  scored.connect(shared, on: queue) { $0.add($1.nonsense) }
  // A wrong type
  scored.connect { score in shared.add("\(score)") }
  scored.connect { score in let text: String = score; print(text) }
  scored.connect { if $0 > "1" { shared.reload() } }
  changed.connect { score, team in shared.name(team, score) }
  scored.map { "\($0)" }.connect { shared.add($0) }
  scored.connect(on: queue) { score in shared.add("\(score)") }
  scored.map { "\($0)" }.connect(on: nil) { shared.add($0) }
  scored.connect(shared) { shared, score in shared.add("\(score)") }
  scored.map { "\($0)" }.connect(shared) { $0.add($1) }
  scored.connect(shared, on: queue) { shared, score in shared.add("\(score)") }
  // A missing or an extra argument
  scored.connect { shared.add(); print($0) }
  scored.connect { shared.add($0, 1) }
  scored.connect { shared.name($0) }
  changed.connect { score, team in shared.name(score) }
  scored.map { $0 * 2 }.connect { shared.name($0) }
  scored.connect(on: queue) { shared.name($0) }
  scored.connect(on: .inline) { shared.add($0, 1) }
  scored.connect(shared) { shared, score in shared.add() }
  scored.connect(shared, on: queue) { $0.name($1) }
  // A name that there is not
  scored.connect { nonsense($0) }
  scored.connect(on: queue) { score in nonsense(score) }
  scored.connect(shared) { shared, score in nonsense(score) }
}
