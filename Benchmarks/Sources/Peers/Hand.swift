import Synchronization

// What a careful engineer writes in twenty lines. Tokens are numbers; a cancelled slot is looked for
// from the end.

/// Closures in an array, without a lock.
public final class HandClosures: Subject, @unchecked Sendable {
  public static let name = "by hand, closures"
  public static let isWeak = false
  public static let isThreadSafe = false

  private var slots: [(id: Int, call: (Int) -> Void)] = []
  private var nextID = 0

  public init() {}

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

  public func connect(_ targets: [Counter]) {
    for target in targets { _ = add { target.add($0) } }
  }

  public func emit(_ times: Int) {
    for _ in 0..<times { send(1) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { remove(index + 1) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { target.add($0) }) }
  }

  public static func make() -> Any { HandClosures() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(HandClosures()) }
  }
}

/// Closures in an array behind a lock, called without it.
public class HandLocked: @unchecked Sendable {
  struct State {
    var slots: [(id: Int, call: @Sendable (Int) -> Void)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  public required init() {}

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

  public func emit(_ times: Int) {
    for _ in 0..<times { send(1) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { remove(index + 1) }
  }

  public static func make() -> Any { Self() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(Self()) }
  }
}

public final class HandLockedClosures: HandLocked, Subject, @unchecked Sendable {
  public static let name = "by hand, closures and Mutex"
  public static let isWeak = false

  public func connect(_ targets: [Counter]) {
    for target in targets { _ = add { target.add($0) } }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { target.add($0) }) }
  }
}

public final class HandLockedWeakClosures: HandLocked, Subject, @unchecked Sendable {
  public static let name = "by hand, [weak] closures and Mutex"
  public static let isWeak = true

  public func connect(_ targets: [Counter]) {
    for target in targets { _ = add { [weak target] in target?.add($0) } }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { remove(add { [weak target] in target?.add($0) }) }
  }
}

private final class WeakBox: @unchecked Sendable {
  weak var target: Counter?

  init(_ target: Counter) { self.target = target }
}

/// Targets of one known type in an array, without a lock: a delegate list.
public final class HandWeakList: Subject, @unchecked Sendable {
  public static let name = "by hand, weak list"
  public static let isWeak = true
  public static let isThreadSafe = false

  private var boxes: [WeakBox] = []
  private var tokens: [WeakBox] = []

  public init() {}

  private func remove(_ box: WeakBox) {
    if let index = boxes.lastIndex(where: { $0 === box }) { boxes.remove(at: index) }
  }

  public func connect(_ targets: [Counter]) {
    for target in targets {
      let box = WeakBox(target)
      boxes.append(box)
      tokens.append(box)
    }
  }

  public func emit(_ times: Int) {
    for _ in 0..<times {
      for box in boxes { box.target?.add(1) }
    }
  }

  public func cancel(_ order: [Int]) {
    for index in order { remove(tokens[index]) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      let box = WeakBox(target)
      boxes.append(box)
      remove(box)
    }
  }

  public static func make() -> Any { HandWeakList() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(HandWeakList()) }
  }
}

/// The same behind a lock.
public final class HandLockedWeakList: Subject, @unchecked Sendable {
  public static let name = "by hand, weak list and Mutex"
  public static let isWeak = true

  private let boxes = Mutex<[WeakBox]>([])
  private var tokens: [WeakBox] = []

  public init() {}

  private func remove(_ box: WeakBox) {
    boxes.withLock { boxes in
      if let index = boxes.lastIndex(where: { $0 === box }) { boxes.remove(at: index) }
    }
  }

  public func connect(_ targets: [Counter]) {
    for target in targets {
      let box = WeakBox(target)
      boxes.withLock { $0.append(box) }
      tokens.append(box)
    }
  }

  public func emit(_ times: Int) {
    for _ in 0..<times {
      for box in boxes.withLock({ $0 }) { box.target?.add(1) }
    }
  }

  public func cancel(_ order: [Int]) {
    for index in order { remove(tokens[index]) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      let box = WeakBox(target)
      boxes.withLock { $0.append(box) }
      remove(box)
    }
  }

  public static func make() -> Any { HandLockedWeakList() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(HandLockedWeakList()) }
  }
}
