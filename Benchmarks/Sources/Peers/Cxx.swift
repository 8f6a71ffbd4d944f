#if CXX_PEERS
  import CxxPeers
  import Synchronization

  /// A peer written in C++, with targets of its own: what those have counted is passed on to the
  /// Swift ones after each loop of emissions, so that it can be checked.
  package class CxxSubject: @unchecked Sendable {
    class var kind: cxx_kind { fatalError("every peer has a kind") }

    private let subject: OpaquePointer
    private var targets: [Counter] = []
    private let passedOn = Mutex<[Int]>([])

    package required init() { subject = cxx_make(Self.kind) }

    deinit { cxx_destroy(subject) }

    package func connect(_ targets: [Counter]) {
      cxx_connect(subject, targets.count)
      self.targets += targets
      passedOn.withLock { $0 += targets.map { _ in 0 } }
    }

    package func emit(_ times: Int) {
      cxx_emit(subject, times)
      passedOn.withLock { passedOn in
        for index in targets.indices {
          let total = cxx_total(subject, index)
          targets[index].add(total - passedOn[index])
          passedOn[index] = total
        }
      }
    }

    package func cancel(_ order: [Int]) { cxx_cancel(subject, order, order.count) }

    package func churn(_ target: Counter, _ times: Int) { cxx_churn(subject, times) }

    package static func make() -> Any { Self() }

    package static func construct(_ times: Int) { cxx_construct(kind, times) }
  }

  package final class BoostLambdas: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "Boost.Signals2, lambda"
    package static let isWeak = false
    override class var kind: cxx_kind { cxx_boost_lambda }
  }

  package final class BoostTracked: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "Boost.Signals2, lambda that tracks a shared_ptr"
    // Its targets are its own, so it takes no part where targets die.
    package static let isWeak = false
    override class var kind: cxx_kind { cxx_boost_tracked }
  }

  package final class SigcLambdas: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "libsigc++, lambda"
    package static let isWeak = false
    package static let isThreadSafe = false
    override class var kind: cxx_kind { cxx_sigc_lambda }
  }

  package final class SigcTrackable: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "libsigc++, method of a trackable"
    package static let isWeak = false
    package static let isThreadSafe = false
    override class var kind: cxx_kind { cxx_sigc_trackable }
  }

  package final class QtLambdas: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "Qt 6, lambda"
    package static let isWeak = false
    override class var kind: cxx_kind { cxx_qt_lambda }
  }

  package final class QtMethods: CxxSubject, Subject, @unchecked Sendable {
    package static let name = "Qt 6, method of a QObject"
    package static let isWeak = false
    override class var kind: cxx_kind { cxx_qt_method }
  }

  let cxxSubjects: [any Subject.Type] = [
    BoostLambdas.self, BoostTracked.self, SigcLambdas.self, SigcTrackable.self, QtLambdas.self,
    QtMethods.self,
  ]
#else
  let cxxSubjects: [any Subject.Type] = []
#endif
