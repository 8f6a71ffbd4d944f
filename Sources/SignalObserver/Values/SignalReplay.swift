/// A source that delivers recent payloads to slots that connect late.
///
/// ``SignalSource/replay(_:fileID:line:)`` makes one, and has an example.
/// ``SignalSource/replayOnce(_:fileID:line:)`` makes one for the first slot alone. It records as
/// long as somebody holds it or a slot is connected to it. Its slots end with the emitter of its
/// source.
public final class SignalReplay<Payload> {
  @usableFromInline let recording: Recording<Payload>
  @usableFromInline let observer: SignalObserver

  @inlinable
  init(
    _ base: some SignalSource<Payload>, _ model: Recording<Payload>.Model,
    _ fileID: StaticString, _ line: UInt32
  ) {
    let recording = Recording<Payload>(model)
    let part = SignalSlot<Payload>(.inline, fileID, line) { recording.receive($0) }
    observer = base.attach(
      part.feeding(recording.list, by: "replay").holding(Finally { recording.finish() }))
    self.recording = recording
  }

  /// The number of payloads that ``SignalSource/replayOnce(_:fileID:line:)`` has dropped, because
  /// its buffer was full and no slot was connected; 0 for ``SignalSource/replay(_:fileID:line:)``.
  public var droppedCount: Int { recording.worklist.read { $0.dropped } }

  /// No slot is connected: a slot would hold this object.
  @inlinable
  deinit {
    observer.cancel()
    recording.worklist.drop()
  }
}

extension SignalReplay: Sendable where Payload: Sendable {}

extension SignalReplay: SignalSource {
  /// Adds a slot behind the others, and delivers the kept payloads to it.
  ///
  /// The connect forms call this. Once the emitter is gone, the returned observer is cancelled from
  /// the start, and the slot is not called.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(*n* + *w*), where *n* is the number of payloads that are kept, and *w* that of
  ///   the connections that wait for their turn while another thread delivers.
  @inlinable
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let kept = Recording<Payload>.Kept(for: self)
    return recording.attach(slot.uncheckedHolding(kept), kept)
  }
}

