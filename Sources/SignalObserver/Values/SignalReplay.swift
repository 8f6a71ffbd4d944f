/// A source that delivers recent payloads to slots that connect late.
///
/// ``SignalSource/replay(_:)`` makes it. It records for as long as somebody holds it, or a slot is
/// connected to it.
public final class SignalReplay<Payload> {
  @usableFromInline let recording: Recording<Payload>
  @usableFromInline let observer: SignalObserver

  @inlinable
  init(_ base: some SignalSource<Payload>, _ count: Int) {
    let recording = Recording<Payload>(count)
    // Released when the connection to the base ends.
    let end = Finally { recording.finish() }
    var part = unsafe SignalSlot<Payload>(
      target: nil, .inline,
      .sync { _, payload in
        unsafe recording.receive(payload.assumingMemoryBound(to: Payload.self).pointee)
        holdUntilHere(end)
      }, #fileID, #line)
    let list = recording.list
    part.request.label = { describe("replay", list) }
    observer = base.attach(part)
    self.recording = recording
  }

  @inlinable
  deinit { observer.cancel() }
}

/// The recording guards all that is shared.
extension SignalReplay: @unchecked Sendable where Payload: Sendable {}

extension SignalReplay: SignalSource {
  /// Adds a slot behind the others, and delivers the kept payloads to it.
  ///
  /// The connect forms call this. Once the emitter is gone, the returned observer is cancelled from
  /// the start, and the slot is not called.
  ///
  /// - Complexity: O(*n*) in the number of payloads that are kept.
  @inlinable
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    // Connected slots hold the replay, which goes on recording after others have dropped it.
    recording.attach(slot.uncheckedHolding(self))
  }
}

extension SignalSource {
  /// Makes a source that keeps the last `count` payloads for slots that connect late.
  ///
  /// ```swift
  /// let recent = player.scoreChanged.replay(3)
  /// player.goal()
  /// recent.connect { score in print(score) }  // the goal above, then every new one
  /// ```
  ///
  /// The replay connects to this source at once, and records on the emitting thread. Connecting to
  /// the replay delivers the kept payloads, in order, and then every new payload. No payload is
  /// missing or doubled. Payloads are delivered one at a time, like the sets of a value
  /// (guarantee 16). If the source is a value, the current value is the first payload that is kept.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func replay(_ count: Int) -> SignalReplay<Payload> {
    precondition(count >= 0, "a replay of a negative number of payloads")
    return SignalReplay(self, count)
  }
}

/// The kept payloads, and the slots to which they are delivered.
///
/// `@unchecked Sendable`: the list and the worklist guard themselves. Payloads that are not
/// `Sendable` stay with their source.
@usableFromInline
final class Recording<Payload>: @unchecked Sendable {
  @usableFromInline
  struct Model {
    @usableFromInline var kept: [Payload] = []
    /// The index of the oldest payload, once there is no room left.
    @usableFromInline var oldest = 0

    @inlinable
    init() {}

    /// Keeps `payload`, and returns the one that makes room for it.
    @inlinable
    @inline(__always)
    mutating func keep(_ payload: Payload, _ count: Int) -> Payload? {
      if kept.count < count {
        kept.append(payload)
        return nil
      }
      if count == 0 { return nil }
      let dropped = kept[oldest]
      kept[oldest] = payload
      oldest += 1
      if oldest == count { oldest = 0 }
      return dropped
    }
  }

  /// A slot to connect, and the payloads that were kept when `attach` was called.
  @usableFromInline
  final class Connection {
    @usableFromInline let slot: SignalObserver
    @usableFromInline let kept: [Payload]

    @inlinable
    init(_ slot: SignalObserver, _ kept: [Payload]) {
      self.slot = slot
      self.kept = kept
    }
  }

  /// A payload to deliver, or a connection to make, or neither.
  ///
  /// Neither stands for the end of the base, which waits until earlier payloads are delivered. The
  /// tuple is small, because it is copied: a connection is in an object of its own.
  @usableFromInline
  typealias Work = (payload: Payload?, connection: Connection?, cause: Cause)

  @usableFromInline let list = ConnectionList.make()
  @usableFromInline let worklist = Worklist<Model, Work>(Model())
  @usableFromInline let count: Int

  @inlinable
  init(_ count: Int) {
    self.count = count
  }

  @inlinable
  func receive(_ payload: Payload) {
    // Released after the lock.
    var dropped: Payload?
    add { model, mustWait in
      dropped = model.keep(payload, self.count)
      return (payload, nil, Cause.emission(0).kept(mustWait))
    }
    holdUntilHere(dropped)
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add { model, _ in
      let kept = Array(model.kept[model.oldest...] + model.kept[..<model.oldest])
      return (nil, Connection(slot, kept), .program(0))
    }
    return slot
  }

  @usableFromInline
  func finish() { add { _, _ in (nil, nil, .program(0)) } }

  @inlinable
  @inline(__always)
  func add(_ change: (inout Model, Bool) -> Work?) {
    let isolation = currentIsolation()
    worklist.add(
      change, work: { deliver($0, from: isolation) },
      elsewhere: { { self.deliver($0, from: nil) } })
  }

  @inlinable
  func deliver(_ work: Work, from isolation: ObjectIdentifier?) {
    if let payload = work.payload {
      unsafe withUnsafePointer(to: payload) {
        unsafe list.emit($0, from: isolation, because: work.cause)
      }
    } else if let connection = work.connection {
      list.attach(connection.slot)
      for payload in connection.kept {
        unsafe withUnsafePointer(to: payload) {
          unsafe list.emit($0, to: connection.slot, from: isolation)
        }
      }
    } else {
      list.finish()
    }
  }
}
