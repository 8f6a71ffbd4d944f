/// Makes a source of the values that a closure reads from `@Observable` models.
///
/// ```swift
/// observed { model.title }.connect(label, Label.show)
/// ```
///
/// Each connection reads for itself: at first, and again when something that it read has changed.
/// Changes that are made together are one: the closure reads when the code that makes them has
/// returned. It runs on the isolation of its surroundings, or on the main queue if they have none;
/// change the models there, too. The slot then runs where it belongs, as for any source.
///
/// A connection ends with its target, when its observer is cancelled, or when no model is left that
/// could change. Until then it keeps the closure, and with it the models that the closure holds. That
/// a target has died is noticed at the next change, or when the observer is asked
/// ``SignalObserver/SignalObserver/isCancelled``; if neither comes, closure and models stay for as long
/// as the process. Say `[weak model]` where the models have another owner, or keep the observer in the
/// target's ``ObserverBag``.
///
/// - Parameter read: The closure.
/// - Returns: The source, which has all connect forms.
public func observed<Value: Sendable>(
  @_inheritActorContext _ read: @escaping @isolated(any) @Sendable () -> Value
) -> some SignalSource<Value> {
  Observed(read: read)
}

private struct Observed<Value: Sendable>: SignalSource {
  let read: @isolated(any) @Sendable () -> Value

  func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let read = onItsIsolation(read)
    let isolation = self.read.isolation
    let place = isolation.map { ObjectIdentifier($0) }
    let values = EmitterCore<Value>()
    let tracking = Tracking()
    let reading = tracking.attach(
      SignalSlot(Delivery(isolation: isolation), #fileID, #line) { turn in
        guard let value = Tracking.take(turn, read) else { return }
        values.signal.emit(value, from: place)
      }
    ).scoped()
    // Reading ends with the slot, and the slot with reading.
    let observer = values.signal.attach(slot.holding(reading))
    tracking.start(1, from: nil)
    return observer
  }
}
