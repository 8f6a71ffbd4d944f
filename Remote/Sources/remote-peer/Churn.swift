import Foundation
import SignalObserver
import SignalObserverNATS

/// `churn SERVERS SECONDS [patient]`: connects, cancels, drops and closes in every order, while messages
/// arrive.
///
/// With `patient`, an unreachable server is no error.
func churn(_ arguments: [String]) async throws {
  let end = ContinuousClock.now + .seconds(Double(arguments[1]) ?? 1)
  let isPatient = arguments.count > 2
  var options = BusOptions()
  options.startsWithoutServer = isPatient
  if isPatient { options.log = nil }
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
