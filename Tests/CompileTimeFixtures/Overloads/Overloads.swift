// Which form each call picks, and so where its slot runs: `Scripts/check-fixtures` compiles this
// program in several ways, runs it and compares what it prints with Overloads.txt. It prints each
// call as it is written here, behind the target and the delivery of the slot that it made.

import Dispatch
import Foundation
import SignalObserver

class Plain {
  func zero() {}
  func one(_ number: Int) {}
  func two(_ number: Int, _ text: String) {}
  func labelled(number: Int) {}
  func labelled(number: Int, text: String) {}
  func overloaded() {}
  func overloaded(_ number: Int) {}
  func overloaded(_ text: String) {}
  func overloaded(_ number: Int, _ text: String) {}
  func resultOfZero() -> Int { 0 }
  func resultOfOne(_ number: Int) -> [String] { [] }
  func resultOfTwo(_ number: Int, _ text: String) -> Plain { self }
  private func hidden(_ number: Int) {}

  func connectHidden(_ s1: SignalArg<Int>) {
    s1.connect(self, Plain.hidden)
  }
}

final class Sub: Plain {
  override func one(_ number: Int) {}
  func ofSub(_ number: Int) {}
}

final class Generic<Element> {
  func one(_ element: Element) {}
  func two(_ element: Element, _ text: String) {}
}

@MainActor class View {
  nonisolated init() {}

  func zero() {}
  func one(_ number: Int) {}
  func two(_ number: Int, _ text: String) {}
  func labelled(number: Int, text: String) {}
  func overloaded() {}
  func overloaded(_ number: Int) {}
  func overloaded(_ text: String) {}
  func overloaded(_ number: Int, _ text: String) {}
  func resultOfOne(_ number: Int) -> [String] { [] }
  func asyncZero() async {}
  func asyncOne(_ number: Int) async {}
  func asyncTwo(_ number: Int, _ text: String) async {}
  func asyncResult(_ number: Int) async -> String { "" }
  private func hidden(_ number: Int) {}

  nonisolated func connectHidden(_ s1: SignalArg<Int>) {
    s1.connect(self, View.hidden)
  }
}

final class Subview: View {
  override func one(_ number: Int) {}
}

@MainActor final class GenericView<Element: Sendable> {
  nonisolated init() {}

  func one(_ element: Element) {}
}

/// Public: see CompilerBugs.
@globalActor public actor Background {
  /// The one instance.
  public static let shared = Background()
}

@Background final class Log {
  nonisolated init() {}

  func zero() {}
  func one(_ number: Int) {}
  func two(_ number: Int, _ text: String) {}
  func overloaded(_ number: Int) {}
  func overloaded(_ text: String) {}
  func resultOfOne(_ number: Int) -> [String] { [] }
  func asyncZero() async {}
  func asyncOne(_ number: Int) async {}
  func asyncTwo(_ number: Int, _ text: String) async {}
}

actor Store {
  func zero() {}
  func one(_ number: Int) {}
  func two(_ number: Int, _ text: String) {}
  func asyncZero() async {}
  func asyncOne(_ number: Int) async {}
  func asyncTwo(_ number: Int, _ text: String) async {}
  private func hidden(_ number: Int) async {}

  func connectHidden(_ s1: SignalArg<Int>) {
    s1.connect(self, Store.hidden)
  }
}

final class Worker: Sendable {
  @concurrent func zero() async {}
  @concurrent func one(_ number: Int) async {}
  @concurrent func two(_ number: Int, _ text: String) async {}
}

final class Shared: Sendable {
  func zero() {}
  func one(_ number: Int) {}
  func two(_ number: Int, _ text: String) {}
}

/// What a closure does that belongs to nobody.
func touch() {}

let view = View()
let subview = Subview()
let genericView = GenericView<Int>()
let log = Log()
let store = Store()
let worker = Worker()
let shared = Shared()
let queue = DispatchQueue(label: "queue")

