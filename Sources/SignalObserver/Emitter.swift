/// The right to send: announces an event to every slot connected to its ``signal``.
///
/// As a property wrapper it keeps that right private, because Swift makes the wrapper's storage
/// private: everyone may connect to `scoreChanged`, only `Player` may `_scoreChanged.invoke(…)`.
///
/// ```swift
/// final class Player {
///   @EmitterArg2<Int, String> var scoreChanged
///
///   func goal() { _scoreChanged.invoke(1, "north") }
/// }
/// ```
///
/// A property wrapper's storage is a variable, which a `final class: Sendable` and a `static` do
/// not allow. There, the same type is a plain constant, and others read its ``signal``: `static let
/// quit = EmitterVoid()`.
///
/// Copies share the signal. When the last copy is gone the emitter is: what it sent is still
/// delivered, then its connections end (guarantee 10).
@propertyWrapper
public struct Emitter<Payload> {
  @usableFromInline let core: EmitterCore<Payload>

  /// Creates an emitter with a signal that nobody is connected to.
  @inlinable
  public init() {
    core = EmitterCore()
  }

  /// What others connect to.
  ///
  /// Always the same object.
  public var signal: Signal<Payload> { core.signal }

  /// What others connect to.
  public var wrappedValue: Signal<Payload> { core.signal }

  /// Calls every slot with `payload`, in the order in which they were connected.
  ///
  /// Inline slots, and those on the isolation that this is called from, have run when this returns;
  /// the others run later where they belong (guarantee 13). No lock is held, so a slot may emit,
  /// connect and cancel (guarantee 7). Made from inside a slot of the same signal, an emission
  /// first delivers what the outer one owes to later slots (guarantee 5).
  ///
  /// Emissions may be made on several threads at once; inline slots may then overlap (guarantee 6).
  ///
  /// - Parameters:
  ///   - payload: What is sent. It is kept by slots that run later, until they have.
  ///   - isolation: Where the emission is made. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots. Inline slots cost no allocation (guarantee 17).
  @inlinable
  public func invoke(_ payload: Payload, isolation: isolated (any Actor)? = #isolation) {
    core.emit(payload, from: isolation.map { ObjectIdentifier($0) })
  }

  /// Calls every slot, in the order in which they were connected.
  ///
  /// See ``invoke(_:isolation:)``.
  @inlinable
  public func invoke(isolation: isolated (any Actor)? = #isolation) where Payload == Void {
    core.emit((), from: isolation.map { ObjectIdentifier($0) })
  }

  /// Calls every slot with two arguments, in the order in which they were connected.
  ///
  /// See ``invoke(_:isolation:)``.
  public func invoke<First, Second>(
    _ first: First, _ second: Second, isolation: isolated (any Actor)? = #isolation
  ) where Payload == (First, Second) {
    core.emit((first, second), from: isolation.map { ObjectIdentifier($0) })
  }

  /// Cancels every connection of the signal, pending deliveries included.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public func cancelAllObservers() {
    core.signal.list.cancelAll()
  }
}

/// The signal is `Sendable` then, and so is the right to send on it.
extension Emitter: Sendable where Payload: Sendable {}

/// What all copies of an emitter share.
///
/// Its death is the emitter's.
@usableFromInline
final class EmitterCore<Payload> {
  @usableFromInline let signal = Signal<Payload>()

  @inlinable
  init() {}

  @inlinable
  deinit { signal.list.finish() }

  /// Emits while holding the emitter, which a slot may drop: Swift ends lifetimes after the last use
  /// otherwise, and the death of the emitter would end the emission with its connections.
  @inlinable
  func emit(_ payload: Payload, from isolation: ObjectIdentifier?) {
    withExtendedLifetime(self) { signal.emit(payload, from: isolation) }
  }
}

extension EmitterCore: Sendable where Payload: Sendable {}

/// An emitter of events without arguments.
public typealias EmitterVoid = Emitter<Void>
/// An emitter of events with one argument.
public typealias EmitterArg<Argument> = Emitter<Argument>
/// An emitter of events with two arguments.
///
/// For three and more, send a tuple: `EmitterArg<(Int, Int, Int)>`.
public typealias EmitterArg2<First, Second> = Emitter<(First, Second)>

/// A signal without arguments.
public typealias SignalVoid = Signal<Void>
/// A signal with one argument.
public typealias SignalArg<Argument> = Signal<Argument>
/// A signal with two arguments.
public typealias SignalArg2<First, Second> = Signal<(First, Second)>
