import CSignalObserver

/// One emission, on the stack of the thread that makes it.
///
/// The emissions of a thread form a chain, from the innermost outwards. By the chain, an emission
/// finds what outer emissions of the same signal owe (guarantee 5), and a leaf finds the emission
/// that it passes on.
///
/// `@safe`: the caller of the emission holds what the pointers lead to.
@safe
struct Emission {
  /// Nil for a frame of ``asSlot(of:_:)``, which hides the emissions around it from ``current``.
  let list: Uncounted<ConnectionList>?
  /// Means nothing, and is never read, if the payload has no size.
  fileprivate let payload: UnsafeRawPointer
  fileprivate let connections: UnsafeBufferPointer<SignalObserver?>
  /// The index of the next connection, which an inner emission moves when it delivers for this one.
  fileprivate var next = 0
  /// For leaves and traces: the index of the connection that it calls, in the emission that it
  /// delivers.
  fileprivate var indexInDelivering = 0
  /// The actor that the emission was made on, if the compiler knew one.
  let isolation: ObjectIdentifier?
  /// Whether the emission is on the main queue, once that has been asked.
  var isOnMainQueue: Bool? = nil
  /// Whether it is traced, or its slots are counted.
  fileprivate let isWatched: Bool
  /// Why it is made, for leaves; nil if an emitter sends.
  let cause: UnsafeMutableRawPointer?
  /// Its number, for leaves, or zero before one has asked for it.
  fileprivate var number: UInt = 0
  /// How many slots it has reached, if it is watched.
  fileprivate var reached: Int32 = 0
  /// How many emissions are around this one.
  private let depth: Int32
  /// The emission around this one.
  let outer: OnStack<Emission>?
  /// The innermost of the emissions around this one that are not deep; nil if this is not deep.
  fileprivate let lastShallow: OnStack<Emission>?
  /// For leaves and traces: the emission whose payload slots get, which is this one, or an outer
  /// one for which this one delivers.
  ///
  /// Nil until a slot gets one.
  fileprivate var delivering: OnStack<Emission>?
  /// Whether outer emissions of the same signal have reached all of their slots.
  fileprivate var isSettled: Bool

  /// Calls `body` with an emission, which is in the chain meanwhile, and returns how many slots it
  /// has reached, if it is watched.
  @inline(__always)
  fileprivate static func make(
    _ list: ConnectionList?, _ payload: UnsafeRawPointer,
    _ connections: UnsafeBufferPointer<SignalObserver?>, _ isolation: ObjectIdentifier?,
    isWatched: Bool = false, _ cause: UnsafeMutableRawPointer?,
    within outer: OnStack<Emission>?, _ body: (OnStack<Emission>) -> Void
  ) -> Int {
    let depth = (outer?.pointee.depth ?? -1) &+ 1
    let lastShallow = outer?.pointee.lastShallow ?? (depth > deepAbove ? outer : nil)
    let isDeep = lastShallow != nil
    var emission = unsafe Emission(
      list: list.map { Uncounted($0) }, payload: payload,
      connections: connections, isolation: isolation, isWatched: isWatched, cause: cause,
      depth: depth, outer: outer, lastShallow: lastShallow, isSettled: outer == nil)
    return OnStack.of(&emission) { emission in
      innermost = emission
      if isDeep {
        stopNearStackEnd()
        // Relaxed: only its own thread has to find an emission.
        list?.deepCount.wrappingAdd(1, ordering: .relaxed)
      }
      body(emission)
      if isDeep { list?.deepCount.wrappingAdd(-1, ordering: .relaxed) }
      innermost = outer
      return Int(emission.pointee.reached)
    }
  }

  /// Calls `body` as code that is in no slot, whatever is around it: a slot may run a main loop,
  /// which drains lines.
  static func asNobody(_ body: () -> Void) {
    let lent = lent
    Self.lent = 0
    asSlot(of: nil, body)
    Self.lent = lent
  }

  /// Calls `body` as the slot would that `frame` is calling; without a frame, as code in no slot.
  static func asSlot(of frame: OnStack<Emission>?, _ body: () -> Void) {
    if let frame, frame == innermost { return body() }
    _ = unsafe withUnsafePointer(to: ()) {
      unsafe make(
        nil, $0, UnsafeBufferPointer(start: nil, count: 0), nil, nil, within: innermost
      ) { emission in
        emission.pointee.delivering = frame?.pointee.delivering
        emission.pointee.indexInDelivering = frame?.pointee.indexInDelivering ?? 0
        body()
      }
    }
  }

  /// The innermost emission in progress on this thread.
  fileprivate(set) static var innermost: OnStack<Emission>? {
    @inline(__always) get {
      unsafe signal_observer_this_thread().pointee.emission.map { unsafe OnStack(address: $0) }
    }
    @inline(__always) set {
      unsafe signal_observer_this_thread().pointee.emission = newValue?.address
    }
  }