/// Prints a line for each slot, in the order of the calls.
func report(_ place: String, _ signals: [String]) {
  print("\n\(place)\n")
  let slots = signals.flatMap { $0.split(separator: "\n").dropFirst() }
  for (line, delivery) in slots.map(parse).sorted(by: { $0.0 < $1.0 }) {
    let call = source[line - 1].trimmingCharacters(in: .whitespaces)
    print(delivery.padding(toLength: 48, withPad: " ", startingAt: 0), call)
  }
}

/// The line that connected a slot, and what the signal says of it.
func parse(_ slot: Substring) -> (Int, String) {
  let parts = slot.split(separator: ", ")
  let line = parts.last?.split(separator: ":").last.flatMap { Int($0) } ?? 0
  return (line, parts.dropLast().joined(separator: ", ").trimmingCharacters(in: .whitespaces))
}

/// This file.
let source = ((try? String(contentsOfFile: #filePath, encoding: .utf8)) ?? "")
  .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

enum FromNoActor {
  static func connect() {
    let (e0, e1, e2) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (s0, s1, s2) = (e0.signal, e1.signal, e2.signal)
    let (plain, sub, generic) = (Plain(), Sub(), Generic<Int>())

    // Plain classes
    s0.connect(plain, Plain.zero)
    s1.connect(plain, Plain.zero)
    s1.connect(plain, Plain.one)
    s2.connect(plain, Plain.two)
    s1.connect(plain, Plain.labelled)
    s1.connect(plain, Plain.labelled(number:))
    s2.connect(plain, Plain.labelled(number:text:))
    s0.connect(plain, Plain.overloaded)
    s1.connect(plain, Plain.overloaded(_:))
    s2.connect(plain, Plain.overloaded(_:_:))
    s0.connect(plain, Plain.resultOfZero)
    s1.connect(plain, Plain.resultOfOne)
    s2.connect(plain, Plain.resultOfTwo)
    s1.connect(sub, Sub.one)
    s1.connect(sub, Plain.one)
    s1.connect(sub, Sub.ofSub)
    s1.connect(generic, Generic.one)
    s1.connect(generic, Generic<Int>.one)
    s2.connect(generic, Generic.two)
    // Methods of the main actor
    s0.connect(view, View.zero)
    s1.connect(view, View.zero)
    s1.connect(view, View.one)
    s2.connect(view, View.two)
    s2.connect(view, View.labelled)
    s0.connect(view, View.overloaded)
    s1.connect(view, View.overloaded(_:))
    s2.connect(view, View.overloaded(_:_:))
    s1.connect(view, View.resultOfOne)
    s1.connect(subview, Subview.one)
    s1.connect(subview, View.one)
    s1.connect(genericView, GenericView.one)
    s0.connect(view, View.asyncZero)
    s1.connect(view, View.asyncOne)
    s2.connect(view, View.asyncTwo)
    s1.connect(view, View.asyncResult)
    // Methods of another global actor
    s0.connect(log, Log.zero)
    s1.connect(log, Log.zero)
    s1.connect(log, Log.one)
    s2.connect(log, Log.two)
    s1.connect(log, Log.overloaded)
    s1.connect(log, Log.resultOfOne)
    s0.connect(log, Log.asyncZero)
    s1.connect(log, Log.asyncOne)
    s2.connect(log, Log.asyncTwo)
    // Actors
    s0.connect(store, Store.asyncZero)
    s1.connect(store, Store.asyncOne)
    s2.connect(store, Store.asyncTwo)
    s0.connect(store) { $0.zero() }
    s1.connect(store) { store, number in store.one(number) }
    s1.connect(store) { $0.one($1) }
    s2.connect(store) { $0.two($1, $2) }
    s1.connect(store) { store, number async in await store.asyncOne(number) }
    // Async methods of no actor
    s0.connect(worker, Worker.zero)
    s1.connect(worker, Worker.one)
    s2.connect(worker, Worker.two)
    // Closures
    s0.connect { touch() }
    s1.connect { _ in touch() }
    s2.connect { _, _ in touch() }
    s1.connect { @MainActor in view.one($0) }
    s1.connect { @Background in log.one($0) }
    s1.connect { _ async in touch() }
    s1.connect { @MainActor number async in await view.asyncOne(number) }
    // Function values that are not Sendable
    s0.connect(keeping: plain.zero)
    s1.connect(keeping: plain.one)
    s2.connect(keeping: plain.two)
    // Closures with a target
    s0.connect(shared) { $0.zero() }
    s1.connect(shared) { _, _ in touch() }
    s1.connect(shared) { $0.one($1) }
    s2.connect(shared) { $0.two($1, $2) }
    s1.connect(view) { @MainActor in $0.one($1) }
    s1.connect(log) { @Background in $0.one($1) }
    s1.connect(shared) { shared, _ async in shared.zero() }
    // Queues, and inline
    s0.connect(plain, Plain.zero, queue)
    s1.connect(plain, Plain.one, queue)
    s2.connect(plain, Plain.two, queue)
    s1.connect(plain, Plain.one, .main)
    s0.connect(plain, Plain.zero, .inline)
    s1.connect(plain, Plain.one, .inline)
    s2.connect(plain, Plain.two, nil)
    s0.connect(on: queue) { touch() }
    s1.connect(on: queue) { _ in touch() }
    s2.connect(on: .inline) { _, _ in touch() }
    s1.connect(shared, on: queue) { $0.one($1) }
    s2.connect(shared, on: .inline) { $0.two($1, $2) }
    // Transforms
    s1.map { _ in }.connect(plain, Plain.zero)
    s1.map(plain, Plain.one, { $0 + 1 })
    s1.map(plain, Plain.two, { ($0, "text") })
    s0.map(plain, Plain.one, { 1 })
    s2.map(plain, Plain.one, { number, _ in number })
    s2.map(plain, Plain.one, { $0.0 })
    s2.map(plain, Plain.two, { ($0, $1) })
    s1.map { _ in }.connect(view, View.zero)
    s1.map(view, View.one, { $0 })
    s1.map(view, View.two, { ($0, "text") })
    s1.map { $0 }.connect(view, View.asyncOne)
    s1.map(log, Log.one, { $0 })
    s1.map { $0 }.connect(log, Log.asyncOne)
    s1.map { $0 }.connect(store, Store.asyncOne)
    s1.map { $0 }.connect(worker, Worker.one)
    s1.map(plain, Plain.one, { $0 }, queue)
    s1.map(plain, Plain.one, { $0 }, .inline)
    // Private methods
    plain.connectHidden(s1)
    view.connectHidden(s1)

    report("From no actor", [s0.debugDescription, s1.debugDescription, s2.debugDescription])
    withExtendedLifetime((plain, sub, generic)) {}
  }
}

@MainActor enum FromMainActor {
  static func connect() {
    let (e0, e1, e2) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (s0, s1, s2) = (e0.signal, e1.signal, e2.signal)
    let (plain, sub, generic) = (Plain(), Sub(), Generic<Int>())

    // Plain classes
    s0.connect(plain, Plain.zero)
    s1.connect(plain, Plain.zero)
    s1.connect(plain, Plain.one)
    s2.connect(plain, Plain.two)
    s1.connect(plain, Plain.labelled)
    s1.connect(plain, Plain.labelled(number:))
    s2.connect(plain, Plain.labelled(number:text:))
    s0.connect(plain, Plain.overloaded)
    s1.connect(plain, Plain.overloaded(_:))
    s2.connect(plain, Plain.overloaded(_:_:))
    s0.connect(plain, Plain.resultOfZero)
    s1.connect(plain, Plain.resultOfOne)
    s2.connect(plain, Plain.resultOfTwo)
    s1.connect(sub, Sub.one)
    s1.connect(sub, Plain.one)
    s1.connect(sub, Sub.ofSub)
    s1.connect(generic, Generic.one)
    s1.connect(generic, Generic<Int>.one)
    s2.connect(generic, Generic.two)
    // Methods of the main actor
    s0.connect(view, View.zero)
    s1.connect(view, View.zero)
    s1.connect(view, View.one)
    s2.connect(view, View.two)
    s2.connect(view, View.labelled)
    s0.connect(view, View.overloaded)
    s1.connect(view, View.overloaded(_:))
    s2.connect(view, View.overloaded(_:_:))
    s1.connect(view, View.resultOfOne)
    s1.connect(subview, Subview.one)
    s1.connect(subview, View.one)
    s1.connect(genericView, GenericView.one)
    s0.connect(view, View.asyncZero)
    s1.connect(view, View.asyncOne)
    s2.connect(view, View.asyncTwo)
    s1.connect(view, View.asyncResult)
    // Methods of another global actor
    s0.connect(log, Log.zero)
    s1.connect(log, Log.zero)
    s1.connect(log, Log.one)
    s2.connect(log, Log.two)
    s1.connect(log, Log.overloaded)
    s1.connect(log, Log.resultOfOne)
    s0.connect(log, Log.asyncZero)
    s1.connect(log, Log.asyncOne)
    s2.connect(log, Log.asyncTwo)
    // Actors
    s0.connect(store, Store.asyncZero)
    s1.connect(store, Store.asyncOne)
    s2.connect(store, Store.asyncTwo)
    s0.connect(store) { $0.zero() }
    s1.connect(store) { store, number in store.one(number) }
    s1.connect(store) { $0.one($1) }
    s2.connect(store) { $0.two($1, $2) }
    s1.connect(store) { store, number async in await store.asyncOne(number) }
    // Async methods of no actor
    s0.connect(worker, Worker.zero)
    s1.connect(worker, Worker.one)
    s2.connect(worker, Worker.two)
    // Closures
    s0.connect { touch() }
    s1.connect { _ in touch() }
    s2.connect { _, _ in touch() }
    s1.connect { @MainActor in view.one($0) }
    s1.connect { @Background in log.one($0) }
    s1.connect { _ async in touch() }
    s1.connect { @MainActor number async in await view.asyncOne(number) }
    // Function values that are not Sendable
    s0.connect(keeping: plain.zero)
    s1.connect(keeping: plain.one)
    s2.connect(keeping: plain.two)
    // Closures with a target
    s0.connect(shared) { $0.zero() }
    s1.connect(shared) { _, _ in touch() }
    s1.connect(shared) { $0.one($1) }
    s2.connect(shared) { $0.two($1, $2) }
    s1.connect(view) { @MainActor in $0.one($1) }
    s1.connect(log) { @Background in $0.one($1) }
    s1.connect(shared) { shared, _ async in shared.zero() }
    // Queues, and inline
    s0.connect(plain, Plain.zero, queue)
    s1.connect(plain, Plain.one, queue)
    s2.connect(plain, Plain.two, queue)
    s1.connect(plain, Plain.one, .main)
    s0.connect(plain, Plain.zero, .inline)
    s1.connect(plain, Plain.one, .inline)
    s2.connect(plain, Plain.two, nil)
    s0.connect(on: queue) { touch() }
    s1.connect(on: queue) { _ in touch() }
    s2.connect(on: .inline) { _, _ in touch() }
    s1.connect(shared, on: queue) { $0.one($1) }
    s2.connect(shared, on: .inline) { $0.two($1, $2) }
    // Transforms
    s1.map { _ in }.connect(plain, Plain.zero)
    s1.map(plain, Plain.one, { $0 + 1 })
    s1.map(plain, Plain.two, { ($0, "text") })
    s0.map(plain, Plain.one, { 1 })
    s2.map(plain, Plain.one, { number, _ in number })
    s2.map(plain, Plain.one, { $0.0 })
    s2.map(plain, Plain.two, { ($0, $1) })
    s1.map { _ in }.connect(view, View.zero)
    s1.map(view, View.one, { $0 })
    s1.map(view, View.two, { ($0, "text") })
    s1.map { $0 }.connect(view, View.asyncOne)
    s1.map(log, Log.one, { $0 })
    s1.map { $0 }.connect(log, Log.asyncOne)
    s1.map { $0 }.connect(store, Store.asyncOne)
    s1.map { $0 }.connect(worker, Worker.one)
    s1.map(plain, Plain.one, { $0 }, queue)
    s1.map(plain, Plain.one, { $0 }, .inline)
    // Private methods
    plain.connectHidden(s1)
    view.connectHidden(s1)

    report("From the main actor", [s0.debugDescription, s1.debugDescription, s2.debugDescription])
    withExtendedLifetime((plain, sub, generic)) {}
  }
}

@Background enum FromGlobalActor {
  static func connect() {
    let (e0, e1, e2) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (s0, s1, s2) = (e0.signal, e1.signal, e2.signal)
    let (plain, sub, generic) = (Plain(), Sub(), Generic<Int>())

    // Plain classes
    s0.connect(plain, Plain.zero)
    s1.connect(plain, Plain.zero)
    s1.connect(plain, Plain.one)
    s2.connect(plain, Plain.two)
    s1.connect(plain, Plain.labelled)
    s1.connect(plain, Plain.labelled(number:))
    s2.connect(plain, Plain.labelled(number:text:))
    s0.connect(plain, Plain.overloaded)
    s1.connect(plain, Plain.overloaded(_:))
    s2.connect(plain, Plain.overloaded(_:_:))
    s0.connect(plain, Plain.resultOfZero)
    s1.connect(plain, Plain.resultOfOne)
    s2.connect(plain, Plain.resultOfTwo)
    s1.connect(sub, Sub.one)
    s1.connect(sub, Plain.one)
    s1.connect(sub, Sub.ofSub)
    s1.connect(generic, Generic.one)
    s1.connect(generic, Generic<Int>.one)
    s2.connect(generic, Generic.two)
    // Methods of the main actor
    s0.connect(view, View.zero)
    s1.connect(view, View.zero)
    s1.connect(view, View.one)
    s2.connect(view, View.two)
    s2.connect(view, View.labelled)
    s0.connect(view, View.overloaded)
    s1.connect(view, View.overloaded(_:))
    s2.connect(view, View.overloaded(_:_:))
    s1.connect(view, View.resultOfOne)
    s1.connect(subview, Subview.one)
    s1.connect(subview, View.one)
    s1.connect(genericView, GenericView.one)
    s0.connect(view, View.asyncZero)
    s1.connect(view, View.asyncOne)
    s2.connect(view, View.asyncTwo)
    s1.connect(view, View.asyncResult)
    // Methods of another global actor
    s0.connect(log, Log.zero)
    s1.connect(log, Log.zero)
    s1.connect(log, Log.one)
    s2.connect(log, Log.two)
    s1.connect(log, Log.overloaded)
    s1.connect(log, Log.resultOfOne)
    s0.connect(log, Log.asyncZero)
    s1.connect(log, Log.asyncOne)
    s2.connect(log, Log.asyncTwo)
    // Actors
    s0.connect(store, Store.asyncZero)
    s1.connect(store, Store.asyncOne)
    s2.connect(store, Store.asyncTwo)
    s0.connect(store) { $0.zero() }
    s1.connect(store) { store, number in store.one(number) }
    s1.connect(store) { $0.one($1) }
    s2.connect(store) { $0.two($1, $2) }
    s1.connect(store) { store, number async in await store.asyncOne(number) }
    // Async methods of no actor
    s0.connect(worker, Worker.zero)
    s1.connect(worker, Worker.one)
    s2.connect(worker, Worker.two)
    // Closures
    s0.connect { touch() }
    s1.connect { _ in touch() }
    s2.connect { _, _ in touch() }
    s1.connect { @MainActor in view.one($0) }
    s1.connect { @Background in log.one($0) }
    s1.connect { _ async in touch() }
    s1.connect { @MainActor number async in await view.asyncOne(number) }
    // Function values that are not Sendable
    s0.connect(keeping: plain.zero)
    s1.connect(keeping: plain.one)
    s2.connect(keeping: plain.two)
    // Closures with a target
    s0.connect(shared) { $0.zero() }
    s1.connect(shared) { _, _ in touch() }
    s1.connect(shared) { $0.one($1) }
    s2.connect(shared) { $0.two($1, $2) }
    s1.connect(view) { @MainActor in $0.one($1) }
    s1.connect(log) { @Background in $0.one($1) }
    s1.connect(shared) { shared, _ async in shared.zero() }
    // Queues, and inline
    s0.connect(plain, Plain.zero, queue)
    s1.connect(plain, Plain.one, queue)
    s2.connect(plain, Plain.two, queue)
    s1.connect(plain, Plain.one, .main)
    s0.connect(plain, Plain.zero, .inline)
    s1.connect(plain, Plain.one, .inline)
    s2.connect(plain, Plain.two, nil)
    s0.connect(on: queue) { touch() }
    s1.connect(on: queue) { _ in touch() }
    s2.connect(on: .inline) { _, _ in touch() }
    s1.connect(shared, on: queue) { $0.one($1) }
    s2.connect(shared, on: .inline) { $0.two($1, $2) }
    // Transforms
    s1.map { _ in }.connect(plain, Plain.zero)
    s1.map(plain, Plain.one, { $0 + 1 })
    s1.map(plain, Plain.two, { ($0, "text") })
    s0.map(plain, Plain.one, { 1 })
    s2.map(plain, Plain.one, { number, _ in number })
    s2.map(plain, Plain.one, { $0.0 })
    s2.map(plain, Plain.two, { ($0, $1) })
    s1.map { _ in }.connect(view, View.zero)
    s1.map(view, View.one, { $0 })
    s1.map(view, View.two, { ($0, "text") })
    s1.map { $0 }.connect(view, View.asyncOne)
    s1.map(log, Log.one, { $0 })
    s1.map { $0 }.connect(log, Log.asyncOne)
    s1.map { $0 }.connect(store, Store.asyncOne)
    s1.map { $0 }.connect(worker, Worker.one)
    s1.map(plain, Plain.one, { $0 }, queue)
    s1.map(plain, Plain.one, { $0 }, .inline)
    // Private methods
    plain.connectHidden(s1)
    view.connectHidden(s1)

    report(
      "From another global actor", [s0.debugDescription, s1.debugDescription, s2.debugDescription])
    withExtendedLifetime((plain, sub, generic)) {}
  }
}

actor FromActor {
  func own() {}

  func connect() {
    let (e0, e1, e2) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (s0, s1, s2) = (e0.signal, e1.signal, e2.signal)
    let (plain, sub, generic) = (Plain(), Sub(), Generic<Int>())

    // Plain classes
    s0.connect(plain, Plain.zero)
    s1.connect(plain, Plain.zero)
    s1.connect(plain, Plain.one)
    s2.connect(plain, Plain.two)
    s1.connect(plain, Plain.labelled)
    s1.connect(plain, Plain.labelled(number:))
    s2.connect(plain, Plain.labelled(number:text:))
    s0.connect(plain, Plain.overloaded)
    s1.connect(plain, Plain.overloaded(_:))
    s2.connect(plain, Plain.overloaded(_:_:))
    s0.connect(plain, Plain.resultOfZero)
    s1.connect(plain, Plain.resultOfOne)
    s2.connect(plain, Plain.resultOfTwo)
    s1.connect(sub, Sub.one)
    s1.connect(sub, Plain.one)
    s1.connect(sub, Sub.ofSub)
    s1.connect(generic, Generic.one)
    s1.connect(generic, Generic<Int>.one)
    s2.connect(generic, Generic.two)
    // Methods of the main actor
    s0.connect(view, View.zero)
    s1.connect(view, View.zero)
    s1.connect(view, View.one)
    s2.connect(view, View.two)
    s2.connect(view, View.labelled)
    s0.connect(view, View.overloaded)
    s1.connect(view, View.overloaded(_:))
    s2.connect(view, View.overloaded(_:_:))
    s1.connect(view, View.resultOfOne)
    s1.connect(subview, Subview.one)
    s1.connect(subview, View.one)
    s1.connect(genericView, GenericView.one)
    s0.connect(view, View.asyncZero)
    s1.connect(view, View.asyncOne)
    s2.connect(view, View.asyncTwo)
    s1.connect(view, View.asyncResult)
    // Methods of another global actor
    s0.connect(log, Log.zero)
    s1.connect(log, Log.zero)
    s1.connect(log, Log.one)
    s2.connect(log, Log.two)
    s1.connect(log, Log.overloaded)
    s1.connect(log, Log.resultOfOne)
    s0.connect(log, Log.asyncZero)
    s1.connect(log, Log.asyncOne)
    s2.connect(log, Log.asyncTwo)
    // Actors
    s0.connect(store, Store.asyncZero)
    s1.connect(store, Store.asyncOne)
    s2.connect(store, Store.asyncTwo)
    s0.connect(store) { $0.zero() }
    s1.connect(store) { store, number in store.one(number) }
    s1.connect(store) { $0.one($1) }
    s2.connect(store) { $0.two($1, $2) }
    s1.connect(store) { store, number async in await store.asyncOne(number) }
    // Async methods of no actor
    s0.connect(worker, Worker.zero)
    s1.connect(worker, Worker.one)
    s2.connect(worker, Worker.two)
    // Closures
    s0.connect { touch() }
    s1.connect { _ in touch() }
    s2.connect { _, _ in touch() }
    s1.connect { @MainActor in view.one($0) }
    s1.connect { @Background in log.one($0) }
    s1.connect { _ async in touch() }
    s1.connect { @MainActor number async in await view.asyncOne(number) }
    s1.connect { [self] _ in own() }
    // Function values that are not Sendable
    s0.connect(keeping: plain.zero)
    s1.connect(keeping: plain.one)
    s2.connect(keeping: plain.two)
    // Closures with a target
    s0.connect(shared) { $0.zero() }
    s1.connect(shared) { _, _ in touch() }
    s1.connect(shared) { $0.one($1) }
    s2.connect(shared) { $0.two($1, $2) }
    s1.connect(view) { @MainActor in $0.one($1) }
    s1.connect(log) { @Background in $0.one($1) }
    s1.connect(shared) { shared, _ async in shared.zero() }
    s1.connect(plain) { $0.one($1) }
    // Queues, and inline
    s0.connect(plain, Plain.zero, queue)
    s1.connect(plain, Plain.one, queue)
    s2.connect(plain, Plain.two, queue)
    s1.connect(plain, Plain.one, .main)
    s0.connect(plain, Plain.zero, .inline)
    s1.connect(plain, Plain.one, .inline)
    s2.connect(plain, Plain.two, nil)
    s0.connect(on: queue) { touch() }
    s1.connect(on: queue) { _ in touch() }
    s2.connect(on: .inline) { _, _ in touch() }
    s1.connect(shared, on: queue) { $0.one($1) }
    s2.connect(shared, on: .inline) { $0.two($1, $2) }
    // Transforms
    s1.map { _ in }.connect(plain, Plain.zero)
    s1.map(plain, Plain.one, { $0 + 1 })
    s1.map(plain, Plain.two, { ($0, "text") })
    s0.map(plain, Plain.one, { 1 })
    s2.map(plain, Plain.one, { number, _ in number })
    s2.map(plain, Plain.one, { $0.0 })
    s2.map(plain, Plain.two, { ($0, $1) })
    s1.map { _ in }.connect(view, View.zero)
    s1.map(view, View.one, { $0 })
    s1.map(view, View.two, { ($0, "text") })
    s1.map { $0 }.connect(view, View.asyncOne)
    s1.map(log, Log.one, { $0 })
    s1.map { $0 }.connect(log, Log.asyncOne)
    s1.map { $0 }.connect(store, Store.asyncOne)
    s1.map { $0 }.connect(worker, Worker.one)
    s1.map(plain, Plain.one, { $0 }, queue)
    s1.map(plain, Plain.one, { $0 }, .inline)

    report("From an actor", [s0.debugDescription, s1.debugDescription, s2.debugDescription])
    withExtendedLifetime((plain, sub, generic)) {}
  }
}

@main struct Overloads {
  static func main() async {
    FromNoActor.connect()
    FromMainActor.connect()
    await FromGlobalActor.connect()
    await FromActor().connect()
    let emitter = EmitterArg<Int>()
    await store.connectHidden(emitter.signal)
    report("Private methods of an actor", [emitter.signal.debugDescription])
  }
}
