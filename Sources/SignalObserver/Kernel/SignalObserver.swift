import Synchronization

/// The handle of one connection: suspends it, resumes it, ends it.
///
/// Every connect form returns one. Keeping it is optional: a dropped observer leaves the connection
/// in place, which ends with its target or its emitter. It may be used from any thread, from slots
/// and from `deinit`.
///
/// It holds neither the target nor the signal nor other slots, and of its own slot nothing once the
/// connection has ended (guarantee 9).
///
/// ```swift
/// let observer = player.scoreChanged.connect(label, Label.show)
/// observer.suspend()  // the label does not see payloads that are emitted now
/// observer.resume()
/// observer.cancel()
/// ```
///
/// It is the connection itself: the list of its signal holds it, and it holds the slot's function.
///
///     SnapshotList ──▶ SignalObserver ──▶ SnapshotList   (until the connection ends)
///                         │  └──▶ Lane ◀── the queue, or nobody
///                         └╌╌weak╌╌▶ target
///
/// `@unchecked Sendable`: see the state below. A slot is as `Sendable` as the connect form asks.
@safe
public final class SignalObserver: @unchecked Sendable {
  // MARK: - State
  // In an order that leaves no gaps: 104 bytes.

  let flags: ConnectionFlags
  private let isTargeted: Bool
  private let fileIDLength: UInt16
  let line: UInt32
  /// The lane that it waits in, and the fields that the lane uses; nil if it runs inline.
  ///
  /// Owned, until the end: reading a counted reference counts it, which would cost an emission as
  /// much as all the rest.
  let laneReference: Unmanaged<Lane<SignalObserver>>?
  @usableFromInline let berthReference: Unmanaged<Berth>?
  /// The function of the slot; nil if that is asynchronous, or let go of.
  ///
  /// Owned, in an object of its own, and written once, when the flags say that nobody reads it. A
  /// closure in a variable is counted twice at each call (49 instructions more), and one in a
  /// constant cannot be let go of.
  @exclusivity(unchecked)
  private var callee: Unmanaged<Callee>?
  // Weak: strong would keep the target alive for as long as the signal (guarantee 8), and unowned
  // would crash. Never written after `init` (`weak` asks for `var`); loading it is atomic.
  private weak var weakTarget: AnyObject?
  // The list of the signal, until the one that ends the connection takes it out. Unchecked, as the
  // following: flags or the list's lock keep accesses apart, and checking each would be a sixth of
  // connecting.
  @exclusivity(unchecked) private var list: ConnectionList?
  /// Guarded by the list's lock, with `birth`.
  @exclusivity(unchecked) @usableFromInline var position = UInt32.max
  /// Relaxed: the code that asks has made sure that only its own thread changes it.
  private let pins = Atomic<UInt32>(0)
  @exclusivity(unchecked) @usableFromInline var birth: UInt64 = 0
  /// Of a constant of the program.
  private let fileIDStart: UnsafePointer<UInt8>

  init(
    _ request: borrowing SlotRequest, _ list: ConnectionList, _ lane: Lane<SignalObserver>?,
    _ berth: Berth?
  ) {
    // First, since it may allocate the object in which calls of the target are counted. That object
    // should be far from the fields that emissions read, which are at the beginning of this one.
    weakTarget = request.target
    if case .sync(let body) = unsafe request.body {
      unsafe callee = Unmanaged.passRetained(
        request.label.map { unsafe LabelledCallee(body, label: $0) } ?? Callee(body))
    } else {
      unsafe callee = nil
    }
    unsafe laneReference = lane.map { unsafe Unmanaged.passRetained($0) }
    unsafe berthReference = berth.map { unsafe Unmanaged.passRetained($0) }
    flags = ConnectionFlags(request.delivery, waits: berth != nil)
    isTargeted = request.target != nil
    fileIDLength = UInt16(truncatingIfNeeded: request.fileID.utf8CodeUnitCount)
    unsafe fileIDStart = request.fileID.utf8Start
    line = request.line
    unsafe self.list = list
    plainBegin(self, "what is called")
    unsafe plainBegin(listAddress, "the list of a slot")
  }

  deinit {
    unsafe callee?.release()
    unsafe laneReference?.release()
    unsafe berthReference?.release()
  }

