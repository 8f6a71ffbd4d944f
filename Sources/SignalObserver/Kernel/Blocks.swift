/// The memory of a ``Backlog``, in blocks: payloads are added at the end and taken from the front.
///
/// An *offset* is a number of bytes since the lane's beginning. Each block has the offsets from its
/// base on, and only the last one has room left.
@unsafe
struct Blocks {
  @unsafe
  struct Block {
    let memory: UnsafeMutableRawPointer
    let capacity: Int
    /// The offset of its first byte.
    let base: Int
  }

  /// So large that the system's allocator gives them back one by one.
  private static var largestBlock: Int { 1 << 20 }
  /// The bytes that an idle lane keeps; 4 KiB with the allocator's own.
  static var keptBytes: Int { 4096 - 64 }

  /// The offset where the last block ends, and the address that offset 0 would have if that block
  /// began there.
  private(set) var end = 0
  private var origin = 0
  /// From the oldest.
  private var blocks: [Block] = unsafe []
  /// Of `blocks`, how many are exhausted and given away.
  private var exhausted = 0
  private var spare: Block?
  /// The block that a drain has a part of, and whether it is not in `blocks` any more.
  private var inHand: (block: Block, isOwned: Bool)?

  // MARK: - Looking

  var indices: Range<Int> { unsafe exhausted..<blocks.count }

  subscript(index: Int) -> Block { unsafe blocks[index] }

  /// The address of an offset in the last block.
  @inline(__always)
  func addressInLast(_ offset: Int) -> UnsafeMutableRawPointer {
    // Never zero: there is memory.
    unsafe UnsafeMutableRawPointer(bitPattern: origin &+ offset).unsafelyUnwrapped
  }

  func address(_ offset: Int) -> UnsafeMutableRawPointer {
    let block = unsafe block(offset)
    return unsafe block.memory + (offset - block.base)
  }

  /// The block of an offset that was not taken.
  func block(_ offset: Int) -> Block {
    var (low, high) = unsafe (exhausted, blocks.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if unsafe blocks[middle].base <= offset { low = middle } else { high = middle - 1 }
    }
    return unsafe blocks[low]
  }

  // MARK: - Changing

  /// Adds a block with room for `need` bytes behind `tail`.
  mutating func add(_ need: Int, head: Int, tail: Int) {
    // Half as much as is pending already, so that two thirds of the memory are in use, or more.
    var capacity = unsafe max(need, min(max(1024, (tail - head) / 2), Self.largestBlock))
    let memory: UnsafeMutableRawPointer
    if let spare = unsafe spare, unsafe spare.capacity >= need {
      unsafe (memory, capacity) = unsafe (spare.memory, spare.capacity)
      unsafe self.spare = nil
    } else {
      unsafe memory = .allocate(byteCount: capacity, alignment: 16)
    }
    unsafe reach(memory, capacity, from: tail)
    unsafe giveAway(before: head)
  }

  /// Makes a block the last one.
  private mutating func reach(_ memory: UnsafeMutableRawPointer, _ capacity: Int, from base: Int) {
    unsafe blocks.append(Block(memory: memory, capacity: capacity, base: base))
    unsafe end = base + capacity
    unsafe origin = Int(bitPattern: memory) &- base
  }

  /// Lets a drain have the part that begins at `head`; returns its address.
  mutating func hold(_ head: Int) -> UnsafeMutableRawPointer {
    unsafe giveAway(before: head)
    let block = unsafe blocks[exhausted]
    unsafe inHand = (block, false)
    return unsafe block.memory + (head - block.base)
  }

  /// The drain has given its part back.
  mutating func release() {
    guard let (block, isOwned) = unsafe inHand else { return }
    unsafe inHand = nil
    if isOwned { unsafe giveAway(block) }
  }

  /// Lets go of the blocks before the one that `head` is in.
  mutating func giveAway(before head: Int) {
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

  /// Begins the only block again with the offset `tail`, if an idle lane may keep it.
  ///
  /// In a flood, allocating would cost more than all the rest.
  mutating func restart(at tail: Int) -> Bool {
    guard unsafe blocks.count == 1, unsafe exhausted == 0, unsafe spare == nil,
      unsafe blocks[0].capacity <= Self.keptBytes
    else { return false }
    let block = unsafe blocks.removeLast()
    unsafe reach(block.memory, block.capacity, from: tail)
    return true
  }

  /// Gives the memory back, but for the part that an idle lane may keep.
  mutating func shrink() {
    for index in unsafe indices { unsafe giveAway(blocks[index]) }
    unsafe blocks = []
    unsafe (exhausted, end, origin) = (0, 0, 0)
  }

  /// Gives everything back.
  mutating func free() {
    unsafe shrink()
    if let spare = unsafe spare.take() { unsafe spare.memory.deallocate() }
  }

  /// Takes over the spare block and the block in hand of `other`, whose blocks are empty.
  mutating func inherit(_ other: Blocks) {
    unsafe (spare, inHand) = unsafe (other.spare, other.inHand)
  }
}
