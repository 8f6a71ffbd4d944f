// Takes the payloads of one member out of the middle of a backlog.

extension Backlog {
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
    if unsafe berth.last == place { unsafe berth.last = Berth.unknown }
    unsafe compact()
    return unsafe dropped
  }

  private mutating func takeOut(_ place: Int, _ dropped: inout Dropped) {
    let run = unsafe run(place)
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
    if kind.isHere { unsafe forgetHere(kind.count, place) }
    unsafe run.pointee.member = nil
    unsafe run.pointee.info = UInt32(bytes)
    unsafe deadBytes += MemoryLayout<Run<Member>>.size + bytes
    unsafe closeRun(place)
  }

  /// Moves what is left together if most of it was taken out, so that the memory follows what
  /// waits.
  private mutating func compact() {
    guard unsafe deadBytes > Blocks.keptBytes, unsafe deadBytes * 2 > tail - head else { return }
    unsafe closeSegment()
    var next = unsafe Backlog(limit: limit)
    unsafe (next.head, next.tail) = unsafe (tail, tail)
    for index in unsafe blocks.indices {
      let block = unsafe blocks[index]
      let end = unsafe index + 1 < blocks.indices.upperBound ? blocks[index + 1].base : tail
      var place = unsafe max(block.base, head)
      while place < end {
        let start = unsafe block.memory + (place - block.base)
        let segment = unsafe start.load(as: Segment.self)
        var hand = unsafe Hand<Member>(start, segment, place: place)
        while let run = unsafe hand.nextRun() { unsafe next.move(run) }
        place += Int(segment.bytes)
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
