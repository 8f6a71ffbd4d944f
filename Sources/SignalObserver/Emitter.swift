/// The right to emit: an emission reaches every slot that is connected to its ``signal``.
///
/// An emitter stores nothing of what it sends. For a current value that others can read, use
/// ``EmitterValue``.
///
/// As a property wrapper, an emitter keeps the right to emit private, because Swift makes the
/// storage of a wrapper private. In this example, everyone may connect to `scoreChanged`, and
/// only `Player` may call `_scoreChanged.invoke(…)`.
///
/// ```swift
/// final class Player {
///   @EmitterArg<Int> var scoreChanged
///
///   // The storage is private, so that only Player can send.
///   func goal(_ score: Int) { _scoreChanged.invoke(score) }
/// }
/// ```
///
/// The storage of a property wrapper is a variable. Swift allows no such variable in a
/// `final class: Sendable`, or as a `static`. There, declare the same type as a constant,
/// `static let quit = EmitterVoid()`, and offer its ``signal``.
///
/// Copies of an emitter share one signal. The emitter dies with its last copy: what it has emitted
/// is still delivered, and then the connections end ([guarantee 10](doc:Guarantees)). It holds its
/// signal, and neither its owner nor a target.
@propertyWrapper
public struct Emitter<Payload> {
  @usableFromInline let core: EmitterCore<Payload>

  /// Creates an emitter with a signal that has no slots.
  @inlinable
  public init() {
    core = EmitterCore()
  }

  /// The signal to which others connect.
  ///
  /// It is always the same object. It does not hold the emitter, so keeping it keeps no connection
  /// alive.
  public var signal: Signal<Payload> { core.signal }

  /// The signal to which others connect, as the value of a property: `player.scoreChanged`.
  ///
  /// An emitter that is a constant has no such property: offer its ``signal``.
  public var wrappedValue: Signal<Payload> { core.signal }

  /// Sends `payload` to every slot, in the order in which they were connected.
  ///
  /// When this returns, inline slots have run, and so have synchronous slots on the isolation of
  /// the caller that have no explicit queue, unless a delivery was pending there
  /// ([guarantee 13](doc:Guarantees)). All other slots run later, each in its own place, and
  /// asynchronous ones in a task. To wait for those, too, call ``invokeAndWait(_:isolation:)``. An
  /// inline slot behind an operator with a memory runs later, too, if another thread is delivering
  /// there ([guarantee 16](doc:Guarantees)).
  ///
  /// No lock is held, so a slot may emit, connect and cancel ([guarantee 7](doc:Guarantees)). If a
  /// slot emits the same signal again, the slots that the outer emission has not reached yet get
  /// the outer payload first ([guarantee 5](doc:Guarantees)).
  ///
  /// Several threads may emit at the same time. Inline slots may then overlap
  /// ([guarantee 6](doc:Guarantees)).
  ///
  /// - Parameters:
  ///   - payload: The value to send. A slot that runs later keeps it until then.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n* + *d*), where *n* is the number of slots, and *d* the number of emissions
  ///   that are in progress on this thread when this one begins. If a slot emits, the slots that
  ///   outer emissions of this signal have not reached count, too. Inline slots cost no allocation
  ///   ([guarantee 17](doc:Guarantees)).
  @inlinable
  public func invoke(_ payload: Payload, isolation: isolated (any Actor)? = #isolation) {
    core.emit(payload, from: isolation.map { ObjectIdentifier($0) })
  }

  /// Emits without a payload: reaches every slot, in the order in which they were connected.
  ///
  /// Everything else is as for ``invoke(_:isolation:)``.
  @inlinable
  public func invoke(isolation: isolated (any Actor)? = #isolation) where Payload == Void {
    core.emit((), from: isolation.map { ObjectIdentifier($0) })
  }

  /// Sends two arguments to every slot, in the order in which they were connected.
  ///
  /// Everything else is as for ``invoke(_:isolation:)``.
  public func invoke<First, Second>(
    _ first: First, _ second: Second, isolation: isolated (any Actor)? = #isolation
  ) where Payload == (First, Second) {
    core.emit((first, second), from: isolation.map { ObjectIdentifier($0) })
  }

  /// Cancels every connection of the signal, and drops what is pending for its slots.
  ///
  /// ```swift
  /// func close() { _scoreChanged.cancelAllObservers() }
  /// ```
  ///
  /// Any thread may call this. It does not wait for a call in progress
  /// ([guarantee 4](doc:Guarantees)). Slots can be connected again afterwards.
  ///
  /// `merge`, `combineLatest`, `zip`, `reductions(into:)`, `replay`, the operators of time, and a
  /// complete `prefix` before a limit or an operator such as `scan`, still send the payloads that
  /// they have received. Loops over `values` still get the payloads that wait for them.
  ///
  /// To end the connections of one target, call ``Signal/cancelObservers(of:)``, which needs no
  /// emitter.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public func cancelAllObservers() {
    core.signal.list.cancelAll()
  }
}

/// The signal is `Sendable` if its payload is, and the emitter has no other state.
extension Emitter: Sendable where Payload: Sendable {}

/// The object that all copies of an emitter share.
///
/// The emitter dies with it.
@usableFromInline
final class EmitterCore<Payload> {
  @usableFromInline let signal = Signal<Payload>()

  @inlinable
  init() {}

  @inlinable
  deinit { signal.list.finish() }

  /// Emits while holding the emitter.
  ///
  /// A slot may drop the emitter. Swift would then end its lifetime during the emission, and the
  /// death of the emitter would end the connections that the emission still has to serve.
  @inlinable
  func emit(_ payload: Payload, from isolation: ObjectIdentifier?) {
    withExtendedLifetime(self) { signal.emit(payload, from: isolation) }
  }
}

extension EmitterCore: Sendable where Payload: Sendable {}

/// An emitter without a payload: `@EmitterVoid var started`.
public typealias EmitterVoid = Emitter<Void>
/// An emitter of one argument: `@EmitterArg<Int> var scoreChanged`.
public typealias EmitterArg<Argument> = Emitter<Argument>
/// An emitter of two arguments: `@EmitterArg2<Int, String> var goalScored`.
///
/// A method or a closure with two parameters fits it. For three and more, send a tuple:
/// `EmitterArg<(Int, Int, Int)>`.
public typealias EmitterArg2<First, Second> = Emitter<(First, Second)>

/// The signal of an ``EmitterVoid``.
public typealias SignalVoid = Signal<Void>
/// The signal of an ``EmitterArg``.
public typealias SignalArg<Argument> = Signal<Argument>
/// The signal of an ``EmitterArg2``.
public typealias SignalArg2<First, Second> = Signal<(First, Second)>