  /// How many items this thread has done for others in the outermost emission, for leaves.
  static var lent: UInt {
    @inline(__always) get { unsafe signal_observer_this_thread().pointee.lent }
    @inline(__always) set { unsafe signal_observer_this_thread().pointee.lent = newValue }
  }

  /// The emission whose slot this thread is in.
  static var current: OnStack<Emission>? { innermost?.pointee.delivering }

  /// With more emissions than this around it, an emission is *deep*. So few are not that looking at
  /// each is quick.
  #if SO_EXPLORE
    // A small number, which a scenario of the explorer reaches.
    private static let deepAbove: Int32 = 1
  #else
    private static let deepAbove: Int32 = 16
  #endif

  @inline(__always)
  func isOf(_ list: ConnectionList) -> Bool { self.list == Uncounted(list) }

  /// Whether no other deep emission, on any thread, is one of this signal.
  fileprivate var isOnlyDeepOne: Bool {
    lastShallow != nil && list?.object.deepCount.load(ordering: .relaxed) == 1
  }

  /// Whether there are slots that it has not reached.
  @inline(__always)
  fileprivate var isOwing: Bool { unsafe next < connections.count }
}

// MARK: - Delivering

extension OnStack where Value == Emission {
  /// Delivers what outer emissions of the same signal owe, beginning with the outermost.
  @inline(never)  // To keep the stack of nested emissions small.
  fileprivate func settle() {
    while let owing = outermostOwing { owing.run(by: self) }
    pointee.isSettled = true
  }

  private var outermostOwing: OnStack<Emission>? {
    let list = pointee.list
    var found: OnStack<Emission>?
    var outer = pointee.outer
    // Then only those few that are not deep may owe.
    if pointee.isOnlyDeepOne { outer = pointee.lastShallow }
    while let each = outer {
      if each.pointee.list == list {
        if each.pointee.isOwing { found = each }
        // Then those around it owe nothing any more.
        if each.pointee.isSettled { break }
      }
      outer = each.pointee.outer
    }
    return found
  }

  /// Delivers to the connections that this emission has not reached.
  ///
  /// `caller` is the same emission, or an inner one of the same signal. A slot may move `next`, so
  /// it is written before each call and read after it.
  @inline(__always)
  fileprivate func run(by caller: OnStack<Emission>) {
    caller.pointee.delivering = self
    if pointee.isWatched { return runWatched(by: caller) }
    forEachLeft(by: caller) { visit($0) }
  }

  @inline(never)
  private func runWatched(by caller: OnStack<Emission>) {
    let tracer = pointee.list?.object.state.withLock { $0.tracer }
    if pointee.next == 0 { tracer?.begin() }
    forEachLeft(by: caller) { connection in
      if connection.isActive, !connection.isDead { pointee.reached += 1 }
      guard let tracer else { return visit(connection) }
      tracer.visit(connection) { visit(connection) }
    }
  }

  @inline(__always)
  private func forEachLeft(by caller: OnStack<Emission>, _ body: (SignalObserver) -> Void) {
    while pointee.isOwing {
      let index = pointee.next
      pointee.next = index &+ 1
      caller.pointee.indexInDelivering = index
      // An optional reference is an address, or zero. The array is not empty, so it has a base
      // address, and it holds the object. To count the reference would cost as much as a call.
      let entry = unsafe UnsafeRawPointer(
        pointee.connections.baseAddress.unsafelyUnwrapped + index)
      guard let address = unsafe entry.load(as: UnsafeRawPointer?.self) else { continue }
      unsafe Unmanaged<SignalObserver>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }
  }

  @inline(__always)
  private func visit(_ connection: SignalObserver) {
    guard let mailbox = connection.mailboxReference else {
      return unsafe connection.callIfActive(pointee.payload)
    }
    mailbox.with { unsafe $0.receive(pointee.payload, self, for: connection) }
  }
}

