import Dispatch
import SignalObserver

/// The part that does not depend on the kind of slot.
package class OurSubject: @unchecked Sendable {
  let emitter = EmitterArg<Int>()
  var observers: [SignalObserver] = []

  package required init() {}

  package func emit(_ times: Int) {
    for _ in 0..<times { emitter.invoke(1) }
  }

  package func cancel(_ order: [Int]) {
    for index in order { observers[index].cancel() }
  }

  package static func make() -> Any { EmitterArg<Int>() }

  package static func construct(_ times: Int) {
    for _ in 0..<times { use(EmitterArg<Int>().signal) }
  }
}

package final class OurClosures: OurSubject, Subject, @unchecked Sendable {
  package static let name = "SignalObserver, closure"
  package static let isWeak = false

  package func connect(_ targets: [Counter]) {
    observers.reserveCapacity(targets.count)
    for target in targets {
      observers.append(emitter.signal.connect(on: .inline) { target.add($0) })
    }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.connect(on: .inline) { target.add($0) }.cancel() }
  }
}

package final class OurMethods: OurSubject, Subject, @unchecked Sendable {
  package static let name = "SignalObserver, method"
  package static let isWeak = true

  package func connect(_ targets: [Counter]) {
    observers.reserveCapacity(targets.count)
    for target in targets { observers.append(emitter.signal.connect(target, Counter.add, .inline)) }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.connect(target, Counter.add, .inline).cancel() }
  }
}

package final class OurMaps: OurSubject, Subject, @unchecked Sendable {
  package static let name = "SignalObserver, map and method"
  package static let isWeak = true

  package func connect(_ targets: [Counter]) {
    for target in targets {
      observers.append(emitter.signal.map(target, Counter.add, { $0 &+ 1 }, nil))
    }
  }

  package func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.map(target, Counter.add, { $0 &+ 1 }, nil).cancel() }
  }
}
