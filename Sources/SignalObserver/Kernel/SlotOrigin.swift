/// Where a slot was connected, and by way of what: for descriptions, and to find the connections
/// that end with this one.
///
/// Constant once the slot is connected, so that any thread may read it.
@usableFromInline
struct SlotOrigin: Sendable {
  @usableFromInline let fileID: StaticString
  /// Whether the slot is a method that was connected by its name, and no closure.
  @usableFromInline var isMethod = false
  /// Whether an operator before the slot may drop payloads.
  @usableFromInline var mayDrop = false
  /// Whether `buffering` has set the limit of what waits for the slot.
  @usableFromInline var hasLimit = false
  /// Whether an operator with state runs in the place of the slot.
  @usableFromInline var hasStep = false
  /// Whether the slot is the only part of an operator before a bound or a step.
  ///
  /// It gets nothing while its ``handle`` is suspended, and whoever cancels the connections of its
  /// signal ends the handle.
  @usableFromInline var isOnlyPart = false
  @usableFromInline let line: UInt32
  /// The first of the operators between the signal and the slot.
  @usableFromInline var stage: Stage?

  @inlinable
  init(_ fileID: StaticString, _ line: UInt32) {
    self.fileID = fileID
    self.line = line
  }

  /// The last of the operators: no other one feeds a list.
  private var last: Stage? {
    var last = stage
    while let next = last?.next { last = next }
    return last
  }

  /// The list of the last operator, if it has one of its own; nil for a binding, whose list is that
  /// of a signal.
  var following: ConnectionList? {
    last.flatMap { $0.signal == nil ? $0.list : nil }
  }

  /// The observer that the user gets, if the slot is a part of an operator.
  @usableFromInline var handle: SignalObserver? { last?.handle }

  /// The same, if the slot is the only part.
  @usableFromInline var onlyPartHandle: SignalObserver? { isOnlyPart ? handle : nil }
}

/// An operator or a binding between a signal and a slot, for descriptions.
@usableFromInline
final class Stage: Sendable {
  let name: String
  /// What follows in the same slot.
  let next: Stage?
  /// The connections that this one feeds, if its slot is the part of an operator or of a binding.
  ///
  /// Strong, because a list holds nothing of a user once its connections have ended. The list of an
  /// operator is finished by its relay, and the list of a signal by its emitter. This reference
  /// delays neither.
  let list: ConnectionList?
  /// Whether the connections are called later than this one.
  let isLater: Bool
  /// The type of the signal with that list; nil if the list is the operator's own.
  let signal: Any.Type?
  /// The observer that the user gets, if the slot is a part of an operator.
  ///
  /// The reference is no cycle once the handle has ended.
  let handle: SignalObserver?
  /// The name of the end outside the program that this stage leads to, if it does.
  let endpoint: String?

  @usableFromInline
  init(
    _ name: String, _ next: Stage? = nil, feeding list: ConnectionList? = nil,
    isLater: Bool = false, of signal: Any.Type? = nil, handle: SignalObserver? = nil,
    endpoint: String? = nil
  ) {
    self.name = name
    self.next = next
    self.list = list
    self.isLater = isLater
    self.signal = signal
    self.handle = handle
    self.endpoint = endpoint
  }
}
