public import Synchronization

/// A value that is reached under a lock only.
///
/// The one place that knows which lock it is. Only this package's own code runs inside
/// ``withLock(_:)``, and it calls nobody else's: no slot, no transform, no `deinit` of a target,
/// capture or payload (guarantee 7). The lock does not recurse, so a mistake stops the program at
/// once instead of passing unseen.
///
/// `@unchecked Sendable`: the state leaves the mutex only as the `inout` argument of `withLock`,
/// of any type; it would be wrong if a body stored it elsewhere and used it later.
@usableFromInline
struct Lock<State>: ~Copyable, @unchecked Sendable {
  /// `@unchecked Sendable`: `Mutex` checks that nothing leaves its region, which a generic payload
  /// cannot prove; ours stay inside because every body is in this module.
  @usableFromInline
  struct Guarded: @unchecked Sendable {
    @usableFromInline var value: State

    @inlinable
    init(value: State) { self.value = value }
  }

  @usableFromInline
  struct Returned<Value>: @unchecked Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(value: Value) { self.value = value }
  }

  @usableFromInline let mutex: Mutex<Guarded>

  #if SO_EXPLORE
    private let place = Schedule.makePlace(0)

    @usableFromInline
    init(_ state: State) {
      mutex = Mutex(Guarded(value: state))
    }

    @usableFromInline
    borrowing func withLock<Value>(_ body: (inout State) -> Value) -> Value {
      schedulePoint()
      while true {
        let returned = mutex.withLockIfAvailable { guarded in
          unsafe Schedule.scheduler?.lock(place)
          let returned = Returned(value: body(&guarded.value))
          unsafe Schedule.scheduler?.unlock(place)
          return returned
        }
        if let returned {
          unsafe Schedule.scheduler?.unblock()
          return returned.value
        }
        unsafe Schedule.scheduler?.block()
      }
    }
  #else
    @inlinable
    init(_ state: State) {
      mutex = Mutex(Guarded(value: state))
    }

    @inlinable
    borrowing func withLock<Value>(_ body: (inout State) -> Value) -> Value {
      mutex.withLock { guarded in
        Returned(value: body(&guarded.value))
      }.value
    }
  #endif
}
