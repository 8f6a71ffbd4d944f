import Dispatch
import SignalObserver

/// The part that does not depend on the kind of slot.
public class OurSubject: @unchecked Sendable {
  let emitter = EmitterArg<Int>()
  var observers: [SignalObserver] = []

  public required init() {}

  public func emit(_ times: Int) {
    for _ in 0..<times { emitter.invoke(1) }
  }

  public func cancel(_ order: [Int]) {
    for index in order { observers[index].cancel() }
  }

  public static func make() -> Any { EmitterArg<Int>() }

  public static func construct(_ times: Int) {
    for _ in 0..<times { use(EmitterArg<Int>().signal) }
  }
}

public final class OurClosures: OurSubject, Subject, @unchecked Sendable {
  public static let name = "SignalObserver, closure"
  public static let isWeak = false

  public func connect(_ targets: [Counter]) {
    observers.reserveCapacity(targets.count)
    for target in targets { observers.append(emitter.signal.connect({ target.add($0) }, nil)) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.connect({ target.add($0) }, nil).cancel() }
  }
}

public final class OurMethods: OurSubject, Subject, @unchecked Sendable {
  public static let name = "SignalObserver, method"
  public static let isWeak = true

  public func connect(_ targets: [Counter]) {
    observers.reserveCapacity(targets.count)
    for target in targets { observers.append(emitter.signal.connect(target, Counter.add, nil)) }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.connect(target, Counter.add, nil).cancel() }
  }
}

public final class OurMaps: OurSubject, Subject, @unchecked Sendable {
  public static let name = "SignalObserver, map and method"
  public static let isWeak = true

  public func connect(_ targets: [Counter]) {
    for target in targets {
      observers.append(emitter.signal.map(target, Counter.add, { $0 &+ 1 }, nil))
    }
  }

  public func churn(_ target: Counter, _ times: Int) {
    for _ in 0..<times { emitter.signal.map(target, Counter.add, { $0 &+ 1 }, nil).cancel() }
  }
}
