extension Signal: CustomDebugStringConvertible {
  /// Lists the live slots, a line each: the target's type, where it runs, whether it is suspended,
  /// how many payloads are pending, how many were dropped, and the file and line that connected it.
  ///
  ///     Signal<Int>, 2 slots
  ///       Label, main, 1 pending, Scores/LabelController.swift:14
  ///       filter → closure, queue "log", suspended, Scores/Log.swift:9
  ///       debounce → Search, isolated to its target, Scores/Search.swift:21
  ///
  /// The names of operators stand before the slot. ``connections`` returns the same information as
  /// data.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var debugDescription: String { connections.description(of: Self.self) }
}
