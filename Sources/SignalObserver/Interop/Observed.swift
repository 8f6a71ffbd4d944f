/// Makes a source of the values that a closure reads from `@Observable` models.
///
/// ```swift
/// observed { song.plays > 9 ? "\(song.title) (hit)" : song.title }
///   .connect(label, Label.show)
/// ```
///
/// Use this to send a value that is computed from models, and
/// ``track(_:_:isolation:fileID:line:column:)`` to call methods that read models themselves.
///
/// Each connection calls the closure for itself: once at first, and again when a property or a
/// value that the closure has read has changed. Changes that are made together count as one,
/// because the closure runs after the code that makes them has returned. The closure runs on the
/// isolation around it, or on the main queue if there is none. Change the models there, too. The
/// slot runs in its own place, as for any source.
///
/// A connection ends when its target dies, when its observer is cancelled, or when no model is left
/// that could change. Until then, it keeps the closure, and with it the models that the closure
/// holds. The connection notices the death of its target at the next change, or when somebody reads
/// ``SignalObserver/SignalObserver/isCancelled`` of the observer. Without either, the closure and
/// the models live as long as the process. If the models have another owner, write `[weak model]`.
/// Otherwise, keep the observer in an ``ObserverBag`` of the target.
///
/// A closure that is written on an actor keeps that actor, even without `self`: Swift stores the
/// actor in the closure. An actor that is the target then never dies. Make the closure in a static
/// function, and it runs on the main queue.
///
/// It needs macOS 14, iOS 17, tvOS 17 or watchOS 10, where Observation begins. On older systems,
/// keep what the closure reads in an ``EmitterValue``, and use ``combineLatest(_:_:)``.
///
/// - Parameter read: The closure that reads the models.
/// - Returns: The source, which has all connect forms.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public func observed<Value: Sendable>(
  @_inheritActorContext(always) _ read: @escaping @isolated(any) @Sendable () -> Value
) -> some SignalSource<Value> {
  Observed(read: read)
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private struct Observed<Value: Sendable>: SignalSource {
  let read: @isolated(any) @Sendable () -> Value

  func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let read = onItsIsolation(read)
    let isolation = self.read.isolation
    let place = isolation.map { ObjectIdentifier($0) }
    let values = EmitterCore<Value>()
    let tracking = Tracking()
    let reading = tracking.attach(
      SignalSlot(RequestedPlace(isolation: isolation), #fileID, #line) { run in
        guard let value = Tracking.perform(run, read) else { return }
        // While the observer is suspended, no emission looks at the target.
        _ = values.signal.list.live { _ in }
        values.signal.emit(value, from: place)
      }
    ).scoped()
    // When the slot ends, so does the reading, and when the reading ends, so does the slot.
    let observer = values.signal.attach(slot.holding(reading))
    tracking.start(1, from: nil)
    return observer
  }
}
