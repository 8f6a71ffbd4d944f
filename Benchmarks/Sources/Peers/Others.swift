import Foundation
import OpenCombine

package class CombineSubject: @unchecked Sendable {
  let subject = PassthroughSubject<Int, Never>()
  var tokens: [AnyCancellable] = []

  package required init() {}

  package func emit(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { tokens[index].cancel() }
  }

  package static func make() -> Any { PassthroughSubject<Int, Never>() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(PassthroughSubject<Int, Never>()) }
  }
}

package final class CombineClosures: CombineSubject, Subject, @unchecked Sendable {
  package static let name = "OpenCombine PassthroughSubject, closure"
  package static let isWeak = false

  package func connect(_ targets: [Counter]) {
    tokens.reserveCapacity(targets.count)
    for target in targets { tokens.append(subject.sink { target.add($0) }) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { target.add($0) }.cancel() }
  }
}

package final class CombineWeakClosures: CombineSubject, Subject, @unchecked Sendable {
  package static let name = "OpenCombine PassthroughSubject, [weak] closure"
  package static let isWeak = true

  package func connect(_ targets: [Counter]) {
    tokens.reserveCapacity(targets.count)
    for target in targets { tokens.append(subject.sink { [weak target] in target?.add($0) }) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { [weak target] in target?.add($0) }.cancel() }
  }
}

package final class CombineMaps: CombineSubject, Subject, @unchecked Sendable {
  package static let name = "OpenCombine map, [weak] closure"
  package static let isWeak = true

  package func connect(_ targets: [Counter]) {
    for target in targets {
      tokens.append(subject.map { $0 &+ 1 }.sink { [weak target] in target?.add($0) })
    }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times {
      subject.map { $0 &+ 1 }.sink { [weak target] in target?.add($0) }.cancel()
    }
  }
}

package final class CombineValues: Subject, @unchecked Sendable {
  package static let name = "OpenCombine CurrentValueSubject, closure"
  package static let isWeak = false

  private let subject = CurrentValueSubject<Int, Never>(0)
  private var tokens: [AnyCancellable] = []

  package init() {}

  package func connect(_ targets: [Counter]) {
    for target in targets { tokens.append(subject.sink { target.add($0) }) }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { tokens[index].cancel() }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { subject.sink { target.add($0) }.cancel() }
  }

  package static func make() -> Any { CurrentValueSubject<Int, Never>(0) }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(CurrentValueSubject<Int, Never>(0)) }
  }
}

/// Without a userInfo dictionary, which is the cheapest that it can be.
package final class Notifications: Subject, @unchecked Sendable {
  package static let name = "NotificationCenter, [weak] closure"
  package static let isWeak = true

  private static let changed = Notification.Name("changed")
  private let center = NotificationCenter()
  private var tokens: [any NSObjectProtocol] = []

  package init() {}

  private func add(_ target: Counter) -> any NSObjectProtocol {
    center.addObserver(forName: Self.changed, object: nil, queue: nil) { [weak target] _ in
      target?.add(1)
    }
  }

  package func connect(_ targets: [Counter]) {
    for target in targets { tokens.append(add(target)) }
  }

  package func emit(_ times: Int) {
    for _ in 0..<times { center.post(name: Self.changed, object: nil) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { center.removeObserver(tokens[index]) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { center.removeObserver(add(target)) }
  }

  package static func make() -> Any { NotificationCenter() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(NotificationCenter()) }
  }
}

/// Every peer with inline slots.
///
/// To add one, conform to `Subject` and name it here.
package let subjects: [any Subject.Type] =
  [
    OurClosures.self, OurMethods.self, HandClosures.self, HandLockedClosures.self,
    HandWeakList.self, HandLockedWeakList.self, HandLockedWeakClosures.self, CombineClosures.self,
    CombineWeakClosures.self, CombineValues.self, Notifications.self,
  ] + cxxSubjects

/// The same with a transform before the slot.
package let mapSubjects: [any Subject.Type] = [OurMaps.self, CombineMaps.self]
