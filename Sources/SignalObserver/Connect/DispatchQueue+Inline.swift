public import Dispatch

extension DispatchQueue? {
  /// No queue: the slot runs on the emitting thread, before `invoke` returns
  /// ([guarantee 13](doc:Guarantees)).
  ///
  /// If threads emit at the same time, their calls may overlap ([guarantee 6](doc:Guarantees)).
  ///
  /// The same as `nil`, with a name: `connect(label, Label.show, .inline)`.
  @inlinable
  public static var inline: DispatchQueue? { nil }
}
