// Readers inside of readers of the same list, on one thread.

extension SnapshotReader {
  /// Finds the reader of the same list that `reader` is inside of, if there is one.
  @inline(never)
  static func join<Element: SnapshotElement>(
    _ reader: UnsafeMutablePointer<SnapshotReader>, _: Element.Type
  ) {
    guard let outer = unsafe innermost(of: reader.pointee.list) else { return }
    unsafe reader.pointee.outerOfList = outer
    unsafe reader.pointee.depth = outer.pointee.depth + 1
    unsafe pinOuter(reader, 1, Element.self)
  }

  /// Adds to the calls, further out, of the element that the outer reader is calling.
  @inline(never)
  static func pinOuter<Element: SnapshotElement>(
    _ reader: UnsafeMutablePointer<SnapshotReader>, _ change: Int, _: Element.Type
  ) {
    guard let called = unsafe reader.pointee.outerOfList?.pointee.calling else { return }
    // The outer reader keeps it.
    unsafe Unmanaged<Element>.fromOpaque(called)._withUnsafeGuaranteedRef { $0.pin(change) }
  }
}

extension SnapshotLedger {
  /// Whether all readers that may see `element`, which was removed, are the calling thread's own,
  /// and none of them calls it.
  ///
  /// They are readers of past generations: of its own one, the calling thread's readers would be,
  /// too.
  func isQuiet(_ element: some SnapshotElement, in list: ObjectIdentifier) -> Bool {
    guard let reader = unsafe SnapshotReader.innermost(of: list) else { return insidePast == 0 }
    let pointer = unsafe Unmanaged.passUnretained(element).toOpaque()
    return unsafe insidePast == reader.pointee.depth && reader.pointee.calling != pointer
      && !element.isPinned
  }
}

extension UInt64 {
  /// Of a list's entrances: the generation, and how many readers are inside.
  var generation: UInt32 { UInt32(truncatingIfNeeded: self >> 32) }
  var inside: Int { Int(UInt32(truncatingIfNeeded: self)) }
}
