import Foundation
import SignalObserver
import SignalObserverNATS
import Synchronization

/// `churn SERVERS SECONDS [patient]`: connects, cancels, drops and closes in every order, while messages
/// arrive.
///
/// With `patient`, an unreachable server is no error.
func churn(_ arguments: [String]) async throws {
  let end = ContinuousClock.now + .seconds(Double(arguments[1]) ?? 1)
  let isPatient = arguments.count > 2
  var options = BusOptions()
  options.startsWithoutServer = isPatient
  // Buses that are closed meanwhile have as much as those that are in use.
  options.pendingLimit = 4 << 20
  if isPatient { options.instruments = [] }
  let (addresses, chosen) = (servers(arguments[0]), options)
  let sender = try await Bus(servers: addresses, options: chosen)
  let numbers = Emitter<Int>()
  for subject in 0..<4 { sender.send(numbers.signal, to: try Subject("churn.\(subject)")) }
  try await withThrowingTaskGroup { group in
    group.addTask {
      var number = 0
      while ContinuousClock.now < end {
        for _ in 0..<500 { numbers.invoke(number) }
        number += 1
        do { try await sender.flush() } catch { if !isPatient { throw error } }
      }
    }
    for _ in 0..<3 {
      group.addTask {
        while ContinuousClock.now < end {
          do { try await churnOnce(addresses, chosen) } catch { if !isPatient { throw error } }
        }
      }
    }
    try await group.waitForAll()
  }
  sender.close()
  say("done")
}

/// Uses one bus, from its first connection to one of its ends.
private func churnOnce(_ addresses: [String], _ options: BusOptions) async throws {
  let bus = try await Bus(servers: addresses, options: options)
  var observers: [SignalObserver] = []
  var sources: [RemoteSignal<Int>] = []
  for _ in 0..<Int.random(in: 20...200) {
    let source = bus.signal(
      try SubjectPattern("churn.\(Int.random(in: 0..<4))"), of: Int.self)
    let observer = source.connect(on: .inline) { _ in }
    switch Int.random(in: 0..<5) {
    case 0: observer.cancel()
    case 1: sources.append(source)
    case 2: observers.append(observer)
    case 3:
      // At least one message arrives before the cancel.
      try await bus.flush()
      observer.cancel()
    default: observers.randomElement()?.cancel()
    }
  }
  if Bool.random() { bus.close() }
  if Bool.random() { for observer in observers { observer.cancel() } }
}

/// `flood SERVERS BUSES SIGNALS COUNT LIMIT`: receives COUNT messages with each of SIGNALS signals of
/// each bus, of which at most LIMIT bytes may wait, and prints how much memory the process had at most.
func flood(_ arguments: [String]) async throws {
  let numbers = arguments.dropFirst().compactMap { Int($0) }
  var options = BusOptions()
  // What is lost with a connection is not counted.
  options.timeout = .seconds(20)
  options.pendingLimit = numbers[3]
  options.instruments = []
  let received = Atomic(0)
  let lost = Atomic(0)
  var receivers: [Bus] = []
  for _ in 0..<numbers[0] {
    let receiver = try await Bus(servers: servers(arguments[0]), options: options)
    receiver.errors.connect(on: .inline) { error in
      if case .lost(let count, _, .slowSlots) = error { lost.add(count, ordering: .relaxed) }
    }
    for _ in 0..<numbers[1] {
      receiver.signal("flood", of: Int.self).connect(on: .inline) { _ in
        received.add(1, ordering: .relaxed)
      }
    }
    try await receiver.flush()
    receivers.append(receiver)
  }
  let sender = try await Bus(servers: servers(arguments[0]), options: options)
  let emitter = Emitter<Int>()
  sender.send(emitter.signal, to: "flood")
  for number in 1...numbers[2] {
    emitter.invoke(number)
    if number % 500 == 0 { try await sender.flush() }
  }
  let all = numbers[0] * numbers[1] * numbers[2]
  while received.load(ordering: .relaxed) + lost.load(ordering: .relaxed) < all {
    try await Task.sleep(for: .milliseconds(10))
  }
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  let size = peak.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  say("received \(received.load(ordering: .relaxed)) lost \(lost.load(ordering: .relaxed))")
  say("peak \(size / 1024)")
}
