extension Emission {
  /// Calls `body` with the isolation of the emission in progress, unless this thread is inside an
  /// emission of `list`.
  static func unlessInside(_ list: SlotList, _ body: (ObjectIdentifier?) -> Void) {
    let identity = ObjectIdentifier(list)
    var emission = unsafe current
    while let each = unsafe emission {
      if unsafe each.pointee.list == identity { return }
      unsafe emission = each.pointee.outer
    }
    unsafe body(current?.pointee.isolation)
  }
}
