import Synchronization

// The code that a careful engineer writes in twenty lines. Tokens are numbers. A cancelled slot is
// searched from the end.

/// Closures in an array, without a lock.
package final class HandClosures: Subject, @unchecked Sendable {
  package static let name = "by hand, closures"
  package static let isWeak = false
  package static let isThreadSafe = false

  private var slots: [(id: Int, call: (Int) -> Void)] = []
  private var nextID = 0

  package init() {}

  func add(_ call: @escaping (Int) -> Void) -> Int {
    nextID += 1
    slots.append((nextID, call))
    return nextID
  }

  func remove(_ id: Int) {
    if let index = slots.lastIndex(where: { $0.id == id }) { slots.remove(at: index) }
  }

  @inline(__always)
  func send(_ number: Int) {
    for slot in slots { slot.call(number) }
  }

  package func connect(_ targets: [Counter]) {
    for target in targets { _ = add { target.add($0) } }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times { send(1) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { remove(index + 1) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { target.add($0) }) }
  }

  package static func make() -> Any { HandClosures() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(HandClosures()) }
  }
}

/// Closures in an array behind a lock, called without it.
package class HandLocked: @unchecked Sendable {
  struct State {
    var slots: [(id: Int, call: @Sendable (Int) -> Void)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  package required init() {}

  func add(_ call: @escaping @Sendable (Int) -> Void) -> Int {
    state.withLock {
      $0.nextID += 1
      $0.slots.append(($0.nextID, call))
      return $0.nextID
    }
  }

  func remove(_ id: Int) {
    state.withLock { state in
      if let index = state.slots.lastIndex(where: { $0.id == id }) { state.slots.remove(at: index) }
    }
  }

  @inline(__always)
  func send(_ number: Int) {
    for slot in state.withLock({ $0.slots }) { slot.call(number) }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times { send(1) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { remove(index + 1) }
  }

  package static func make() -> Any { Self() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(Self()) }
  }
}

package final class HandLockedClosures: HandLocked, Subject, @unchecked Sendable {
  package static let name = "by hand, closures and Mutex"
  package static let isWeak = false

  package func connect(_ targets: [Counter]) {
    for target in targets { _ = add { target.add($0) } }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { target.add($0) }) }
  }
}

package final class HandLockedWeakClosures: HandLocked, Subject, @unchecked Sendable {
  package static let name = "by hand, [weak] closures and Mutex"
  package static let isWeak = true

  package func connect(_ targets: [Counter]) {
    for target in targets { _ = add { [weak target] in target?.add($0) } }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { [weak target] in target?.add($0) }) }
  }
}

private final class WeakBox: @unchecked Sendable {
  weak var target: Counter?

  init(_ target: Counter) { self.target = target }
}

/// Targets of one known type in an array, without a lock: a delegate list.
package final class HandWeakList: Subject, @unchecked Sendable {
  package static let name = "by hand, weak list"
  package static let isWeak = true
  package static let isThreadSafe = false

  private var boxes: [WeakBox] = []
  private var tokens: [WeakBox] = []

  package init() {}

  private func remove(_ box: WeakBox) {
    if let index = boxes.lastIndex(where: { $0 === box }) { boxes.remove(at: index) }
  }

  package func connect(_ targets: [Counter]) {
    for target in targets {
      let box = WeakBox(target)
      boxes.append(box)
      tokens.append(box)
    }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times {
      for box in boxes { box.target?.add(1) }
    }
  }

  package func cancel(_ order: [Int]) {
    for index in order { remove(tokens[index]) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      let box = WeakBox(target)
      boxes.append(box)
      remove(box)
    }
  }

  package static func make() -> Any { HandWeakList() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(HandWeakList()) }
  }
}

/// The same behind a lock.
package final class HandLockedWeakList: Subject, @unchecked Sendable {
  package static let name = "by hand, weak list and Mutex"
  package static let isWeak = true

  private let boxes = Mutex<[WeakBox]>([])
  private var tokens: [WeakBox] = []

  package init() {}

  private func remove(_ box: WeakBox) {
    boxes.withLock { boxes in
      if let index = boxes.lastIndex(where: { $0 === box }) { boxes.remove(at: index) }
    }
  }

  package func connect(_ targets: [Counter]) {
    for target in targets {
      let box = WeakBox(target)
      boxes.withLock { $0.append(box) }
      tokens.append(box)
    }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times {
      for box in boxes.withLock({ $0 }) { box.target?.add(1) }
    }
  }

  package func cancel(_ order: [Int]) {
    for index in order { remove(tokens[index]) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      let box = WeakBox(target)
      boxes.withLock { $0.append(box) }
      remove(box)
    }
  }

  package static func make() -> Any { HandLockedWeakList() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(HandLockedWeakList()) }
  }
}
