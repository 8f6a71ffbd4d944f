import CSignalObserver

/// One emission, on the stack of the thread that makes it.
///
/// The emissions of a thread form a chain, from the innermost outwards. By the chain, an emission
/// finds what outer emissions of the same signal owe (guarantee 5), and a leaf finds the emission
/// that it passes on. Only its own thread follows a pointer to it, while it is in progress.
@unsafe
struct Emission {
  /// Nil for the frame of ``outside(_:)``, which hides the emissions around it from ``current``.
  let list: Unmanaged<ConnectionList>?
  /// Means nothing, and is never read, if the payload has no size.
  let payload: UnsafeRawPointer
  /// The connections, in an array that the caller of the emission holds, as it does the payload.
  let connections: UnsafeBufferPointer<SignalObserver?>
  /// The index of the next connection, which an inner emission moves when it delivers for this one.
  var next = 0
  /// The actor that the emission was made on, if the compiler knew one.
  let isolation: ObjectIdentifier?
  /// Whether the emission is on the main queue, once that has been asked.
  var isOnMainQueue: Bool? = nil
  /// Whether it is traced, or its slots are counted.
  let isWatched: Bool
  /// Why it is made, for leaves; nil if the program makes it.
  let cause: UnsafeMutableRawPointer?
  /// The value that the slot sets for a binding, for leaves; zero if there is none.
  var bound = 0
  /// How many items this thread has done for others, if no emission is around this one.
  var lent: Int32 = 0
  /// How many slots it has reached, if their number is wanted.
  fileprivate var reached: Int32 = 0
  /// The emission around this one.
  let outer: UnsafeMutablePointer<Emission>?
  /// The emission whose payload slots get: this one, or an outer one for which this one delivers.
  ///
  /// Nil until a slot gets one.
  fileprivate var delivering: UnsafeMutablePointer<Emission>?
  /// Whether outer emissions of the same signal have reached all of their slots.
  fileprivate var isSettled: Bool

  /// Calls `body` with an emission, which is in the chain meanwhile.
  @inline(__always)
  fileprivate static func make(
    _ list: ConnectionList?, _ payload: UnsafeRawPointer,
    _ connections: UnsafeBufferPointer<SignalObserver?>, _ isolation: ObjectIdentifier?,
    isWatched: Bool = false, isSettled: Bool = false, _ cause: UnsafeMutableRawPointer?,
    _ body: (UnsafeMutablePointer<Emission>) -> Void
  ) {
    let outer = unsafe innermost
    var emission = unsafe Emission(
      list: list.map { unsafe Unmanaged.passUnretained($0) }, payload: payload,
      connections: connections, isolation: isolation, isWatched: isWatched, cause: cause,
      outer: outer, isSettled: isSettled || outer == nil)
    unsafe withUnsafeMutablePointer(to: &emission) { emission in
      unsafe signal_observer_set_emission(emission)
      unsafe body(emission)
      unsafe signal_observer_set_emission(outer)
    }
  }

  /// Calls `body`, which passes on no emission, whatever is around it.
  static func outside(_ body: () -> Void) {
    unsafe withUnsafePointer(to: ()) {
      unsafe make(nil, $0, UnsafeBufferPointer(start: nil, count: 0), nil, nil) { _ in body() }
    }
  }

  /// The innermost emission in progress on this thread.
  static var innermost: UnsafeMutablePointer<Emission>? {
    unsafe signal_observer_get_emission()?.assumingMemoryBound(to: Emission.self)
  }

  /// The emission whose slot this thread is in.
  static var current: UnsafeMutablePointer<Emission>? { unsafe innermost?.pointee.delivering }

  /// The outermost emission in progress on this thread.
  static var outermost: UnsafeMutablePointer<Emission>? {
    var found = unsafe innermost
    while let outer = unsafe found?.pointee.outer { unsafe found = outer }
    return unsafe found
  }

  /// The bytes of the stack from the outermost emission to the innermost one; 0 if emissions are
  /// not on the stack.
  static var stackSize: Int {
    if signal_observer_moves_variables() != 0 { return 0 }
    guard let innermost = unsafe innermost, let outermost = unsafe outermost else { return 0 }
    return unsafe abs(UnsafeRawPointer(innermost) - UnsafeRawPointer(outermost))
  }

  /// The emission whose slot made this one.
  var source: UnsafeMutablePointer<Emission>? { unsafe outer?.pointee.delivering }

  // MARK: - Delivering

  /// Delivers what outer emissions of the same signal owe, beginning with the outermost.
  @inline(never)  // To keep the stack of nested emissions small.
  fileprivate static func settle(before emission: UnsafeMutablePointer<Emission>) {
    while let owing = unsafe outermostOwing(to: emission) { unsafe run(owing, by: emission) }
    unsafe emission.pointee.isSettled = true
  }

  private static func outermostOwing(
    to emission: UnsafeMutablePointer<Emission>
  ) -> UnsafeMutablePointer<Emission>? {
    let list = unsafe emission.pointee.list?.toOpaque()
    var found: UnsafeMutablePointer<Emission>?
    var outer = unsafe emission.pointee.outer
    while let each = unsafe outer {
      if unsafe each.pointee.list?.toOpaque() == list {
        if unsafe each.pointee.next < each.pointee.connections.count { unsafe found = each }
        if unsafe each.pointee.isSettled { break }
      }
      unsafe outer = each.pointee.outer
    }
    return unsafe found
  }

