/// The pending payloads of all members of a lane, in the order in which they were emitted.
///
/// Consecutive payloads of one member make a *run*: a header of 16 bytes and the payloads. Up to
/// 128 payloads make a *segment*, with a header of 8 bytes; a drain takes one segment at a time. A
/// run names its member by a reference that is not counted, and knows the run of the same member
/// before it, so that the payloads of one member can be taken out alone.
///
/// A value under the lock of its lane. It calls nobody, and returns the objects that the caller
/// must release.
@unsafe
struct Backlog<Member: LaneMember> {
  /// Unlike any of the constants of ``Berth``.
  private static var noOffset: Int { -2 }

  // The fields that adding writes come first. The thread that adds then waits for few of the cache
  // lines that a drain writes.

  /// How many payloads a segment has at most.
  let limit: Int
  /// The offset of the next payload.
  var tail = 0
  /// The segment that is being filled, whose header is not written yet, by its offset.
  private var openSegment = noOffset
  private var filled = Segment()
  /// The run that is being filled, by its offset; none if it must not grow.
  private var openRun = noOffset
  /// Payloads that were emitted where their slot could have run at once.
  private(set) var here = 0
  var blocks = unsafe Blocks()
  /// The offset of the oldest segment that no drain has taken.
  var head = 0
  var deadBytes = 0

  init(limit: Int) {
    unsafe self.limit = limit
  }

  var isEmpty: Bool { unsafe head == tail }

  // MARK: - Adding

  /// Adds a copy of the payload at `address` behind the others.
  @inline(__always)
  mutating func append(
    _ member: Member, _ berth: Berth, _ address: UnsafeRawPointer, isHere: Bool
  ) {
    let stride = berth.type.stride
    if unsafe openRun == berth.last, unsafe Int(filled.count) < limit,
      unsafe blocks.end - tail >= stride, unsafe run(inLast: openRun).pointee.kind.isHere == isHere
    {
      unsafe run(inLast: openRun).pointee.info &+= 1
      let room = unsafe blocks.addressInLast(tail)
      unsafe tail &+= stride
      unsafe count(1, isHere)
      unsafe berth.type.copy(address, to: room)
    } else {
      unsafe beginRun(member, berth, address, isHere: isHere)
    }
  }

  @inline(never)
  private mutating func beginRun(
    _ member: Member, _ berth: Berth, _ address: UnsafeRawPointer, isHere: Bool
  ) {
    let type = berth.type
    let kind = RunKind(count: 1, isHere: isHere)
    unsafe type.copy(address, to: beginRun(member, berth, kind, type.stride, type.alignment))
    if unsafe berth.bound != nil {
      unsafe berth.bound?.append(berth.last)
      unsafe openRun = Self.noOffset
    }
  }

  /// Adds an object behind the others, which is released when its turn has come, or the member
  /// ends.
  mutating func append(note: AnyObject, _ member: Member, _ berth: Berth) {
    let kind = RunKind(count: 1, isNote: true)
    let room = unsafe beginRun(member, berth, kind, MemoryLayout<AnyObject>.stride, 8)
    unsafe room.storeBytes(
      of: Unmanaged.passRetained(note).toOpaque(), as: UnsafeMutableRawPointer.self)
    unsafe openRun = Self.noOffset
  }

  /// Begins a run with room for `bytes` of payload, and returns that room.
  mutating func beginRun(
    _ member: Member, _ berth: Berth, _ kind: RunKind, _ bytes: Int, _ alignment: Int
  ) -> UnsafeMutableRawPointer {
    unsafe tail = (tail + 7) & ~7
    if unsafe openSegment >= 0, unsafe Int(filled.count) + kind.count > limit {
      unsafe closeSegment()
    }
    let need =
      unsafe MemoryLayout<Segment>.size + MemoryLayout<Run<Member>>.size + bytes + alignment
    if unsafe blocks.end - tail < need {
      unsafe closeSegment()
      unsafe blocks.add(need, head: head, tail: tail)
    }
    if unsafe openSegment < 0 {
      unsafe openSegment = unsafe tail
      unsafe filled = Segment()
      unsafe tail += MemoryLayout<Segment>.size
    }
    let offset = unsafe tail
    let run = unsafe run(inLast: offset)
    unsafe run.initialize(
      to: Run(
        member: Unmanaged.passUnretained(member),
        distance: Run<Member>.distance(from: berth.last, to: offset), info: kind.info))
    unsafe berth.last = offset
    unsafe openRun = offset
    let room = unsafe Run.payloads(run, alignment)
    unsafe tail += room - UnsafeMutableRawPointer(run) + bytes
    unsafe count(kind.count, kind.isHere)
    return unsafe room
  }

