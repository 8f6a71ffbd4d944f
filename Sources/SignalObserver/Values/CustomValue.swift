import CSignalObserver

/// The getter and setter of a value that is kept elsewhere.
@usableFromInline
struct CustomValue<Value>: Sendable {
  @usableFromInline let get: @Sendable () -> Value
  @usableFromInline let set: @Sendable (Value) -> Void
  /// The actor of both closures; nil if they belong to none.
  @usableFromInline let place: (any Actor)?

  @usableFromInline
  init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    let place = get.isolation
    precondition(
      set.isolation === place, "give the getter and the setter of a value the same actor")
    let (read, store) = (onItsIsolation(get), onItsIsolation(set))
    // This is safe: both are the given functions, which are `Sendable`, under another type.
    nonisolated(unsafe) let (sentRead, sentStore) = (read, store)
    self.get = { nested { unsafe sentRead() } }
    self.set = { value in nested { unsafe sentStore(value) } }
    self.place = place
  }

  /// Calls the getter because the library needs the value.
  ///
  /// What the getter reads does not count as read by the code that called the library.
  @usableFromInline
  func read() -> Value {
    var reads = ValueReads(areTracked: false)
    return ValueReads.note(&reads, during: get)
  }

  /// Stops the program if the closures must not be called here.
  @usableFromInline
  func check() {
    switch place {
    case nil: break
    case let place? where place === MainActor.shared:
      // This check also runs in release builds.
      if !MainQueue.isCurrent {
        fatalError("a value of the main actor is made, set and sent there")
      }
    case let place?: place.preconditionIsolated("a value of an actor is made, set and sent there")
    }
  }

  /// Whether the getter may be called here.
  ///
  /// The main actor is the only actor that can be recognised. On any other actor, the answer is
  /// false.
  @usableFromInline
  var isHere: Bool { place == nil || (place === MainActor.shared && MainQueue.isCurrent) }
}

/// Calls a getter or a setter, unless many of them, each inside another, have used up the stack.
private func nested<Result>(_ body: () -> Result) -> Result {
  let thread = unsafe signal_observer_this_thread()
  unsafe thread.pointee.accessors += 1
  if unsafe thread.pointee.accessors > 16 { stopNearStackEnd() }
  defer { unsafe thread.pointee.accessors -= 1 }
  return body()
}
