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
    observer = unsafe base.attach(
      SignalSlot(
        target: nil, .inline,
        .sync { _, payload in
          unsafe recording.receive(payload.assumingMemoryBound(to: Payload.self).pointee)
          holdUntilHere(end)
        }, #fileID, #line))
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
    // Held and not used, so it does not matter where that is.
    nonisolated(unsafe) let this = self
    return recording.attach(slot.followed { unsafe holdUntilHere(this) })
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
    mutating func keep(_ payload: Payload, _ count: Int) -> Payload? {
      if kept.count < count {
        kept.append(payload)
        return nil
      }
      if count == 0 { return nil }
      defer { oldest = (oldest + 1) % count }
      let dropped = kept[oldest]
      kept[oldest] = payload
      return dropped
    }
  }

  /// A payload to be delivered, or a slot to be connected and given what is kept, or neither: the
  /// base's end, which waits until what it sent is delivered.
  ///
  /// What a payload takes the place of is released after the lock.
  @usableFromInline
  typealias Work = (
    payload: Payload?, dropped: Payload?, slot: SignalObserver?, kept: [Payload], cause: Cause
  )

  @usableFromInline let list = ConnectionList.make()
  @usableFromInline let worklist = Worklist<Model, Work>(Model())
  @usableFromInline let count: Int

  @inlinable
  init(_ count: Int) {
    self.count = count
  }

  @inlinable
  func receive(_ payload: Payload) {
    add { model, mustWait in
      (payload, model.keep(payload, self.count), nil, [], Cause.emission(0).kept(mustWait))
    }
  }

  @inlinable
  func attach(_ slot: SignalSlot<Payload>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add { model, _ in
      (
        nil, nil, slot, Array(model.kept[model.oldest...] + model.kept[..<model.oldest]),
        .program(0)
      )
    }
    return slot
  }

  @usableFromInline
  func finish() { add { _, _ in (nil, nil, nil, [], .program(0)) } }

  @inlinable
  func add(_ change: (inout Model, Bool) -> Work?) {
    let isolation = currentIsolation()
    worklist.add(
      change, work: { deliver($0, from: isolation) },
      elsewhere: { { self.deliver($0, from: nil) } })
  }

  @inlinable
  func deliver(_ work: Work, from isolation: ObjectIdentifier?) {
    if let payload = work.payload {
      unsafe withUnsafePointer(to: payload) { address in
        work.cause.note(list) { unsafe list.emit(address, from: isolation) }
      }
    }
    if let slot = work.slot {
      list.attach(slot)
      for payload in work.kept {
        unsafe withUnsafePointer(to: payload) {
          unsafe list.emit($0, to: slot, from: isolation)
        }
      }
    }
    if work.payload == nil, work.slot == nil { list.finish() }
  }
}
