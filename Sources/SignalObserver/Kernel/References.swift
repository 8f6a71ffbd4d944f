// What the kernel refers to without counting a reference.

/// An object that somebody else owns, or that its owner has retained by this.
///
/// Loading a strong reference retains the object, which would cost an emission as much as all the
/// rest.
///
/// `@safe`: whoever has it says beside the declaration who keeps the object alive.
@safe
struct Uncounted<Object: AnyObject>: Equatable {
  private let reference: Unmanaged<Object>

  @inline(__always)
  init(_ object: Object) { unsafe reference = Unmanaged.passUnretained(object) }

  /// Retains the object, too.
  @inline(__always)
  init(retaining object: Object) { unsafe reference = Unmanaged.passRetained(object) }

  var object: Object { unsafe reference.takeUnretainedValue() }

  /// Calls `body` with the object, which it must not release.
  @inline(__always)
  func with<Value>(_ body: (Object) -> Value) -> Value {
    unsafe reference._withUnsafeGuaranteedRef(body)
  }

  func retain() { _ = unsafe reference.retain() }
  func release() { unsafe reference.release() }

  @inline(__always)
  static func == (one: Self, other: Self) -> Bool {
    unsafe one.reference.toOpaque() == other.reference.toOpaque()
  }
}

/// The address of a variable on the stack of this thread.
///
/// `@safe`: no other thread has it, and it is followed only during the call that has taken the
/// address. Whoever keeps it for longer only compares it.
@safe
struct OnStack<Value>: Equatable {
  let address: UnsafeMutableRawPointer

  /// The variable, in place.
  var pointee: Value {
    @inline(__always) unsafeAddress {
      unsafe UnsafePointer(address.assumingMemoryBound(to: Value.self))
    }
    @inline(__always) nonmutating unsafeMutableAddress {
      unsafe address.assumingMemoryBound(to: Value.self)
    }
  }

  var identity: UInt { unsafe UInt(bitPattern: address) }

  @inline(__always)
  static func == (one: Self, other: Self) -> Bool { unsafe one.address == other.address }

  /// Calls `body` with the address of `variable`.
  @inline(__always)
  static func of<Result>(_ variable: inout Value, _ body: (Self) -> Result) -> Result {
    unsafe withUnsafeMutablePointer(to: &variable) { body(unsafe Self(address: $0)) }
  }
}
