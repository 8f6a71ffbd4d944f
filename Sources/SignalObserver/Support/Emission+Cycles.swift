extension Emission {
  /// Calls `body` with the isolation of the emission in progress, unless this thread is inside an
  /// emission of `list`.
  static func unlessInside(_ list: ConnectionList, _ body: (ObjectIdentifier?) -> Void) {
    let identity = ObjectIdentifier(list)
    if unsafe SnapshotReader.innermost(of: identity) != nil { return }
    body(currentIsolation())
  }
}
