/// Reads files block by block, to tell whether their contents are equal.
///
/// It has two blocks of memory. It opens one file at a time, beside the reference.
struct ContentReader {
  let stopFlag: StopFlag
  private var block = Block()
  private var otherBlock = Block()

  init(_ stopFlag: StopFlag) {
    self.stopFlag = stopFlag
  }

  /// Returns a number that is equal for files with equal first `length` bytes.
  ///
  /// Files with equal numbers are likely to be equal, and may still differ.
  mutating func digest(of file: FoundFile, length: Int) throws -> Int {
    let opened = try OpenFile(file)
    var hasher = Hasher()
    for offset in stride(from: 0, to: length, by: Block.capacity) {
      try stopFlag.check()
      try block.read(opened, at: offset, count: min(length - offset, Block.capacity))
      block.hash(into: &hasher)
    }
    return hasher.finalize()
  }

  /// Whether every byte of `file` equals that of `reference`, which has the same size.
  mutating func isEqual(_ file: FoundFile, to reference: borrowing OpenFile) throws -> Bool {
    let opened = try OpenFile(file)
    for offset in stride(from: 0, to: file.size, by: Block.capacity) {
      try stopFlag.check()
      let count = min(file.size - offset, Block.capacity)
      try block.read(opened, at: offset, count: count)
      try otherBlock.read(reference, at: offset, count: count)
      if !block.hasSameBytes(as: otherBlock) { return false }
    }
    return true
  }
}
