@testable import SignalObserver

/// A member of a lane that is called by nobody.
final class Waiting: LaneMember {
  let ownBerth: Berth

  init<Payload>(_: Payload.Type) {
    ownBerth = unsafe Berth(
      PayloadType(Payload.self), queue: nil, body: nil, alwaysWaits: true, isTargets: false,
      buffering: .unbounded)
  }

  // The member holds it.
  var berthReference: Unmanaged<Berth>? { unsafe .passUnretained(ownBerth) }
  var isActive: Bool { true }

  func becameIdle() {}
}

extension Lane<Waiting> {
  /// Adds a payload for `member`; returns whether a drain must be scheduled.
  @discardableResult
  func add<Payload>(_ payload: Payload, for member: Waiting) -> Bool {
    unsafe withUnsafePointer(to: payload) { payload in
      let added = unsafe add(member, member.ownBerth, payload, isHere: false)
      defer { unsafe added.release() }
      return unsafe added.mustSchedule
    }
  }

  /// Begins a drain; returns nil if there is nothing to do for it.
  func beginDrain(room: Int = Segment.limit) -> Hand<Waiting>? {
    if case .segment(let hand) = unsafe begin(room: room) { unsafe hand } else { nil }
  }

  /// Delivers all that waits.
  func drainAll() {
    while let hand = unsafe beginDrain() { _ = unsafe end(hand) }
  }
}