extension ConnectionList {
  /// Calls every live slot with the payload at `payload`, or adds the payload to what waits.
  ///
  /// What outer emissions of this signal on this thread owe is delivered first (guarantee 5).
  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?,
    _ cause: UnsafeMutableRawPointer? = nil
  ) {
    if Emission.innermost == nil {
      Emission.lent = 0
      _ = unsafe emit(payload, isolation, cause, within: nil, counts: false)
    } else {
      _ = unsafe emitAnywhere(payload, from: isolation, cause)
    }
  }

  /// Does the same, also inside another emission.
  ///
  /// If `counts`, it returns how many slots it has called, or has added the payload for.
  @inline(never)  // Most emissions are in no other one, and need less.
  func emitAnywhere(
    _ payload: UnsafeRawPointer, from isolation: ObjectIdentifier?,
    _ cause: UnsafeMutableRawPointer? = nil, counts: Bool = false
  ) -> Int {
    unsafe emit(payload, isolation, cause, within: Emission.innermost, counts: counts)
  }

  @inline(__always)
  private func emit(
    _ payload: UnsafeRawPointer, _ isolation: ObjectIdentifier?, _ cause: UnsafeMutableRawPointer?,
    within outer: OnStack<Emission>?, counts: Bool
  ) -> Int {
    let (connections, isTraced) = snapshot
    return unsafe connections.withUnsafeBufferPointer { connections in
      unsafe Emission.make(
        self, payload, connections, isolation, isWatched: isTraced || counts, cause, within: outer
      ) { emission in
        if !emission.pointee.isSettled { emission.settle() }
        emission.run(by: emission)
      }
    }
  }

  /// Delivers the payload at `payload` to one connection of this list alone, if it is live.
  ///
  /// For the other connections, this is no emission: what outer emissions owe them stays owed.
  @usableFromInline
  func emit(
    _ payload: UnsafeRawPointer, to connection: SignalObserver, from isolation: ObjectIdentifier?
  ) {
    _ = unsafe withUnsafePointer(to: Optional(connection)) {
      unsafe Emission.make(
        self, payload, UnsafeBufferPointer(start: $0, count: 1), isolation, nil,
        within: Emission.innermost
      ) { emission in emission.run(by: emission) }
    }
  }
}

// MARK: - For leaves

extension Emission {
  /// Whether an emission of `list` may be in progress on this thread.
  ///
  /// The answer is always yes if few emissions are in progress: to look at each is quick then. If
  /// many are, it answers by the count of deep ones.
  static func mayBeInProgress(_ list: ConnectionList) -> Bool {
    var found = innermost?.pointee.lastShallow
    if found == nil || list.deepCount.load(ordering: .relaxed) > 0 { return true }
    while let each = found, !each.pointee.isOf(list) { found = each.pointee.outer }
    return found != nil
  }

  /// The frame whose slot gets the emission with this number; nil if that is over, and for zero.
  ///
  /// - Complexity: O(*n*) in the number of emissions inside that one.
  static func frame(of number: UInt) -> OnStack<Emission>? {
    var frame = number == 0 ? nil : innermost
    while let each = frame, each.pointee.delivering?.pointee.number != number {
      frame = each.pointee.outer
    }
    return frame
  }

  /// The emission whose slot made this one.
  var source: OnStack<Emission>? { outer?.pointee.delivering }

  /// The connection whose slot this thread is in, of the emission that it delivers.
  var connection: SignalObserver? {
    guard let connections = unsafe delivering?.pointee.connections,
      connections.indices.contains(indexInDelivering)
    else { return nil }
    return unsafe connections[indexInDelivering]
  }
}

/// The connections of the emission whose slot this thread is in.
@usableFromInline
func currentList() -> ConnectionList? { Emission.current?.pointee.list?.object }

/// The number of the emission whose slot this thread is in; zero if there is none.
///
/// No other emission of this thread has it. Its address may be that of a later one.
@usableFromInline
func currentEmission() -> UInt {
  guard let emission = Emission.current else { return 0 }
  if emission.pointee.number == 0 {
    let thread = unsafe signal_observer_this_thread()
    unsafe thread.pointee.emissions &+= 1
    emission.pointee.number = unsafe thread.pointee.emissions
  }
  return emission.pointee.number
}

/// Stops the program, and names the slots of the innermost circle of emissions, by file and line.
///
/// If there is no circle, it names the innermost slots.
@inline(never)
func stopCircle() -> Never {
  var slots: [String] = []
  let list = Emission.innermost?.pointee.list
  // An emission begins, or the slot in progress does not end.
  let current = Emission.current
  var emission = current == nil ? Emission.innermost?.pointee.outer : Emission.innermost
  while slots.count < 64, let each = emission, let delivering = each.pointee.delivering {
    if let origin = each.pointee.connection?.origin {
      slots.append("\(origin.fileID):\(origin.line)")
    }
    if delivering.pointee.list == list, delivering != current { break }
    emission = delivering.pointee.outer
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

/// Calls `body` as the slot would that gets the emission with this number; if that is over, as code
/// that is in no slot.
@usableFromInline
func insideEmission(_ number: UInt, _ body: () -> Void) {
  Emission.asSlot(of: Emission.frame(of: number), body)
}

/// Calls `body` in an emission: in a frame of no slot, if there is none.
@usableFromInline
func insideAnyEmission(_ body: () -> Void) {
  if Emission.innermost == nil { Emission.asSlot(of: nil, body) } else { body() }
}

/// The actor of the emission whose slot this thread is in, if the compiler knew it.
@usableFromInline
func currentIsolation() -> ObjectIdentifier? { Emission.current?.pointee.isolation }
