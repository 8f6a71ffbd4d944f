// Public for the library alone, and documented where the standard library documents the same:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The explorer's side of the seam in `Sources/SignalObserver/Kernel/Seam`. The library imports this
// module in the explorer's build only.

public import Dispatch

/// Decides which thread continues wherever threads may interfere with each other, and which of the
/// stores that its ordering allows a load returns.
public protocol Scheduler: AnyObject {
  /// Another thread may continue here.
  func point()
  /// The thread has found a lock taken, and waits until a lock is released.
  func block()
  /// A lock has been released.
  func unblock()
  func enqueue(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue)
  /// Whether the thread plays the main queue.
  var isOnMainQueue: Bool { get }
  /// The executor of the library's tasks.
  var taskExecutor: any TaskExecutor { get }

  // A place in memory is represented by a number, which it gets when it is made, and a value by its
  // bytes.

  func make(_ place: UInt, _ value: UInt64)
  /// Accesses a place. The caller passes the newest value, because the place may have been made
  /// before the scenario.
  ///
  /// Returns the values before and after the access; the latter is nil if nothing was stored.
  func access(
    _ place: UInt, _ newest: UInt64, _ order: Order, _ access: AtomicAccess
  ) -> (before: UInt64, after: UInt64?)
  func lock(_ place: UInt)
  func unlock(_ place: UInt)
  func plain(_ access: PlainAccess, _ address: UInt, _ what: StaticString)
}

public enum AtomicAccess {
  case load
  case store(UInt64)
  /// A read-modify-write, which is a load if the function returns nil.
  case update((UInt64) -> UInt64?)
}

/// A kind of access to memory that is not atomic.
public enum PlainAccess {
  /// The first write to new memory.
  case begin
  case read
  case write
  /// A write after which nobody may read. It is noted where that is decided, and not in a `deinit`,
  /// which reference counting orders.
  case end
}

/// The ordering of an atomic access, and the line of the source that has it.
public struct Order {
  public var acquires: Bool
  public var releases: Bool
  public let file: StaticString
  public let line: UInt
}

public enum Schedule {
  /// `nonisolated(unsafe)`: set while no thread of a scenario runs.
  nonisolated(unsafe) public static var scheduler: (any Scheduler)?
  /// The number of places that were made.
  ///
  /// `nonisolated(unsafe)`: only the thread with the baton makes one.
  nonisolated(unsafe) private static var places: UInt = 0

  static func makePlace(_ value: UInt64) -> UInt {
    unsafe places += 1
    unsafe scheduler?.make(places, value)
    return unsafe places
  }

  public static func plain(_ access: PlainAccess, _ object: AnyObject, _ what: StaticString) {
    guard let scheduler = unsafe scheduler else { return }
    // Each field of an object has a name of its own. Its text counts, and not its address: the same
    // text may have several. The factor spreads the names, so that those of two objects do not meet.
    let name = what.withUTF8Buffer { text in
      unsafe text.reduce(0) { ($0 &+ UInt($1)) &* 0x9E37_79B9_7F4A_7C15 }
    }
    scheduler.plain(access, UInt(bitPattern: ObjectIdentifier(object)) &+ name, what)
  }
}
