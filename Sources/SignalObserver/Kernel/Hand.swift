import CSignalObserver

/// The header of a segment of a ``Backlog``, the part that a drain takes at a time.
struct Segment {
  /// After so many deliveries, the other work of a place has its turn (guarantee 14).
  static var limit: Int { 128 }
  /// A drain that takes so many payloads, and leaves none, is in a flood: payloads come about as
  /// fast as they are delivered.
  static var flood: Int { 8 }

  var bytes: UInt32 = 0
  var count: UInt16 = 0
  /// How many of the payloads were emitted where their slot could have run at once.
  var here: UInt16 = 0
}

/// The count and the kind of a run, in 32 bits.
struct RunKind {
  private static var hereBit: UInt32 { 1 << 30 }
  private static var noteBit: UInt32 { 1 << 31 }

  let info: UInt32

  init(info: UInt32) { self.info = info }

  init(count: Int, isHere: Bool = false, isNote: Bool = false) {
    info = UInt32(count) | (isHere ? Self.hereBit : 0) | (isNote ? Self.noteBit : 0)
  }

  var count: Int { Int(info & 0xFFFF) }
  /// Whether the payloads were emitted where their slot could have run at once.
  var isHere: Bool { info & Self.hereBit != 0 }
  /// Whether there is an object to be released instead of payloads.
  var isNote: Bool { info & Self.noteBit != 0 }
}

/// At the beginning of a run: consecutive payloads of one member.
@unsafe
struct Run<Member: LaneMember> {
  /// Nil if the payloads were taken out.
  ///
  /// Not counted, because that would be two contended operations a payload. The connection that
  /// ends takes its runs out. ``Lane/remove(_:_:)`` looks after the runs that a drain has taken.
  var member: Unmanaged<Member>?
  /// How far before this one the run of the same member is or was, in units of 8 bytes.
  var distance: UInt32
  /// A ``RunKind``, or the number of bytes after the header if the payloads were taken out.
  var info: UInt32

  var kind: RunKind { unsafe RunKind(info: info) }

  /// There was none.
  static var noDistance: UInt32 { 0 }
  /// It was taken out, or moved, or is too far away.
  static var unknownDistance: UInt32 { .max }

  static func distance(from last: Int, to offset: Int) -> UInt32 {
    if last == Berth.none { return unsafe noDistance }
    return unsafe last < 0 ? unknownDistance : UInt32(clamping: (offset - last) / 8)
  }

  static func payloads(
    _ run: UnsafeMutablePointer<Run>, _ alignment: Int
  ) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(run + 1).alignedUp(toMultipleOf: max(8, alignment))
  }
}

/// A segment that a drain has taken out of the lock's reach, and how far it has come.
@unsafe
struct Hand<Member: LaneMember> {
  @unsafe
  struct Next {
    let member: Unmanaged<Member>
    let kind: RunKind
    let payloads: UnsafeMutableRawPointer
  }

  private var cursor: UnsafeMutableRawPointer
  private let end: UnsafeMutableRawPointer
  private let start: UnsafeMutableRawPointer
  /// How many payloads there are, or were before they were taken out.
  let count: Int
  /// Where the segment begins and ends.
  let offsets: Range<Int>
  /// The payloads emitted where their slot could have run at once that are not delivered yet.
  var here: Int
  /// The offset of the run that is being delivered, and how many of its payloads come after the one
  /// that is.
  private(set) var run = -1
  var restOfRun = 0
  private(set) var deadBytes = 0
  /// Whether the drain that has it must come again.
  var comesAgain = false
  /// Whether nothing waited behind it when it was taken.
  var isLast = false

  init(_ start: UnsafeMutableRawPointer, _ segment: Segment, offset: Int) {
    unsafe self.start = start
    unsafe cursor = start + MemoryLayout<Segment>.size
    unsafe end = start + Int(segment.bytes)
    unsafe offsets = offset..<offset + Int(segment.bytes)
    unsafe here = Int(segment.here)
    unsafe count = Int(segment.count)
  }

  /// The next run that was not taken out.
  mutating func nextRun() -> Next? {
    while unsafe end - cursor >= MemoryLayout<Run<Member>>.size {
      let run = unsafe cursor.assumingMemoryBound(to: Run<Member>.self)
      unsafe self.run = unsafe offsets.lowerBound + (cursor - start)
      guard let member = unsafe run.pointee.member else {
        let bytes = unsafe Int(run.pointee.info)
        unsafe deadBytes += MemoryLayout<Run<Member>>.size + bytes
        unsafe skip(UnsafeMutableRawPointer(run + 1) + bytes)
        continue
      }
      let kind = unsafe run.pointee.kind
      // A run is of a member that has a berth.
      let type = unsafe member._withUnsafeGuaranteedRef { $0.payloadType }
      let payloads = unsafe Run.payloads(run, kind.isNote ? 8 : type.alignment)
      unsafe skip(payloads + kind.count * (kind.isNote ? 8 : type.stride))
      unsafe restOfRun = kind.count
      return unsafe Next(member: member, kind: kind, payloads: payloads)
    }
    return nil
  }

  private mutating func skip(_ next: UnsafeMutableRawPointer) {
    unsafe cursor = next.alignedUp(toMultipleOf: 8)
  }

  /// Whether a payload of the member comes after the one that is being delivered.
  func isPending(_ berth: Berth) -> Bool {
    unsafe offsets.contains(berth.last) && (berth.last > run || berth.last == run && restOfRun > 0)
  }
}

/// Payloads and notes of one member that were taken out under a lock, to be released after it.
@unsafe
struct Dropped {
  let type: PayloadType
  private var memory: UnsafeMutableRawPointer?
  private var count = 0
  private var notes: [AnyObject] = []

  init(_ type: PayloadType, room: Int) {
    unsafe self.type = type
    if !type.isTrivial, room > 0 {
      unsafe memory = .allocate(byteCount: room * type.stride, alignment: type.alignment)
    }
  }

  mutating func take(_ payloads: UnsafeMutableRawPointer, _ count: Int) {
    guard let memory = unsafe memory else { return }
    unsafe type.handling.move(payloads, to: memory + self.count * type.stride, count: count)
    unsafe self.count += count
  }

  mutating func takeNote(_ note: UnsafeMutableRawPointer) {
    let pointer = unsafe note.load(as: UnsafeMutableRawPointer.self)
    unsafe notes.append(Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue())
  }

  /// Not under a lock: this may run anybody's code.
  consuming func release() {
    if let memory = unsafe memory {
      unsafe type.handling.destroy(memory, count: count)
      unsafe memory.deallocate()
    }
    unsafe withExtendedLifetime(notes) {}
  }
}

/// A drain in progress, on the stack of the thread that makes it.
///
/// Pointers into it are valid for the duration of the drain; only the thread that owns the stack
/// follows them.
@unsafe
struct DrainRecord<Member: LaneMember> {
  /// For comparison only.
  let lane: ObjectIdentifier
  let hand: UnsafeMutablePointer<Hand<Member>>
  /// The member that is being called, if one is.
  var calling: UnsafeMutableRawPointer?
  let outer: UnsafeMutableRawPointer?

  /// The drain of `lane` that the calling thread is inside of.
  static func innermost(of lane: ObjectIdentifier) -> UnsafeMutablePointer<DrainRecord>? {
    var pointer = unsafe signal_observer_get_drain()
    while let record = unsafe pointer?.assumingMemoryBound(to: DrainRecord.self) {
      if unsafe record.pointee.lane == lane { return unsafe record }
      unsafe pointer = record.pointee.outer
    }
    return nil
  }
}