  /// Delivers to the connections that `emission` has not reached.
  ///
  /// `caller` is the same emission, or an inner one of the same signal. A slot may move `next`, so
  /// it is written before each call and read after it.
  @inline(__always)
  fileprivate static func run(
    _ emission: UnsafeMutablePointer<Emission>, by caller: UnsafeMutablePointer<Emission>
  ) {
    unsafe caller.pointee.delivering = emission
    if unsafe emission.pointee.isWatched { return unsafe runWatched(emission) }
    unsafe forEachLeft(emission) { connection in unsafe visit(connection, emission) }
  }

  @inline(never)
  private static func runWatched(_ emission: UnsafeMutablePointer<Emission>) {
    let tracer = unsafe emission.pointee.list?.takeUnretainedValue().state.withLock { $0.tracer }
    if unsafe emission.pointee.next == 0 { tracer?.begin() }
    unsafe forEachLeft(emission) { connection in
      if connection.isActive, !connection.isTargetDead { unsafe emission.pointee.reached += 1 }
      guard let tracer else { return unsafe visit(connection, emission) }
      tracer.visit(connection) { unsafe visit(connection, emission) }
    }
  }

  @inline(__always)
  private static func forEachLeft(
    _ emission: UnsafeMutablePointer<Emission>, _ body: (SignalObserver) -> Void
  ) {
    while true {
      let (index, connections) = unsafe (emission.pointee.next, emission.pointee.connections)
      guard index < connections.count else { return }
      unsafe emission.pointee.next = index &+ 1
      // An optional reference is an address, or zero. The array is not empty, so it has a base
      // address, and it holds the object. To count the reference would cost as much as a call.
      let entry = unsafe UnsafeRawPointer(connections.baseAddress.unsafelyUnwrapped + index)
      guard let address = unsafe entry.load(as: UnsafeRawPointer?.self) else { continue }
      unsafe Unmanaged<SignalObserver>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }
  }

  @inline(__always)
  private static func visit(
    _ connection: SignalObserver, _ emission: UnsafeMutablePointer<Emission>
  ) {
    let payload = unsafe emission.pointee.payload
    guard let mailbox = unsafe connection.mailboxReference else {
      return unsafe connection.callIfActive(payload)
    }
    unsafe mailbox._withUnsafeGuaranteedRef { mailbox in
      unsafe mailbox.receive(payload, emission, for: connection)
    }
  }
}

extension ConnectionList {
  /// Calls every live slot with the payload at `payload`, or adds the payload to what waits.
  ///
  /// What outer emissions of this signal on this thread owe is delivered first (guarantee 5). With
  /// `isOutermost`, the caller knows that there are none.
  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?,
    _ cause: UnsafeMutableRawPointer? = nil, isOutermost: Bool = false
  ) {
    _ = unsafe emit(payload, isolation, cause, isOutermost: isOutermost, isCounted: false)
  }

  /// Does the same, and returns how many slots it has called, or has added the payload for.
  func emitAndCount(_ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?) -> Int {
    unsafe emit(payload, isolation, nil, isOutermost: false, isCounted: true)
  }

  @inline(__always)
  private func emit(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?, _ cause: UnsafeMutableRawPointer?,
    isOutermost: Bool, isCounted: Bool
  ) -> Int {
    let (connections, isTraced) = snapshot
    var count = 0
    unsafe connections.withUnsafeBufferPointer { connections in
      unsafe Emission.make(
        self, payload, connections, isolation, isWatched: isTraced || isCounted,
        isSettled: isOutermost, cause
      ) { emission in
        if unsafe !emission.pointee.isSettled { unsafe Emission.settle(before: emission) }
        unsafe Emission.run(emission, by: emission)
        if isCounted { count = unsafe Int(emission.pointee.reached) }
      }
    }
    return count
  }

  /// Delivers the payload at `payload` to one connection of this list alone, if it is live.
  ///
  /// For the other connections, this is no emission: what outer emissions owe them stays owed.
  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, to connection: SignalObserver, from isolation: ObjectIdentifier?
  ) {
    unsafe withUnsafePointer(to: Optional(connection)) { one in
      let connections = unsafe UnsafeBufferPointer(start: one, count: 1)
      unsafe Emission.make(self, payload, connections, isolation, nil) { emission in
        unsafe Emission.run(emission, by: emission)
      }
    }
  }
}

/// The connections of the emission whose slot this thread is in.
@usableFromInline
func currentList() -> ConnectionList? {
  unsafe Emission.current?.pointee.list?.takeUnretainedValue()
}

/// The identity of the emission whose slot this thread is in; zero if there is none.
@usableFromInline
func currentEmission() -> UInt { unsafe UInt(bitPattern: Emission.current) }

/// Calls `body` as if this thread were in no emission.
@usableFromInline
func outsideEmissions(_ body: () -> Void) { unsafe Emission.outside(body) }

/// The actor of the emission whose slot this thread is in, if the compiler knew it.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? { unsafe Emission.current?.pointee.isolation }
