public import Synchronization

/// An ordered list that is read without a lock while others append and remove.
///
/// Four rules make that safe:
///
///  1. **A buffer only grows at its end.** An appended element is stored before the count that
///     covers it. A removed element leaves a hole. When a buffer is full or has many holes, its
///     elements move to a new one; readers of the old one go on with it.
///  2. **Readers count themselves in.** `entrances` holds a generation and the number of readers
///     that entered in it and have not left. A removal writes to it as well, if only by adding
///     zero: of a reader and a removal, one sees the other.
///  3. **A reader sees nothing that is younger than its generation.** `stamp` is the generation of
///     the newest append. It is written before the appended element, and read after it: a reader
///     that finds it newer leaves and enters again.
///  4. **A removed element goes when nobody can see it.** If readers are inside, the next
///     generation begins, and the removed object is kept with the oldest generation that has
///     readers inside and that is not older than the object. From there it moves to younger ones up
///     to the generation of its removal, and then goes. Later readers are not waited for, and a
///     reader that never leaves keeps only the elements that it could see.
///
/// An element's *content* need not wait that long: ``SnapshotElement/becameUnseen()`` is called at
/// once if all readers inside are the calling thread's own, and none of them calls the element.
@safe
@usableFromInline
final class SnapshotList<Element: SnapshotElement>: Sendable {
  // MARK: - State
  //
  // The fields of readers come first, and the ledger last. Other objects may come after this one in
  // memory, and a reader would wait for a cache line that it shared with one that changes often.

  /// The number of elements, written under the lock; zero answers a reader without entering.
  @usableFromInline let live = Atomic<Int>(0)
  /// The current buffer, owned by the ledger: releasing store under the lock, acquiring load in
  /// readers.
  private let published = unsafe Atomic<Unmanaged<SnapshotBuffer>?>(nil)
  /// Rule 3, written under the lock; relaxed, because the releasing stores of ``published`` and of
  /// the buffer's count order it.
  private let stamp: Atomic<UInt32>
  /// Whether readers of earlier generations are inside; written under the lock, before `entrances`
  /// moves on.
  private let hasPast = Atomic<Bool>(false)
  /// High half: the generation, as the lowest 32 bits of its number.
  ///
  /// Low half: readers that entered in it and are inside.
  ///
  /// Entering acquires earlier removals, and leaving releases, so that a removal that finds nobody
  /// inside comes after all that readers did.
  private let entrances: Atomic<UInt64>
  private let ledger: Lock<SnapshotLedger>

  /// Begins in `generation`: tests begin where the lowest 32 bits wrap around.
  @usableFromInline
  init(generation: UInt64 = 1) {
    ledger = Lock(SnapshotLedger(generation: generation))
    stamp = Atomic(UInt32(truncatingIfNeeded: generation))
    entrances = Atomic(generation << 32)
  }

  // MARK: - Reading

  @inlinable
  // ordering: nothing is reached by the number; a reader that finds another enters, which acquires
  var isEmpty: Bool { live.load(ordering: .acquiring) == 0 }

  /// Calls `body` with a reader, which is in the thread's chain meanwhile; not at all if the list
  /// is empty.
  @inline(__always)
  func read(_ body: (UnsafeMutablePointer<SnapshotReader>) -> Void) {
    if isEmpty { return }
    while true {
      // ordering: entering hands on nothing; it passes on an earlier removal's release in any case
      let before = entrances.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      if let buffer = unsafe published.load(ordering: .acquiring), isCurrent(before.generation) {
        let count = unsafe buffer._withUnsafeGuaranteedRef { $0.count }
        if isCurrent(before.generation) {
          let outer = unsafe SnapshotReader.current
          var reader = unsafe SnapshotReader(
            list: ObjectIdentifier(self), buffer: buffer, count: count, outer: outer)
          unsafe withUnsafeMutablePointer(to: &reader) { reader in
            if unsafe outer != nil, before.inside != 0 || hasPast.load(ordering: .relaxed) {
              unsafe SnapshotReader.join(reader, Element.self)
            }
            unsafe SnapshotReader.current = reader
            unsafe body(reader)
            unsafe SnapshotReader.current = outer
            if unsafe reader.pointee.outerOfList != nil {
              unsafe SnapshotReader.pinOuter(reader, -1, Element.self)
            }
          }
          return leave(before &+ 1)
        }
      }
      leave(before &+ 1)
      if isEmpty { return }
    }
  }

  /// Whether nothing was appended in a later generation than this: the difference is taken in a
  /// circle.
  @inline(__always)
  private func isCurrent(_ generation: UInt32) -> Bool {
    Int32(bitPattern: generation &- stamp.load(ordering: .relaxed)) >= 0
  }

  /// Counts a reader out that was counted in with `entrance`.
  @inline(__always)
  private func leave(_ entrance: UInt64) {
    // Most often nobody has come or gone meanwhile, so the first guess needs no look.
    var now = entrance
    repeat {
      let (exchanged, original) = entrances.weakCompareExchange(
        expected: now, desired: now &- 1, successOrdering: .releasing, failureOrdering: .relaxed)
      if exchanged { return }
      now = original
    } while now.generation == entrance.generation
    leavePast(entrance.generation)
  }

