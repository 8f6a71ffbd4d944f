/// Follows what becomes of the payloads of one mailbox, for a trace.
///
/// `added`, `displaced` and `taken` are called under the lock of the line.
protocol MailboxTracer: AnyObject, Sendable {
  /// The payload of the emission in progress is added.
  func added()

  /// The oldest pending payload makes way, or the new one is not kept.
  func displaced(isNew: Bool)

  /// A drain takes this number of the oldest pending payloads.
  func taken(_ count: Int)

  /// Makes the call of the next payload that was taken, if there is to be one.
  func call(_ connection: SignalObserver, _ call: () -> Void)

  /// Returns what is awaited in place of `call`, the call of the next payload that was taken.
  func call(_ connection: SignalObserver, _ call: SlotCall?) -> SlotCall?
}
