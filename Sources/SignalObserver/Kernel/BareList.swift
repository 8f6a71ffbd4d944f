// For the schedule explorer (`Proof/README.md`); empty in a normal build.

#if SO_EXPLORE
  import Synchronization

  /// A ``SnapshotList`` by itself: its elements are read as an emission reads slots, and do nothing
  /// else.
  package final class BareList: Sendable {
    private let list: SnapshotList<BareElement>

    package init(generation: UInt64 = 1) { list = SnapshotList(generation: generation) }

    /// Returns the new element, or nil if the list is finished.
    @discardableResult
    package func append(_ name: Int) -> BareElement? {
      let element = BareElement(name)
      while true {
        switch list.append(element) {
        case .done: return element
        case .finished: return nil
        case .full: list.makeRoom()
        }
      }
    }

    package func remove(_ element: BareElement) {
      element.isEnded.store(true, ordering: .relaxed)
      let owned = list.remove(element)
      withExtendedLifetime(owned) {}
    }

    package func finish() {
      let (elements, areUnseen) = list.takeAll()
      for (index, element) in elements.enumerated() {
        element.isEnded.store(true, ordering: .relaxed)
        if areUnseen?[index] ?? true { element.becameUnseen() }
      }
    }

    /// Calls `body` with the elements that have not ended, in order.
    package func read(_ body: (BareElement) -> Void) {
      unsafe list.read { reader in
        for index in unsafe 0..<reader.pointee.count {
          guard let pointer = unsafe reader.pointee[index] else { continue }
          unsafe Unmanaged<BareElement>.fromOpaque(pointer)._withUnsafeGuaranteedRef { element in
            if element.isEnded.load(ordering: .relaxed) { return }
            unsafe reader.pointee.calling = pointer
            plainRead(element, "an element")
            body(element)
            plainRead(element, "an element")
            unsafe reader.pointee.calling = nil
            if element.isEnded.load(ordering: .relaxed) { list.endCall(of: element) }
          }
        }
      }
    }
  }

  /// An element of a ``BareList``, which may not be looked at once it is unseen.
  ///
  /// `@unchecked Sendable`: two fields are guarded by the list's lock, the others are constant or
  /// atomic.
  package final class BareElement: SnapshotElement, @unchecked Sendable {
    package let name: Int
    @usableFromInline var position = UInt32.max
    @usableFromInline var birth: UInt64 = 0
    private let pins = Atomic<Int>(0)
    // Relaxed, as all atomics here: the list orders the uses of its elements.
    fileprivate let isEnded = Atomic<Bool>(false)
    private let unseen = Atomic<Bool>(false)

    fileprivate init(_ name: Int) {
      self.name = name
      plainBegin(self, "an element")
    }

    package var isUnseen: Bool { unseen.load(ordering: .relaxed) }

    @usableFromInline func pin(_ change: Int) { pins.wrappingAdd(change, ordering: .relaxed) }

    @usableFromInline var isPinned: Bool { pins.load(ordering: .relaxed) != 0 }

    @usableFromInline
    func becameUnseen() {
      if !unseen.exchange(true, ordering: .relaxed) { plainEnd(self, "an element") }
    }
  }
#endif