  /// Stands for ``list`` where the explorer watches it.
  private var listAddress: UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + 1
  }

  var lane: Lane<SignalObserver>? { unsafe laneReference?.takeUnretainedValue() }

  // MARK: - Ending

  // `leave` is called once for each connection that ends. It takes the connection out of list and
  // lane. List and lane each report their last call of the slot. The second report calls `letGo`.

  /// Ends the connection.
  ///
  /// After this returns no new call of the slot begins, except one that another thread had already
  /// begun; called where the slot runs (its queue, its actor), there is no exception (guarantee 4).
  /// Pending deliveries are dropped. The slot's closure and captures are released before this
  /// returns, or when the calls and emissions that are using them do. It never waits, and calling
  /// it again does nothing.
  ///
  /// If the payloads are not `Sendable`, the slot's closure and captures are released in the
  /// isolation domain of the signal alone: at once on the main actor, if the signal is of it, and
  /// else when the slot that cancels itself returns, or with the next emission, the next
  /// `slotCount`, or the emitter.
  ///
  /// - Complexity: O(1), amortised, and O(*n*) in the number of its pending deliveries.
  public func cancel() {
    if flags.cancel() { leave() }
  }

  /// Cancels where the signal is used.
  ///
  /// Kept out of the loop over slots, which is faster without it.
  ///
  /// - Parameter isTakenOut: Whether the list does not have it any more.
  @inline(never)
  func end(isTakenOut: Bool = false) {
    if flags.cancel(isInDomain: true) { leave(isTakenOut: isTakenOut) }
  }

  private func leave(isTakenOut: Bool = false) {
    unsafe plainWrite(listAddress, "the list of a slot")
    // Both references may be the last.
    let list = unsafe list.take()
    let this = isTakenOut ? nil : list?.remove(self)
    if let lane, let berth { lane.remove(self, berth) }
    withExtendedLifetime((this, list)) {}
  }

  /// Whether the connection has ended: by ``cancel()``, because its target has died, or because the
  /// emitter is gone and its payloads are delivered.
  ///
  /// The death of a target of payloads that are not `Sendable` shows when the signal is used again.
  public var isCancelled: Bool {
    // Looking whether a target is alive holds it for a moment, and may release the last reference.
    if !flags.isConfined { endIfOver() }
    return isEnded
  }

  /// Ends the connection if its target is gone, or if it was cancelled elsewhere and is confined.
  @inline(never)
  func endIfOver() {
    if isEnded ? flags.isConfined : isTargetGone { end() }
  }

  /// Lets go of the slot's function, if neither an emission nor a drain calls it, or will.
  ///
  /// Each of them says so; the second one does it.
  private func letGo(_ side: UInt8) {
    guard flags.letGo(side) else { return }
    plainEnd(self, "what is called")
    let old = unsafe callee.take()
    // Releasing it may run anybody's code.
    unsafe old?.release()
    unsafe berth?.body = nil
  }

  // MARK: - Calling

  /// Whether the slot may be called: neither cancelled nor suspended.
  @inline(__always)
  @usableFromInline
  var isActive: Bool { flags.look.isActive }

  @inline(__always)
  var isEnded: Bool { flags.look.isEnded }

  /// The target, if there is one and it is alive.
  var target: AnyObject? { weakTarget }

  /// Whether there was a target that has died.
  ///
  /// The connection is ended as soon as anybody finds out.
  var isTargetGone: Bool {
    guard isTargeted else { return false }
    schedulePoint()
    return weakTarget == nil
  }

  /// Calls the slot's function with the target, which is held meanwhile, or with nil if the slot
  /// has none.
  ///
  /// If the target is gone, ends the connection and calls nobody.
  @inline(__always)
  func call(with address: UnsafeRawPointer) {
    schedulePoint()
    plainRead(self, "what is called")
    // An emission calls no asynchronous slot, and none that was let go of.
    let isGone = unsafe callee.unsafelyUnwrapped._withUnsafeGuaranteedRef { callee in
      guard isTargeted else {
        unsafe callee.body(nil, address)
        return false
      }
      guard let target = weakTarget else { return true }
      schedulePoint()
      unsafe callee.body(consume target, address)
      return false
    }
    if isGone { end() }
  }

  /// See ``SlotRequest/label``; asked by readers of the list, which keep the callee.
  var label: (@Sendable () -> String)? {
    unsafe (callee?.takeUnretainedValue() as? LabelledCallee)?.label
  }

  /// The file that connected it.
  var fileID: String {
    unsafe String(
      decoding: UnsafeBufferPointer(start: fileIDStart, count: Int(fileIDLength)), as: UTF8.self)
  }
}

extension SignalObserver: SnapshotElement {
  @usableFromInline
  func pin(_ change: Int) {
    pins.wrappingAdd(UInt32(truncatingIfNeeded: change), ordering: .relaxed)
  }

  @usableFromInline
  var isPinned: Bool { pins.load(ordering: .relaxed) != 0 }

  @usableFromInline
  func becameUnseen() { letGo(ConnectionFlags.unseen) }
}

extension SignalObserver: LaneMember {
  @usableFromInline
  func becameIdle() { letGo(ConnectionFlags.idle) }
}

/// The slots of one signal.
@usableFromInline
typealias ConnectionList = SnapshotList<SignalObserver>
