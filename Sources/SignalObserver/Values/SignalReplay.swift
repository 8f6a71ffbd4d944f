/// A source that also delivers the payloads of before to those who connect late.
///
/// Made by ``SignalSource/replay(_:)``. It records for as long as somebody holds it, or is connected
/// to it.
public final class SignalReplay<Payload> {
  @usableFromInline let recording: Recording<Payload>
  @usableFromInline let observer: SignalObserver

  @inlinable
  init(_ base: some SignalSource<Payload>, _ count: Int) {
    let recording = Recording<Payload>(count)
    // Released when the base ends.
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

/// What is shared is guarded by the recording.
extension SignalReplay: @unchecked Sendable where Payload: Sendable {}

extension SignalReplay: SignalSource {
  /// Adds a slot behind the others and delivers what is kept to it.
  ///
  /// The connect forms call this.
  ///
  /// - Complexity: O(*n*) in the number of payloads that are kept.
  @inlinable
  public func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    // Connected slots keep the recording going, whoever drops it.
    recording.attach(slot.uncheckedHolding(self))
  }
}

extension SignalSource {
  /// Keeps the last `count` payloads from now on, for those who connect late.
  ///
  /// ```swift
  /// let recent = player.scoreChanged.replay(3)
  /// player.goal()
  /// recent.connect { score in print(score) }  // the goal of before, then every new one
  /// ```
  ///
  /// Connecting delivers what is kept, in order, and then every new payload, without a gap or a
  /// double. Payloads are delivered one at a time, as a value's are (guarantee 16). Of a value, the
  /// current one is the first to be kept.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public func replay(_ count: Int) -> SignalReplay<Payload> {
    precondition(count >= 0, "a replay of a negative number of payloads")
    return SignalReplay(self, count)
  }
}

/// The last payloads and the slots that are told of them.
///
/// `@unchecked Sendable`: the list and the worklist guard themselves; payloads that are not
/// `Sendable` stay with their source.
@usableFromInline
final class Recording<Payload>: @unchecked Sendable {
  @usableFromInline
  struct Model {
    @usableFromInline var kept: [Payload] = []
    /// The index of the oldest, once all room is used.
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

  /// A slot to be connected and given what was kept then.
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

  /// A payload to be delivered, or a connection to be made, or neither: the base's end, which waits
  /// until what it sent is delivered.
  ///
  /// Small, since it is copied: connections are in an object.
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
