// Counts what every peer allocates for a signal, a connection and an emission. Prints JSON.

import CAllocations
import Dispatch
import Foundation
import Peers
import SignalObserver

struct Figure: Codable {
  let work: String
  let peer: String
  let allocations: Double
  let bytes: Double
}

precondition(allocations_are_counted(), "allocations cannot be counted on this platform")

var figures: [Figure] = []

@MainActor
func count(_ work: String, _ peer: String, _ operations: Int, _ body: () -> Void) {
  let made = allocations_made()
  let live = allocations_live_bytes()
  body()
  figures.append(
    Figure(
      work: work, peer: peer, allocations: Double(allocations_made() - made) / Double(operations),
      bytes: Double(allocations_live_bytes() - live) / Double(operations)))
}

/// How many bytes a connection takes whose closure captures nothing: inline, where it waits, and after
/// a flood.
@MainActor
func countConnections() {
  let many = 1000
  let queue = DispatchQueue(label: "memory")
  let (inline, waiting) = (EmitterArg<Int>(), EmitterArg<Int>())
  count("connection", "SignalObserver", many) {
    for _ in 0..<many { inline.signal.connect(on: .inline) { _ in } }
  }
  // The line of the queue.
  waiting.signal.connect(on: queue) { _ in }.cancel()
  let before = allocations_live_bytes()
  count("connection that waits", "SignalObserver", many) {
    for _ in 0..<many { waiting.signal.connect(on: queue) { _ in } }
  }
  for number in 0..<300 { waiting.invoke(number) }
  while waiting.signal.debugDescription.contains("pending") { queue.sync {} }
  queue.sync {}
  figures.append(
    Figure(
      work: "idle after a flood", peer: "SignalObserver", allocations: 0,
      bytes: Double(allocations_live_bytes() - before) / Double(many)))
  withExtendedLifetime((inline, waiting)) {}
}

countConnections()
for type in subjects + mapSubjects {
  let many = 1000
  var signals: [Any] = []
  signals.reserveCapacity(many)
  count("signal", type.name, many) {
    for _ in 0..<many { signals.append(type.make()) }
  }
  let subject = type.init()
  let targets = (0..<many).map { _ in Counter() }
  count("connection", type.name, many) { subject.connect(targets) }
  subject.emit(1)
  count("emission to 1000 slots", type.name, 100) { subject.emit(100) }
  precondition(targets.allSatisfy { $0.total >= 101 }, "\(type.name) lost an emission")
}
for type in hops where type.place == "queue" {
  let receiver = Receiver()
  let hop = type.init(receiver)
  let events = 10_000
  for isWarm in [false, true] {
    receiver.expect(events)
    if isWarm {
      count("delivery on a queue", type.name, events) {
        hop.flood(events)
        _ = receiver.wait()
      }
    } else {
      hop.flood(events)
      _ = receiver.wait()
    }
  }
}

let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(figures))
