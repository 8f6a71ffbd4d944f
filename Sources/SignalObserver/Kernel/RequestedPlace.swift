public import Dispatch

/// Where and when a slot runs, as its connect form says.
@usableFromInline
enum RequestedPlace {
  /// On the emitting thread, before `invoke` returns.
  case inline
  /// As `inline`, for a signal that stays in one isolation domain. The slot's closure and captures
  /// are released nowhere else.
  case confined(onMain: Bool)
  /// On a queue, always later.
  case queue(DispatchQueue)
  /// On the main queue, which is the main actor; at once when the emission is there.
  case main
  /// On an actor; at once when the emission is there, unless the slot is asynchronous.
  case actor(any Actor)
  /// In a task of its own, on no actor; for asynchronous slots alone.
  case task
}
