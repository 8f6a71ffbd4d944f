/// What waits in a lane: the payloads of all its members in the order in which they were emitted, in
/// blocks of memory.
///
/// Consecutive payloads of one member make a *run*: a header of 16 bytes and the payloads. Up to
/// 128 payloads make a *segment*, with a header of 8 bytes; a drain takes one segment at a time. A run
/// names its member by a reference that is not counted, and knows the run of the same member before
/// it, so that the payloads of one member can be taken out alone.
///
/// A *place* is a number of bytes since the lane's beginning.
///
/// A value under the lock of its lane. It calls nobody: what must be released is handed out.
@unsafe
struct Backlog<Member: LaneMember> {
  @unsafe
  private struct Block {
    let memory: UnsafeMutableRawPointer
    let capacity: Int
    /// The place of its first byte, where a segment begins.
    let base: Int
  }

  /// So large that the system's allocator gives them back one by one.
  private static var largestBlock: Int { 1 << 20 }
  /// What an idle lane keeps; 4 KiB with what the allocator adds.
  private static var keptBytes: Int { 4096 - 64 }

  // MARK: - State

  /// How many payloads a segment has at most.
  private let limit: Int
  /// From the oldest; only the last one has room left.
  private var blocks: [Block] = unsafe []
  /// Of `blocks`, how many are exhausted and given away.
  private var exhausted = 0
  /// The place of the oldest segment that no drain has taken, and of what is added next.
  private(set) var head = 0
  private var tail = 0
  /// The segment that is being filled, whose header is not written yet.
  private var open: (place: Int, segment: Segment)?
  /// The run that is being filled, by its place.
  private var openRun: Int?
  private var spare: Block?
  /// The block of the segment that a drain has taken, and whether it is not in `blocks` any more.
  private var inHand: (block: Block, isOwned: Bool)?
  private var deadBytes = 0
  /// Payloads that were emitted where their slot could have run at once.
  private(set) var here = 0

  init(limit: Int) {
    unsafe self.limit = limit
  }

  var isEmpty: Bool { unsafe head == tail }

  // MARK: - Adding

  /// Adds a copy of the payload at `address` behind the others.
  mutating func append(
    _ member: Member, _ berth: Berth, _ address: UnsafeRawPointer, isHere: Bool
  ) {
    let type = berth.type
    let room: UnsafeMutableRawPointer
    if unsafe openRun == berth.last, let more = unsafe extendRun(berth, isHere) {
      unsafe room = more
    } else {
      let kind = RunKind(count: 1, isHere: isHere)
      unsafe room = beginRun(member, berth, kind, type.stride, type.alignment)
      if unsafe berth.bound != nil { unsafe berth.bound?.append(berth.last) }
    }
    if type.isTrivial {
      unsafe room.copyMemory(from: address, byteCount: type.size)
    } else {
      unsafe type.handling.copy(address, to: room)
    }
  }

  /// Adds an object behind the others, which is released when its turn has come, or the member ends.
  mutating func append(note: AnyObject, _ member: Member, _ berth: Berth) {
    let kind = RunKind(count: 1, isNote: true)
    let room = unsafe beginRun(member, berth, kind, MemoryLayout<AnyObject>.stride, 8)
    unsafe room.storeBytes(
      of: Unmanaged.passRetained(note).toOpaque(), as: UnsafeMutableRawPointer.self)
  }

  /// Room for one more payload in the run that is being filled, which is of that member.
  private mutating func extendRun(
    _ berth: Berth, _ isHere: Bool
  ) -> UnsafeMutableRawPointer? {
    guard unsafe berth.bound == nil, let place = unsafe openRun, let last = unsafe blocks.last,
      unsafe last.base + last.capacity - tail >= berth.type.stride,
      unsafe Int(open?.segment.count ?? 0) < limit
    else { return nil }
    let run = unsafe Self.run(place, last)
    guard unsafe !run.pointee.kind.isNote, unsafe run.pointee.kind.isHere == isHere else {
      return nil
    }
    unsafe run.pointee.info += 1
    let room = unsafe last.memory + (tail - last.base)
    unsafe tail += berth.type.stride
    unsafe count(1, isHere)
    return unsafe room
  }

  /// Begins a run with room for `bytes` of payload, and returns that room.
  private mutating func beginRun(
    _ member: Member, _ berth: Berth, _ kind: RunKind, _ bytes: Int, _ alignment: Int
  ) -> UnsafeMutableRawPointer {
    unsafe tail = (tail + 7) & ~7
    if let open = unsafe open, unsafe Int(open.segment.count) + kind.count > limit {
      unsafe closeSegment()
    }
    let need =
      unsafe MemoryLayout<Segment>.size + MemoryLayout<Run<Member>>.size + bytes + alignment
    if unsafe blocks.last.map({ unsafe $0.base + $0.capacity - tail < need }) ?? true {
      unsafe addBlock(need)
    }
    // There is one now.
    let block = unsafe blocks[blocks.count - 1]
    if unsafe open == nil {
      unsafe open = (tail, Segment())
      unsafe tail += MemoryLayout<Segment>.size
    }
    let place = unsafe tail
    let isFirst = unsafe berth.last < head
    let run = unsafe Self.run(place, block)
    unsafe run.initialize(
      to: Run(
        member: Unmanaged.passUnretained(member),
        distance: isFirst ? 0 : UInt32((place - berth.last) / 8), info: kind.info))
    unsafe berth.last = place
    unsafe openRun = place
    let room = unsafe Run.payloads(run, alignment)
    unsafe tail = block.base + (room - block.memory) + bytes
    unsafe count(kind.count, kind.isHere)
    return unsafe room
  }

