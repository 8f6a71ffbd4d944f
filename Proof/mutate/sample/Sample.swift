import Synchronization

enum Where {
  case inline, queue
}

/// One place for each kind of mistake that `Scripts/mutate` makes, and a few that cannot be noticed.
final class Sample {
  let lock = Mutex(0)
  var log: [String] = []

  func note(_ text: String) { log.append(text) }

  func isSmall(_ number: Int) -> Bool { number < 3 }

  func isLarge(_ number: Int) -> Bool {
    if isSmall(number) { return false }
    return true
  }

  /// Texts have no difference, so one mutant does not compile.
  func find(_ text: String?) -> String? {
    guard let text else { return nil }
    return text + "!"
  }

  func deliver(_ text: String, at place: Where = .inline) {
    note("\(place) \(text)")
  }

  func deliverAll() { deliver("x", at: .queue) }

  /// The copy's mutex has the system's in it.
  func isLocked() -> Bool { lock.real.withLockIfAvailable { _ in } == nil }

  func isLockedInside() -> Bool { lock.withLock { _ in isLocked() } }

  /// Nobody calls it.
  func unused() { note("unused") }

  func unseen() -> Int {
    var unseen = 1
    unseen += 1
    return 5
  }
}