  @inline(never)
  private func leavePast(_ generation: UInt32) {
    let gone = ledger.withLock { ledger in
      let gone = ledger.leave(generation)
      hasPast.store(!ledger.past.isEmpty, ordering: .relaxed)
      return gone
    }
    // After the lock: letting go may run anybody's code.
    for kept in gone {
      if let buffer = kept.buffer { unsafe plainEnd(UnsafeRawPointer(buffer.elements), "a buffer") }
      // It is one of this list's.
      if let element = kept.element {
        unsafe unsafeDowncast(element, to: Element.self).becameUnseen()
      }
    }
  }

  // MARK: - Appending and removing

  /// Adds `element` behind the others, unless the list is full or finished.
  func append(_ element: Element) -> SnapshotLedger.Appended {
    ledger.withLock { ledger in
      guard !ledger.isFinished else { return .finished }
      guard ledger.hasRoom else { return .full }
      stamp.store(ledger.word, ordering: .relaxed)
      ledger.append(element)
      // ordering: as where it is read, nothing is reached by it
      live.store(live.load(ordering: .relaxed) + 1, ordering: .releasing)
      return .done
    }
  }

  /// Makes room for one more element at least.
  func makeRoom() {
    // After the lock, as below: objects that were kept with it may go, too.
    withExtendedLifetime(ledger.withLock { $0.hasRoom ? nil : move(&$0) }) {}
  }

  /// Takes `element` out, if it is in, and returns it with the list's reference.
  ///
  /// ``SnapshotElement/becameUnseen()`` has then been called, or will be.
  func remove(_ element: Element) -> Element? {
    let (owned, isUnseen, _) = ledger.withLock {
      ledger -> (Element?, isUnseen: Bool, SnapshotBuffer?) in
      // One that never was in has not been seen.
      guard let owned = ledger.take(element) else { return unsafe (nil, element.birth == 0, nil) }
      // ordering: as where it is read, nothing is reached by it
      live.store(live.load(ordering: .relaxed) - 1, ordering: .releasing)
      let isUnseen =
        unsafe !keep(owned, nil, birth: owned.birth, &ledger)
        || ledger.isQuiet(owned, in: ObjectIdentifier(self))
      return (owned, isUnseen, ledger.hasManyHoles ? move(&ledger) : nil)
    }
    if isUnseen { element.becameUnseen() }
    return owned
  }

  /// Looks again at `element`, which was removed while this thread was calling it, now that the
  /// call has returned.
  @inline(never)
  func endCall(of element: Element) {
    let isUnseen = ledger.withLock { ledger in
      unsafe element.position == .max && ledger.isQuiet(element, in: ObjectIdentifier(self))
    }
    if isUnseen { element.becameUnseen() }
  }

  /// Takes all elements out, for good, and returns them, and whether nobody calls them, or will: of
  /// all, if there are no readers, or of each.
  func takeAll() -> (elements: [Element], areUnseen: [Bool]?) {
    ledger.withLock { ledger in
      ledger.isFinished = true
      guard let buffer = ledger.buffer else { return ([], nil) }
      let elements = ledger.takeAll(Element.self)
      // ordering: as where it is read, nothing is reached by it
      live.store(0, ordering: .releasing)
      // ordering: nothing is reached by nil
      unsafe published.store(nil, ordering: .releasing)
      // Trivial to release under the lock: it owns no element.
      _ = keep(nil, buffer, birth: buffer.birth, &ledger)
      if ledger.past.isEmpty { return (elements, nil) }
      let areUnseen = elements.map { element in
        unsafe !ledger.keepWithPast(element, nil, birth: element.birth)
          || ledger.isQuiet(element, in: ObjectIdentifier(self))
      }
      return (elements, areUnseen)
    }
  }

  // MARK: - Under the lock

  /// Moves the elements to a new buffer without holes and with room to grow.
  ///
  /// Returns the old one if nobody can see it, to be released after the lock.
  private func move(_ ledger: inout SnapshotLedger) -> SnapshotBuffer? {
    let old = ledger.buffer
    ledger.move(Element.self)
    stamp.store(ledger.word, ordering: .relaxed)
    unsafe published.store(
      ledger.buffer.map { unsafe Unmanaged.passUnretained($0) }, ordering: .releasing)
    guard let old, !keep(nil, old, birth: old.birth, &ledger) else { return nil }
    unsafe plainEnd(UnsafeRawPointer(old.elements), "a buffer")
    return old
  }

  /// Rule 4 for an element or a buffer that nobody can find any more: returns whether it is kept.
  private func keep(
    _ element: Element?, _ buffer: SnapshotBuffer?, birth: UInt64,
    _ ledger: inout SnapshotLedger
  ) -> Bool {
    // The readers of this generation. A write, although it adds zero: a reader that is not counted
    // enters later, and finds the element gone.
    if entrances.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue.inside > 0 {
      // Before the generation moves on, so that readers of the next one know.
      hasPast.store(true, ordering: .relaxed)
      let ended = ledger.beginGeneration()
      let distance = ledger.word &- stamp.load(ordering: .relaxed)
      // Half a circle away it would seem to be ahead.
      if distance > 1 << 30 { stamp.store(ledger.word &- 1, ordering: .relaxed) }
      let before = entrances.exchange(UInt64(ledger.word) << 32, ordering: .acquiringAndReleasing)
      ledger.end(ended, inside: before.inside)
      hasPast.store(!ledger.past.isEmpty, ordering: .relaxed)
    }
    return ledger.keepWithPast(element, buffer, birth: birth)
  }
}
