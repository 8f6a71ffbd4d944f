import SignalObserver
import Synchronization
import Testing

/// What one test has made and not yet seen released: captures, payloads, targets, signals, observers.
final class Made: Sendable {
  @TaskLocal static var current = Made()

  private struct Weak: Sendable {
    weak var object: (any AnyObject & Sendable)?
  }

  let census = Census()
  private let watched = Mutex<[Weak]>([])

  /// A counted object.
  func object() -> Lifetime { census.member() }

  /// `object`, which must be gone when the test is over.
  func watch<Object: AnyObject & Sendable>(_ object: Object) -> Object {
    watched.withLock { $0.append(Weak(object: object)) }
    return object
  }

  /// An emitter whose signal must be gone when the test is over.
  func emitter<Payload: Sendable>(_: Payload.Type = Void.self) -> Emitter<Payload> {
    let emitter = Emitter<Payload>()
    _ = watch(emitter.signal)
    return emitter
  }

  var left: Int {
    census.alive + watched.withLock { $0.count { $0.object != nil } }
  }
}

/// Fails a test that leaves something behind of what it has made.
struct NothingLeft: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true
  /// How long a queue may take to release what it has delivered.
  var patience = Duration.seconds(60)

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    #expect(try await left(by: function) == 0, "objects that outlive the test")
  }

  /// How many objects outlive `function`.
  func left(by function: @concurrent @Sendable () async throws -> Void) async rethrows -> Int {
    let made = Made()
    try await Made.$current.withValue(made) { try await function() }
    let deadline = ContinuousClock.now + patience
    while made.left > 0, !Task.isCancelled, ContinuousClock.now < deadline { await Task.yield() }
    return made.left
  }
}

extension Trait where Self == NothingLeft {
  static var nothingLeft: Self { NothingLeft() }
}
