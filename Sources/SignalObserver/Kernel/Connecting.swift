extension SnapshotList {
  /// Calls `body` with every element, in order, as a reader.
  func forEach(_ body: (Element) -> Void) {
    unsafe read { reader in
      for index in unsafe 0..<reader.pointee.count {
        guard let element = unsafe reader.pointee[index] else { continue }
        // By rule 4, also if `body` removes it.
        unsafe Unmanaged<Element>.fromOpaque(element)._withUnsafeGuaranteedRef { body($0) }
      }
    }
  }
}

extension SnapshotList where Element == SignalObserver {
  /// Called, and not inlined: another module would look the generic type up each time.
  @usableFromInline
  static func make() -> ConnectionList { ConnectionList() }

  // MARK: - Connecting

  /// Connects a slot, or returns an observer that is cancelled if the emitter is gone.
  @usableFromInline
  func attach(_ request: SlotRequest) -> SignalObserver {
    let observer = makeObserver(request)
    attach(observer)
    return observer
  }

  /// The observer of a connection that waits for ``attach(_:)-(SignalObserver)``, which must
  /// follow.
  @usableFromInline
  func makeObserver(_ request: SlotRequest) -> SignalObserver {
    let (lane, berth) = Places.berth(request) ?? (nil, nil)
    return SignalObserver(request, self, lane, berth)
  }

  /// Connects the slot of `observer`, or ends its connection if the emitter is gone.
  ///
  /// Once for each; on one that was cancelled before, it has no effect.
  @usableFromInline
  func attach(_ observer: SignalObserver) {
    while true {
      switch append(observer) {
      case .done:
        // It was cancelled before it could be found. If that happens only now, both take it out,
        // which one of them does.
        if observer.isEnded { _ = remove(observer) }
        return
      case .finished: return observer.end()
      case .full:
        // Dead targets are looked for when memory would have to grow, which keeps connecting O(1)
        // amortised and bounds the dead slots of a signal that never emits. Outside the lock, since
        // letting go of a target may run its `deinit`.
        forEach { $0.endIfOver() }
        makeRoom()
      }
    }
  }

  // MARK: - Ending

  /// Cancels every observer, when the list is no longer being read, so that each lets go of its
  /// captures.
  func cancelAll() {
    var observers: [SignalObserver] = []
    forEach { observers.append($0) }
    for observer in observers { observer.end() }
  }

  /// Ends the connections of one target.
  func cancelAll(of target: AnyObject) {
    forEach { if $0.target === target { $0.end() } }
  }

  /// Refuses slots from now on, and ends each connection when its pending payloads are delivered.
  @usableFromInline
  func finish() {
    let (observers, areUnseen) = takeAll()
    for (index, observer) in observers.enumerated() {
      observer.finish()
      if areUnseen?[index] ?? true { observer.becameUnseen() }
    }
  }
}

extension SignalObserver {
  /// Ends the connection after its pending payloads have been delivered (guarantee 10).
  ///
  /// No emission will follow.
  fileprivate func finish() {
    if let lane, let berth,
      let added = unsafe lane.add(note: LastDelivery(self), after: self, berth)
    {
      unsafe lane.act(on: added, for: self)
    } else {
      end(isTakenOut: true)
    }
  }
}

/// Waits behind the payloads that were emitted before the emitter died, and then ends the
/// connection.
private final class LastDelivery: Sendable {
  private let observer: SignalObserver

  init(_ observer: SignalObserver) { self.observer = observer }

  deinit { observer.cancel() }
}
