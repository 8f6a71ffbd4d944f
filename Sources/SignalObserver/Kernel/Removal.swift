// Takes the payloads of one member out of the middle of a backlog.

extension Backlog {
  /// Takes out everything of one member that no drain has taken.
  mutating func takeOut(_ berth: Berth) -> Dropped {
    var offsets: [Int] = []
    unsafe forEachRun(berth) { offset, _ in offsets.append(offset) }
    var dropped = unsafe Dropped(berth.type, room: count(berth))
    for offset in offsets { unsafe takeOut(offset, &dropped) }
    unsafe berth.last = Berth.none
    unsafe compact()
    return unsafe dropped
  }

  /// Takes out the oldest payload of a member with a bound.
  mutating func takeOldest(_ berth: Berth) -> Dropped {
    var dropped = unsafe Dropped(berth.type, room: 1)
    guard let offset = unsafe berth.bound?.removeFirst() else { return unsafe dropped }
    unsafe takeOut(offset, &dropped)
    if unsafe berth.last == offset { unsafe berth.last = Berth.unknown }
    unsafe compact()
    return unsafe dropped
  }

  private mutating func takeOut(_ offset: Int, _ dropped: inout Dropped) {
    let run = unsafe run(offset)
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
    if kind.isHere { unsafe forgetHere(kind.count, offset) }
    unsafe run.pointee.member = nil
    unsafe run.pointee.info = UInt32(bytes)
    unsafe deadBytes += MemoryLayout<Run<Member>>.size + bytes
    unsafe closeRun(offset)
  }

  /// Moves the payloads that are left together if most were taken out, so that the memory follows
  /// the number of pending payloads.
  private mutating func compact() {
    guard unsafe deadBytes > Blocks.keptBytes, unsafe deadBytes * 2 > tail - head else { return }
    unsafe closeSegment()
    var next = unsafe Backlog(limit: limit)
    unsafe (next.head, next.tail) = unsafe (tail, tail)
    for index in unsafe blocks.indices {
      let block = unsafe blocks[index]
      let end = unsafe index + 1 < blocks.indices.upperBound ? blocks[index + 1].base : tail
      var offset = unsafe max(block.base, head)
      while offset < end {
        let start = unsafe block.memory + (offset - block.base)
        let segment = unsafe start.load(as: Segment.self)
        var hand = unsafe Hand<Member>(start, segment, offset: offset)
        while let run = unsafe hand.nextRun() { unsafe next.move(run) }
        offset += Int(segment.bytes)
      }
    }
    unsafe blocks.shrink()
    unsafe next.blocks.inherit(blocks)
    unsafe self = unsafe next
  }

  private mutating func move(_ run: Hand<Member>.Next) {
    let member = unsafe run.member.takeUnretainedValue()
    guard let berth = member.berth else { return }
    let (stride, alignment) =
      unsafe run.kind.isNote ? (8, 8) : (berth.type.stride, berth.type.alignment)
    if unsafe berth.last < head {
      unsafe berth.last = Berth.unknown
      unsafe berth.bound?.removeAll()
    }
    let room = unsafe beginRun(member, berth, run.kind, run.kind.count * stride, alignment)
    unsafe closeRun(berth.last)
    if unsafe run.kind.isNote {
      unsafe room.copyMemory(from: run.payloads, byteCount: stride)
    } else {
      unsafe berth.type.handling.move(run.payloads, to: room, count: run.kind.count)
      if unsafe berth.bound != nil { unsafe berth.bound?.append(berth.last) }
    }
  }
}
