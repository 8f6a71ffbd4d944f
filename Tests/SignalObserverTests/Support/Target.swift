import SignalObserver

/// An object with methods of each shape, which writes what it is called with to a log.
final class Target: Sendable {
  let name: String
  let log: Log

  init(_ name: String, _ log: Log) {
    self.name = name
    self.log = log
  }

  func called() { log.add(name) }
  func show(_ value: Int) { log.add("\(name) \(value)") }
  func showBoth(_ value: Int, _ text: String) { log.add("\(name) \(value) \(text)") }
  func showText(_ text: String) { log.add("\(name) \(text)") }
}
