/// Tells Observation about the reads of one ``SignalValue``, and has the object that tells it about
/// changes.
///
/// The first read makes the object that Observation needs. If a value is never read, each set costs
/// two more loads, which are inlined. Observation calls `onChange` closures at once, so nothing
/// here, and nothing of the object, must be called under a lock.
@safe
@usableFromInline
struct ValueObservation: ~Copyable, Sendable {
  /// The address of the object, or zero before it is made.
  ///
  /// This structure owns the object: it stores the address once, under the lock, and releases the
  /// object at the end.
  ///
  /// The store releases and the load acquires, so a thread that finds the object finds it complete.
  @usableFromInline let address = Atomic(0)
  private let making = Lock(())

  @usableFromInline
  init() {}

  deinit {
    if let made { unsafe Unmanaged.passUnretained(made).release() }
  }

  /// The object that stands for the value in Observation; nil if the value was never read.
  @inlinable
  var made: ObservableValue? {
    unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map {
      unsafe Unmanaged<ObservableValue>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// The address of that object, or zero.
  ///
  /// Relaxed: it is only compared.
  @inlinable
  var identity: Int { address.load(ordering: .relaxed) }

  /// Tells Observation, tracking and bindings that the calling code reads the value.
  @usableFromInline
  func read() {
    (made ?? make()).read()
  }

  private func make() -> ObservableValue {
    making.withLock { _ in
      if let made { return made }
      let new = ObservableValue.make()
      let reference = unsafe Unmanaged.passRetained(new)
      unsafe address.store(Int(bitPattern: reference.toOpaque()), ordering: .releasing)
      return new
    }
  }
}
