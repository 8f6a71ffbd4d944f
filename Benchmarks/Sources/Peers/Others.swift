import Foundation
import OpenCombine

public class CombineSubject: @unchecked Sendable {
  let subject = PassthroughSubject<Int, Never>()
  var tokens: [AnyCancellable] = []

  public required init() {}

  public func emit(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { tokens[index].cancel() }
  }

  public static func make() -> Any { PassthroughSubject<Int, Never>() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(PassthroughSubject<Int, Never>()) }
  }
}

public final class CombineClosures: CombineSubject, Subject, @unchecked Sendable {
  public static let name = "OpenCombine PassthroughSubject, closure"
  public static let isWeak = false

  public func connect(_ targets: [Counter]) {
    tokens.reserveCapacity(targets.count)
    for target in targets { tokens.append(subject.sink { target.add($0) }) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { target.add($0) }.cancel() }
  }
}

public final class CombineWeakClosures: CombineSubject, Subject, @unchecked Sendable {
  public static let name = "OpenCombine PassthroughSubject, [weak] closure"
  public static let isWeak = true

  public func connect(_ targets: [Counter]) {
    tokens.reserveCapacity(targets.count)
    for target in targets { tokens.append(subject.sink { [weak target] in target?.add($0) }) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { [weak target] in target?.add($0) }.cancel() }
  }
}

public final class CombineMaps: CombineSubject, Subject, @unchecked Sendable {
  public static let name = "OpenCombine map, [weak] closure"
  public static let isWeak = true

  public func connect(_ targets: [Counter]) {
    for target in targets {
      tokens.append(subject.map { $0 &+ 1 }.sink { [weak target] in target?.add($0) })
    }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      subject.map { $0 &+ 1 }.sink { [weak target] in target?.add($0) }.cancel()
    }
  }
}

public final class CombineValues: Subject, @unchecked Sendable {
  public static let name = "OpenCombine CurrentValueSubject, closure"
  public static let isWeak = false

  private let subject = CurrentValueSubject<Int, Never>(0)
  private var tokens: [AnyCancellable] = []

  public init() {}

  public func connect(_ targets: [Counter]) {
    for target in targets { tokens.append(subject.sink { target.add($0) }) }
  }

  public func emit(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { tokens[index].cancel() }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { target.add($0) }.cancel() }
  }

  public static func make() -> Any { CurrentValueSubject<Int, Never>(0) }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(CurrentValueSubject<Int, Never>(0)) }
  }
}

/// Without a userInfo dictionary, which is the cheapest that it can be.
public final class Notifications: Subject, @unchecked Sendable {
  public static let name = "NotificationCenter, [weak] closure"
  public static let isWeak = true

  private static let changed = Notification.Name("changed")
  private let center = NotificationCenter()
  private var tokens: [any NSObjectProtocol] = []

  public init() {}

  private func add(_ target: Counter) -> any NSObjectProtocol {
    center.addObserver(forName: Self.changed, object: nil, queue: nil) { [weak target] _ in
      target?.add(1)
    }
  }

  public func connect(_ targets: [Counter]) {
    for target in targets { tokens.append(add(target)) }
  }

  public func emit(_ times: Int) {
    for _ in 0..<times { center.post(name: Self.changed, object: nil) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { center.removeObserver(tokens[index]) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { center.removeObserver(add(target)) }
  }

  public static func make() -> Any { NotificationCenter() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(NotificationCenter()) }
  }
}

/// Every peer with inline slots. To add one, conform to `Subject` and name it here.
public let subjects: [any Subject.Type] =
  [
    OurClosures.self, OurMethods.self, HandClosures.self, HandLockedClosures.self,
    HandWeakList.self, HandLockedWeakList.self, HandLockedWeakClosures.self, CombineClosures.self,
    CombineWeakClosures.self, CombineValues.self, Notifications.self,
  ] + cxxSubjects

/// The same with a transform before the slot.
public let mapSubjects: [any Subject.Type] = [OurMaps.self, CombineMaps.self]