  private mutating func count(_ payloads: Int, _ isHere: Bool) {
    unsafe open?.segment.count += UInt16(payloads)
    if isHere {
      unsafe open?.segment.here += UInt16(payloads)
      unsafe here += payloads
    }
  }

  private mutating func closeSegment() {
    guard let (place, filled) = unsafe open else { return }
    var segment = filled
    unsafe tail = (tail + 7) & ~7
    segment.bytes = unsafe UInt32(tail - place)
    unsafe pointer(place).storeBytes(of: segment, as: Segment.self)
    unsafe open = nil
    unsafe openRun = nil
  }

  private mutating func addBlock(_ need: Int) {
    unsafe closeSegment()
    // Half as much as is pending already, so that two thirds of the memory are in use, or more.
    let wanted = unsafe min(max(1024, (tail - head) / 2), Self.largestBlock)
    if let spare = unsafe spare, unsafe spare.capacity >= need {
      unsafe self.spare = nil
      unsafe blocks.append(Block(memory: spare.memory, capacity: spare.capacity, base: tail))
    } else {
      let capacity = max(need, wanted)
      unsafe blocks.append(
        Block(
          memory: .allocate(byteCount: capacity, alignment: 16), capacity: capacity, base: tail))
    }
    unsafe giveAwayExhausted()
  }

  // MARK: - Memory

  /// Lets go of the blocks before the one that `head` is in.
  private mutating func giveAwayExhausted() {
    while unsafe exhausted + 1 < blocks.count, unsafe blocks[exhausted + 1].base <= head {
      unsafe giveAway(blocks[exhausted])
      unsafe exhausted += 1
    }
    if unsafe exhausted > 16, unsafe exhausted * 2 > blocks.count {
      unsafe blocks.removeFirst(exhausted)
      unsafe exhausted = 0
    }
  }

  private mutating func giveAway(_ block: Block) {
    if let inHand = unsafe inHand, unsafe inHand.block.memory == block.memory {
      unsafe self.inHand = unsafe (block, true)
    } else if unsafe spare == nil, unsafe block.capacity <= Self.keptBytes {
      unsafe spare = block
    } else {
      unsafe block.memory.deallocate()
    }
  }

  /// Gives all memory back, but for what an idle lane may keep; nothing is pending.
  private mutating func shrink() {
    unsafe closeSegment()
    for index in unsafe exhausted..<blocks.count { unsafe giveAway(blocks[index]) }
    unsafe blocks = []
    unsafe exhausted = 0
    unsafe deadBytes = 0
  }