extension SignalSource {
  /// Makes a source that keeps the last `count` payloads for slots that connect late.
  ///
  /// ```swift
  /// let recent = scored.signal.replay(3)
  /// scored.invoke(1)
  /// recent.connect(on: .inline) { score in print(score) }  // 1, then every new one
  /// ```
  ///
  /// The replay connects to this source at once, and records on the emitting thread. A slot that
  /// connects to the replay gets the kept payloads, in order, and then every new payload. It misses
  /// none, and gets none twice. Payloads are delivered one at a time, like the sets of a value
  /// ([guarantee 16](doc:Guarantees)). If the source is a value, the current value is the first
  /// payload that is kept.
  ///
  /// The replay ends with its connection to this source: when the emitter dies, or when a `prefix`
  /// before the replay is complete. A slot that connects after that gets nothing.
  ///
  /// Use a replay for the last things that happened. A state that late slots need, such as a title,
  /// is an ``EmitterValue``.
  ///
  /// - Parameters:
  ///   - count: The number of payloads to keep.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The source, which holds the payloads that it keeps.
  ///
  /// - Precondition: `count` is not negative.
  /// - Complexity: O(1) for each payload, besides its delivery.
  @inlinable
  public func replay(
    _ count: Int, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalReplay<Payload> {
    precondition(count >= 0, "replay(_:) takes a count of at least 0")
    return SignalReplay(self, Recording.Model(count), fileID, line)
  }

  /// Makes a source that keeps payloads for the first slot, and nothing after that.
  ///
  /// ```swift
  /// let early = socket.received.replayOnce(.oldest(1000))
  /// early.connect(handler, Handler.take)  // what came before, and then every new one
  /// ```
  ///
  /// Use this where payloads are sent before their receiver exists. The source connects at once.
  /// The first slot that connects gets the payloads that are kept, in order, and then every new
  /// payload. Later slots get new payloads alone. If the first slot ends before its turn, what it
  /// would have got is dropped with it. ``SignalReplay/droppedCount`` counts what the buffer had no
  /// room for.
  ///
  /// Everything else is as for ``replay(_:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - buffering: The payloads to keep until a slot connects.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The source, which holds the payloads that it keeps.
  ///
  /// - Precondition: There is room for one payload at least.
  /// - Complexity: O(1) for each payload, besides its delivery.
  public func replayOnce(
    _ buffering: SignalBuffering, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalReplay<Payload> {
    let buffering = buffering.checked
    return SignalReplay(
      self, Recording.Model(buffering.limit, isOnce: true, keepsOldest: buffering.keepsOldest),
      fileID, line)
  }
}

/// The kept payloads, and the slots to which they are delivered.
///
/// `@unchecked Sendable`: payloads that are not `Sendable` stay in the isolation domain of their
/// source, as the replay does. To give one to a slot of another domain would break this.
@usableFromInline
final class Recording<Payload>: Worker, @unchecked Sendable {
  @usableFromInline
  struct Model {
    @usableFromInline var kept: [Payload] = []
    /// The index of the oldest payload, once the recording is full.
    @usableFromInline var oldest = 0
    /// The number of payloads to keep.
    @usableFromInline var count: Int
    /// Whether the first slot takes what is kept, and nothing is kept afterwards.
    @usableFromInline let isOnce: Bool
    @usableFromInline let keepsOldest: Bool
    @usableFromInline var dropped = 0

    @inlinable
    init(_ count: Int, isOnce: Bool = false, keepsOldest: Bool = false) {
      self.count = count
      self.isOnce = isOnce
      self.keepsOldest = keepsOldest
    }

    /// Keeps `payload`, and returns the payload that it displaces.
    @inlinable @inline(__always)
    mutating func keep(_ payload: Payload) -> Payload? {
      if kept.count < count {
        kept.append(payload)
        return nil
      }
      if count == 0 { return nil }
      if isOnce { dropped += 1 }
      if keepsOldest { return nil }
      let dropped = kept[oldest]
      kept[oldest] = payload
      oldest += 1
      if oldest == count { oldest = 0 }
      return dropped
    }

    /// The payloads that a slot gets that connects now.
    @inlinable
    mutating func replay() -> [Payload] {
      let payloads = Array(kept[oldest...] + kept[..<oldest])
      if isOnce { (kept, oldest, count) = ([], 0, 0) }
      return payloads
    }
  }

  /// The payloads that were kept when a slot was attached, until its turn.
  ///
  /// The slot holds them, so that they are released if it ends before its turn (guarantee 9). It
  /// holds the replay with them, which therefore still records after everybody else has dropped it.
  @usableFromInline
  final class Kept {
    @usableFromInline var payloads: [Payload] = []
    @usableFromInline let replay: SignalReplay<Payload>

    @inlinable
    init(for replay: SignalReplay<Payload>) { self.replay = replay }
  }

  /// A slot to connect.
  @usableFromInline
  final class Connection {
    @usableFromInline let observer: SignalObserver
    // Weak: the slot alone holds them. Never written after `init` (some compilers refuse
    // `weak let`).
    @usableFromInline weak var kept: Kept?

    @inlinable
    init(_ observer: SignalObserver, _ kept: Kept) {
      self.observer = observer
      self.kept = kept
    }
  }

  /// A payload to deliver, or a connection to make, or neither.
  ///
  /// An item with neither marks the end of the base, behind earlier payloads. The tuple is copied,
  /// so it is small: a connection has an object of its own.
  @usableFromInline
  typealias Work = (payload: Payload?, connection: Connection?, cause: Cause)

  @usableFromInline let list = ConnectionList()
  @usableFromInline let worklist: Worklist<Model, Work>

  @inlinable
  init(_ model: Model) {
    worklist = Worklist(model)
  }

  @inlinable
  func receive(_ payload: Payload) {
    // Released after the lock.
    var dropped: Payload?
    let (cause, isolation) = (Cause.passing, currentIsolation())
    add(from: isolation) { state, _ in
      dropped = state.model.keep(payload)
      return true
    } item: {
      (payload, nil, cause)
    } now: {
      list.emit(payload, from: isolation, because: cause)
    }
    holdUntilHere(dropped)
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>, _ kept: Kept) -> SignalObserver {
    let observer = SignalObserver(slot.request, list)
    let cause = Cause.later
    // Released after the lock.
    var ended: ContiguousArray<SignalObserver> = []
    add(
      from: currentIsolation(),
      changed: {
        for each in ended { each.end() }
        worklist.countVoid(ended.count) { $0.connection?.observer.isOver == true }
      }
    ) { state, waits in
      kept.payloads = state.model.replay()
      if waits { ended = list.addDeferred(observer) }
      return (nil, Connection(observer, kept), cause)
    }
    return observer
  }

  @usableFromInline
  func finish() {
    // Not inside an emission, which still has slots to reach (guarantee 10).
    add(from: nil, nests: false) { _, _ in (nil, nil, Cause()) }
  }

  @inlinable
  func work(_ work: Work, isOwn: Bool, from isolation: ObjectIdentifier?) {
    if let payload = work.payload {
      work.cause.resume(isOwn) { list.emit(payload, from: isolation, because: $0) }
    } else if let connection = work.connection {
      let isAtLimit = list.add(connection.observer)
      var kept: [Payload] = []
      if let all = connection.kept { swap(&kept, &all.payloads) }
      // Everything else waits behind what was kept.
      worklist.close {
        Cause.deliver(for: work.cause.call) {
          for payload in kept {
            unsafe withUnsafePointer(to: payload) {
              unsafe list.emit($0, to: connection.observer, from: isolation)
            }
          }
        }
      }
      // What this releases may emit.
      if isAtLimit { list.endDead() }
    } else {
      // Nobody gets these any more. They are released after the lock.
      var kept: [Payload] = []
      worklist.state.withLock { state in
        swap(&kept, &state.model.kept)
        (state.model.oldest, state.model.count) = (0, 0)
      }
      list.finish()
      holdUntilHere(kept)
    }
  }
}
