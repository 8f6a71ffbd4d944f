#if CXX_PEERS
  import CxxPeers
  import Synchronization

  /// A peer written in C++, with targets of its own: what those have counted is passed on to the
  /// Swift ones after each loop of emissions, so that it can be checked.
  public class CxxSubject: @unchecked Sendable {
    class var kind: cxx_kind { fatalError("every peer has a kind") }

    private let subject: OpaquePointer
    private var targets: [Counter] = []
    private let passedOn = Mutex<[Int]>([])

    public required init() { subject = cxx_make(Self.kind) }

    deinit { cxx_destroy(subject) }

    public func connect(_ targets: [Counter]) {
      cxx_connect(subject, targets.count)
      self.targets += targets
      passedOn.withLock { $0 += targets.map { _ in 0 } }
    }

    public func emit(_ times: Int) {
      cxx_emit(subject, times)
      passedOn.withLock { passedOn in
        for index in targets.indices {
          let total = cxx_total(subject, index)
          targets[index].add(total - passedOn[index])
          passedOn[index] = total
        }
      }
    }

    public func cancel(_ order: [Int]) { cxx_cancel(subject, order, order.count) }

    public func churn(_ target: Counter, _ times: Int) { cxx_churn(subject, times) }

    public static func make() -> Any { Self() }

    public static func construct(_ times: Int) { cxx_construct(kind, times) }
  }

  public final class BoostLambdas: CxxSubject, Subject, @unchecked Sendable {
    public static let name = "Boost.Signals2, lambda"
    public static let isWeak = false
    override class var kind: cxx_kind { cxx_boost_lambda }
  }

  public final class BoostTracked: CxxSubject, Subject, @unchecked Sendable {
    public static let name = "Boost.Signals2, lambda that tracks a shared_ptr"
    // Its targets are its own, so it takes no part where targets die.
    public static let isWeak = false
    override class var kind: cxx_kind { cxx_boost_tracked }
  }

  public final class SigcLambdas: CxxSubject, Subject, @unchecked Sendable {
    public static let name = "libsigc++, lambda"
    public static let isWeak = false
    public static let isThreadSafe = false
    override class var kind: cxx_kind { cxx_sigc_lambda }
  }

  public final class SigcTrackable: CxxSubject, Subject, @unchecked Sendable {
    public static let name = "libsigc++, method of a trackable"
    public static let isWeak = false
    public static let isThreadSafe = false
    override class var kind: cxx_kind { cxx_sigc_trackable }
  }

  let cxxSubjects: [any Subject.Type] = [
    BoostLambdas.self, BoostTracked.self, SigcLambdas.self, SigcTrackable.self,
  ]
#else
  let cxxSubjects: [any Subject.Type] = []
#endif