  /// Gives everything back; nothing is pending.
  mutating func free() {
    unsafe shrink()
    if let spare = unsafe spare { unsafe spare.memory.deallocate() }
    unsafe spare = nil
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
  private func forEachRun(
    _ berth: Berth, _ body: (Int, UnsafeMutablePointer<Run<Member>>) -> Void
  ) {
    var place = unsafe berth.last
    while unsafe place >= head {
      let run = unsafe Self.run(place, block(place))
      let distance = unsafe Int(run.pointee.distance) * 8
      if unsafe run.pointee.member != nil { unsafe body(place, run) }
      if distance == 0 { return }
      place -= distance
    }
  }

  /// The block of a place that is not before `head`.
  private func block(_ place: Int) -> Block {
    var (low, high) = unsafe (exhausted, blocks.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if unsafe blocks[middle].base <= place { low = middle } else { high = middle - 1 }
    }
    return unsafe blocks[low]
  }

  private func pointer(_ place: Int) -> UnsafeMutableRawPointer {
    let block = unsafe block(place)
    return unsafe block.memory + (place - block.base)
  }

  private static func run(_ place: Int, _ block: Block) -> UnsafeMutablePointer<Run<Member>> {
    unsafe (block.memory + (place - block.base)).assumingMemoryBound(to: Run<Member>.self)
  }

  // MARK: - Taking

  /// How many payloads the oldest segment has.
  var nextCount: Int {
    if unsafe isEmpty { return 0 }
    if let open = unsafe open, unsafe open.place == head { return Int(open.segment.count) }
    return unsafe Int(pointer(head).load(as: Segment.self).count)
  }

  /// Takes the oldest segment out of the lock's reach; ``giveBack(_:)`` must follow.
  mutating func take() -> Hand<Member>? {
    if unsafe isEmpty { return nil }
    if unsafe open?.place == head { unsafe closeSegment() }
    unsafe giveAwayExhausted()
    let block = unsafe blocks[exhausted]
    let start = unsafe block.memory + (head - block.base)
    let segment = unsafe start.load(as: Segment.self)
    let hand = unsafe Hand<Member>(start, segment, place: head)
    unsafe inHand = (block, false)
    unsafe head += Int(segment.bytes)
    unsafe here -= Int(segment.here)
    unsafe giveAwayExhausted()
    return unsafe hand
  }

  /// Takes the memory of a segment back, which has been delivered.
  mutating func giveBack(_ hand: Hand<Member>) {
    let (block, isOwned) = unsafe inHand.unsafelyUnwrapped
    unsafe inHand = nil
    unsafe deadBytes = max(0, deadBytes - hand.deadBytes)
    if isOwned { unsafe giveAway(block) }
    if unsafe isEmpty { unsafe shrink() }
  }

  // MARK: - Taking out

  /// Takes out everything of one member that no drain has taken.
  mutating func takeOut(_ berth: Berth) -> Dropped {
    var places: [Int] = []
    unsafe forEachRun(berth) { place, _ in places.append(place) }
    var dropped = unsafe Dropped(berth.type, room: count(berth))
    for place in places { unsafe takeOut(place, &dropped) }
    unsafe berth.last = Berth.none
    unsafe compact()
    return unsafe dropped
  }

  /// Takes out the oldest payload of a member with a bound.
  mutating func takeOldest(_ berth: Berth) -> Dropped {
    var dropped = unsafe Dropped(berth.type, room: 1)
    guard let place = unsafe berth.bound?.removeFirst() else { return unsafe dropped }
    unsafe takeOut(place, &dropped)
    if unsafe berth.last == place { unsafe berth.last = Berth.none }
    unsafe compact()
    return unsafe dropped
  }

  private mutating func takeOut(_ place: Int, _ dropped: inout Dropped) {
    let block = unsafe block(place)
    let run = unsafe Self.run(place, block)
    let kind = unsafe run.pointee.kind
    let bytes: Int
    if kind.isNote {
      bytes = MemoryLayout<AnyObject>.stride
      unsafe dropped.takeNote(Run.payloads(run, 8))
    } else {
      let room = unsafe Run.payloads(run, dropped.type.alignment)
      let begin = unsafe UnsafeMutableRawPointer(run + 1)
      bytes = unsafe room - begin + kind.count * dropped.type.stride
      unsafe dropped.take(room, kind.count)
    }
    if kind.isHere { unsafe forgetHere(kind.count, place, block) }
    unsafe run.pointee.member = nil
    unsafe run.pointee.info = UInt32(bytes)
    unsafe deadBytes += MemoryLayout<Run<Member>>.size + bytes
    if unsafe openRun == place { unsafe openRun = nil }
  }

  private mutating func forgetHere(_ count: Int, _ place: Int, _ block: Block) {
    unsafe here -= count
    if let open = unsafe open, place >= open.place {
      unsafe self.open?.segment.here -= UInt16(count)
      return
    }
    // The segment that the run is in; a block has some hundred at most.
    var begin = unsafe block.base
    while true {
      let pointer = unsafe (block.memory + (begin - block.base)).assumingMemoryBound(
        to: Segment.self)
      let end = unsafe begin + Int(pointer.pointee.bytes)
      if place < end {
        unsafe pointer.pointee.here -= UInt16(count)
        return
      }
      begin = end
    }
  }

  /// Moves what is left together if most of it was taken out, so that the memory follows what waits.
  private mutating func compact() {
    guard unsafe deadBytes > Self.keptBytes, unsafe deadBytes * 2 > tail - head else { return }
    unsafe closeSegment()
    var next = unsafe Backlog(limit: limit)
    unsafe (next.head, next.tail) = unsafe (tail, tail)
    for index in unsafe exhausted..<blocks.count {
      let block = unsafe blocks[index]
      let end = unsafe index + 1 < blocks.count ? blocks[index + 1].base : tail
      var place = unsafe max(block.base, head)
      while place < end {
        let start = unsafe block.memory + (place - block.base)
        let segment = unsafe start.load(as: Segment.self)
        var hand = unsafe Hand<Member>(start, segment, place: place)
        while let run = unsafe hand.nextRun() { unsafe next.move(run) }
        place += Int(segment.bytes)
      }
    }
    unsafe shrink()
    unsafe (next.spare, next.inHand) = unsafe (spare, inHand)
    unsafe self = unsafe next
  }

  private mutating func move(_ run: Hand<Member>.Next) {
    let member = unsafe run.member.takeUnretainedValue()
    guard let berth = member.berth else { return }
    let (stride, alignment) =
      unsafe run.kind.isNote ? (8, 8) : (berth.type.stride, berth.type.alignment)
    if unsafe berth.last < head { unsafe berth.bound?.removeAll() }
    let room = unsafe beginRun(member, berth, run.kind, run.kind.count * stride, alignment)
    if unsafe run.kind.isNote {
      unsafe room.copyMemory(from: run.payloads, byteCount: stride)
    } else {
      unsafe berth.type.handling.move(run.payloads, to: room, count: run.kind.count)
      if unsafe berth.bound != nil { unsafe berth.bound?.append(berth.last) }
    }
  }
}
