import Synchronization

enum Where {
  case inline, queue
}

enum Other {
  case queue
}

final class Friend {}

/// One place for each kind of mistake that `Scripts/mutate` makes, and a few that cannot be noticed.
final class Sample {
  let lock = Mutex(0)
  var log: [String] = []
  private weak var friend: Friend?
  func meet(_ friend: Friend) { self.friend = friend }

  var hasFriend: Bool { friend != nil }

  func seek(_ friend: Friend) -> () -> Bool {
    { [weak friend] in friend != nil }
  }

  func note(_ text: String) { log.append(text) }

  func noteBoth() {
    note("a")
    note("b")
  }

  func closeAll() { log.append("closed") }

  func work() {
    defer { closeAll() }
    note("work")
  }

  func isSmall(_ number: Int) -> Bool { number < 3 }

  func size(_ number: Int) -> String {
    if number == 0 { return "none" }
    return "some"
  }

  func count(_ numbers: [Int]) -> Int {
    var sum = 0
    for number in numbers { sum += number }
    return sum
  }

  func find(_ text: String?) -> String? {
    guard let text else { return nil }
    return text + "!"
  }

  func deliver(_ text: String, at place: Where = .inline) {
    note("\(place) \(text)")
  }

  func deliverAll() { deliver("x", at: .queue) }

  /// The other type has no `.inline`, so one mutant does not compile.
  func isOther(_ other: Other = .queue) -> Bool { true }

  func isLocked() -> Bool { lock.withLockIfAvailable { _ in } == nil }

  func noteLock() { note(isLocked() ? "locked" : "free") }

  func lockAndNote() {
    let isLocked = lock.withLock { _ in self.isLocked() }
    noteLock()
    note("\(isLocked)")
  }

  /// Nobody calls it.
  func unused() { note("unused") }

  func unseen() -> Int {
    var unseen = 1
    unseen += 1
    return 5
  }
}
