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
  /// How many items this thread has done for others, if no emission is around this one.
  var lent: Int32 = 0
  /// Its number, or zero before somebody has asked for it.
  fileprivate var number: UInt = 0
  /// How many slots it has reached, if their number is wanted.
  fileprivate var reached: Int32 = 0
  /// How many emissions are around this one.
  private let depth: Int32
  /// The emission around this one.
  let outer: UnsafeMutablePointer<Emission>?
  /// The innermost of the emissions around this one that are not deep; nil if this is not deep.
  private let shallow: UnsafeMutablePointer<Emission>?
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
    inside outer: UnsafeMutablePointer<Emission>?, _ body: (UnsafeMutablePointer<Emission>) -> Void
  ) {
    var (depth, shallow) = unsafe (0 as Int32, nil as UnsafeMutablePointer<Emission>?)
    if let outer = unsafe outer {
      depth = unsafe outer.pointee.depth &+ 1
      unsafe shallow = outer.pointee.shallow ?? (depth > shallowDepth ? outer : nil)
    }
    var emission = unsafe Emission(
      list: list.map { unsafe Unmanaged.passUnretained($0) }, payload: payload,
      connections: connections, isolation: isolation, isWatched: isWatched, cause: cause,
      depth: depth, outer: outer, shallow: shallow, isSettled: isSettled || outer == nil)
    unsafe withUnsafeMutablePointer(to: &emission) { emission in
      unsafe signal_observer_this_thread().pointee.emission = UnsafeMutableRawPointer(emission)
      let isDeep = unsafe shallow != nil
      if isDeep {
        stopNearStackEnd()
        // Relaxed: only its own thread has to find an emission.
        list?.deepCount.wrappingAdd(1, ordering: .relaxed)
      }
      unsafe body(emission)
      if isDeep { list?.deepCount.wrappingAdd(-1, ordering: .relaxed) }
      unsafe signal_observer_this_thread().pointee.emission = UnsafeMutableRawPointer(outer)
    }
  }

  /// Calls `body`, which passes on no emission, whatever is around it.
  static func outside(_ body: () -> Void) {
    unsafe withUnsafePointer(to: ()) {
      let none = unsafe UnsafeBufferPointer<SignalObserver?>(start: nil, count: 0)
      unsafe make(nil, $0, none, nil, nil, inside: innermost) { _ in body() }
    }
  }

  /// The innermost emission in progress on this thread.
  static var innermost: UnsafeMutablePointer<Emission>? {
    unsafe signal_observer_this_thread().pointee.emission?.assumingMemoryBound(to: Emission.self)
  }

  /// The emission whose slot this thread is in.
  static var current: UnsafeMutablePointer<Emission>? { unsafe innermost?.pointee.delivering }

  /// The outermost emission in progress on this thread.
  static var outermost: UnsafeMutablePointer<Emission>? {
    var found = unsafe innermost?.pointee.shallow ?? innermost
    while let outer = unsafe found?.pointee.outer { unsafe found = outer }
    return unsafe found
  }

  /// How many emissions are around the innermost one that is not deep: so few that looking at each
  /// is quick.
  #if SO_EXPLORE
    // A small number, which a scenario of the explorer reaches.
    private static let shallowDepth: Int32 = 1
  #else
    private static let shallowDepth: Int32 = 16
  #endif

  /// Whether an emission of `list` may be in progress on this thread.
  ///
  /// If there are many, it answers by the count of deep ones, and does not look at each.
  static func mayBeInProgress(_ list: ConnectionList) -> Bool {
    guard var each = unsafe innermost?.pointee.shallow,
      list.deepCount.load(ordering: .relaxed) == 0
    else { return true }
    let list = unsafe Unmanaged.passUnretained(list).toOpaque()
    while unsafe each.pointee.list?.toOpaque() != list {
      guard let outer = unsafe each.pointee.outer else { return false }
      unsafe each = outer
    }
    return true
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
    // If no other deep emission is one of this signal, only those few that are not deep may owe.
    if let shallow = unsafe emission.pointee.shallow,
      unsafe emission.pointee.list?.takeUnretainedValue().deepCount.load(ordering: .relaxed) == 1
    {
      unsafe outer = shallow
    }
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
    if let outer = unsafe Emission.innermost {
      _ = unsafe emit(payload, isolation, cause, inside: outer, isOutermost, isCounted: false)
    } else {
      _ = unsafe emit(payload, isolation, cause, around: nil, isOutermost: true, isCounted: false)
    }
  }

  /// Does the same, and returns how many slots it has called, or has added the payload for.
  func emitAndCount(_ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?) -> Int {
    unsafe emit(payload, isolation, nil, inside: Emission.innermost, false, isCounted: true)
  }

  @inline(never)  // Most emissions are in no other one, and need less.
  private func emit(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?, _ cause: UnsafeMutableRawPointer?,
    inside outer: UnsafeMutablePointer<Emission>?, _ isOutermost: Bool, isCounted: Bool
  ) -> Int {
    unsafe emit(
      payload, isolation, cause, around: outer, isOutermost: isOutermost, isCounted: isCounted)
  }

  @inline(__always)
  private func emit(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?, _ cause: UnsafeMutableRawPointer?,
    around outer: UnsafeMutablePointer<Emission>?, isOutermost: Bool, isCounted: Bool
  ) -> Int {
    let (connections, isTraced) = snapshot
    var count = 0
    unsafe connections.withUnsafeBufferPointer { connections in
      unsafe Emission.make(
        self, payload, connections, isolation, isWatched: isTraced || isCounted,
        isSettled: isOutermost, cause, inside: outer
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
      unsafe Emission.make(
        self, payload, connections, isolation, nil, inside: Emission.innermost
      ) { emission in
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

/// The number of the emission whose slot this thread is in; zero if there is none.
///
/// No other emission of this thread has it. Its address may be that of a later one.
@usableFromInline
func currentEmission() -> UInt {
  guard let emission = unsafe Emission.current else { return 0 }
  if unsafe emission.pointee.number == 0 {
    let thread = unsafe signal_observer_this_thread()
    unsafe thread.pointee.emissions &+= 1
    unsafe emission.pointee.number = UInt(thread.pointee.emissions)
  }
  return unsafe emission.pointee.number
}

/// Stops the program, and names the slots of the innermost circle of emissions, by file and line.
///
/// The last one named may lie beside the circle, which has the last slot of the same signal. If
/// there is no circle, it names the innermost slots.
@inline(never)
func stopCircle() -> Never {
  var slots: [String] = []
  let list = unsafe Emission.innermost?.pointee.list?.toOpaque()
  // An emission begins, or the slot in progress does not end.
  let current = unsafe Emission.current
  var emission = unsafe current ?? Emission.innermost?.pointee.source
  while slots.count < 64, let each = unsafe emission {
    let index = unsafe each.pointee.next - 1
    if unsafe each.pointee.connections.indices.contains(index),
      let origin = unsafe each.pointee.connections[index]?.origin
    {
      slots.append("\(origin.fileID):\(origin.line)")
    }
    if unsafe each.pointee.list?.toOpaque() == list, unsafe each != current { break }
    unsafe emission = each.pointee.source
  }
  let names = slots.reversed().joined(separator: " → ")
  fatalError(
    """
    Slots, closures of operators, getters or setters emit, set or read values in a circle without \
    end, or too deep for the stack of the thread. Set only what differs, or do so on a queue.\
    \(names.isEmpty ? "" : " The slots, from the outside: \(names)")
    """)
}

/// Stops the program if the stack of the thread is about to end.
@inline(never)
func stopNearStackEnd() {
  if signal_observer_is_near_stack_end() != 0 { stopCircle() }
}

/// Calls `body` as if this thread were in no emission.
@usableFromInline
func outsideEmissions(_ body: () -> Void) { unsafe Emission.outside(body) }

/// The actor of the emission whose slot this thread is in, if the compiler knew it.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? { unsafe Emission.current?.pointee.isolation }
