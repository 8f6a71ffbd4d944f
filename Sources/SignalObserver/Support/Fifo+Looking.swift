extension Fifo {
  @inlinable
  var count: Int {
    front.count + (older.count + newer.count) * Self.chunkCount + back.count
  }

  /// The oldest element.
  @inlinable
  var first: Element? {
    front.last ?? older.last?.first ?? newer.first?.first ?? back.first
  }
}