  @inline(__always)
  private mutating func count(_ payloads: Int, _ isHere: Bool) {
    unsafe filled.count &+= UInt16(truncatingIfNeeded: payloads)
    if isHere {
      unsafe filled.here &+= UInt16(truncatingIfNeeded: payloads)
      unsafe here += payloads
    }
  }

  mutating func closeSegment() {
    guard unsafe openSegment >= 0 else { return }
    unsafe tail = (tail + 7) & ~7
    unsafe filled.bytes = unsafe UInt32(tail - openSegment)
    unsafe blocks.addressInLast(openSegment).storeBytes(of: filled, as: Segment.self)
    unsafe openSegment = Self.noOffset
    unsafe openRun = Self.noOffset
  }

  /// No payload is added to the run at `offset` any more.
  mutating func closeRun(_ offset: Int) {
    if unsafe openRun == offset { unsafe openRun = Self.noOffset }
  }

  /// So many payloads of the run at `offset`, emitted where their slot could have run at once, are
  /// taken out.
  mutating func forgetHere(_ count: Int, _ offset: Int) {
    unsafe here -= count
    if unsafe openSegment >= 0, unsafe offset >= openSegment {
      unsafe filled.here -= UInt16(count)
      return
    }
    // The segment that the run is in; a block has some hundred at most.
    let block = unsafe blocks.block(offset)
    var begin = unsafe block.base
    while true {
      let pointer = unsafe (block.memory + (begin - block.base)).assumingMemoryBound(
        to: Segment.self)
      let end = unsafe begin + Int(pointer.pointee.bytes)
      if offset < end {
        unsafe pointer.pointee.here -= UInt16(count)
        return
      }
      begin = end
    }
  }

  /// Gives the memory back, but for the part that an idle lane may keep; nothing is pending.
  mutating func shrink() {
    unsafe closeSegment()
    if unsafe !blocks.restart(at: tail) { unsafe blocks.shrink() }
    unsafe deadBytes = 0
  }

  // MARK: - Looking

  /// Whether something of the member waits that no drain has taken.
  func isPending(_ berth: Berth) -> Bool { unsafe berth.last >= head }

  /// How many payloads of the member wait that no drain has taken.
  func count(_ berth: Berth) -> Int {
    var count = 0
    unsafe forEachRun(berth) { _, run in
      if unsafe !run.pointee.kind.isNote { count += unsafe run.pointee.kind.count }
    }
    return count
  }

  /// Calls `body` with the runs of one member that were not taken out, from the newest.
  ///
  /// Returns the offset of the newest that a drain has taken, or one of the constants of ``Berth``.
  @discardableResult
  func forEachRun(
    _ berth: Berth, _ body: (Int, UnsafeMutablePointer<Run<Member>>) -> Void
  ) -> Int {
    var offset = unsafe berth.last
    while unsafe offset >= head {
      let run = unsafe run(offset)
      let distance = unsafe run.pointee.distance
      if unsafe run.pointee.member != nil { unsafe body(offset, run) }
      if unsafe distance == Run<Member>.noDistance { return Berth.none }
      if unsafe distance == Run<Member>.unknownDistance { return Berth.unknown }
      offset -= Int(distance) * 8
    }
    return offset
  }

  func run(_ offset: Int) -> UnsafeMutablePointer<Run<Member>> {
    unsafe blocks.address(offset).assumingMemoryBound(to: Run<Member>.self)
  }

  @inline(__always)
  private func run(inLast offset: Int) -> UnsafeMutablePointer<Run<Member>> {
    unsafe blocks.addressInLast(offset).assumingMemoryBound(to: Run<Member>.self)
  }

  // MARK: - Taking

  /// How many payloads the oldest segment has.
  var nextCount: Int {
    if unsafe isEmpty { return 0 }
    if unsafe openSegment == head { return unsafe Int(filled.count) }
    return unsafe Int(blocks.address(head).load(as: Segment.self).count)
  }

  /// Takes the oldest segment out of the lock's reach; ``giveBack(_:)`` must follow.
  mutating func take() -> Hand<Member>? {
    if unsafe isEmpty { return nil }
    if unsafe openSegment == head { unsafe closeSegment() }
    let start = unsafe blocks.hold(head)
    let segment = unsafe start.load(as: Segment.self)
    let hand = unsafe Hand<Member>(start, segment, offset: head)
    unsafe head += Int(segment.bytes)
    unsafe here -= Int(segment.here)
    unsafe blocks.giveAway(before: head)
    return unsafe hand
  }

  /// Takes the memory of a segment back, which has been delivered.
  mutating func giveBack(_ hand: Hand<Member>) {
    unsafe deadBytes = max(0, deadBytes - hand.deadBytes)
    unsafe blocks.release()
    if unsafe isEmpty { unsafe shrink() }
  }
}
