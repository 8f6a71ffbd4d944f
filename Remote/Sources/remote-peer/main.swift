// The other process of the tests. It does the one thing that its arguments name, and tests may kill
// it.

import Foundation
import SignalObserver
import SignalObserverNATS
import Synchronization

let arguments = Array(CommandLine.arguments.dropFirst())

/// `handle SERVERS STREAM CONSUMER FILE PAUSE…` appends every message of a stream to a file; `work …`
/// does the same with a shared consumer, and `batch …` with a batch of 50.
///
/// When the slot gets one of the messages PAUSE for the first time, it says so and waits for ever.
func handle(_ arguments: [String], isShared: Bool = false, batch: Int = 1) async throws {
  var options = BusOptions()
  // A server that is busy for a second gives no worker's message to another.
  options.takeover = isShared ? .seconds(3) : .seconds(1)
  // Its test may have killed the server before it connects.
  options.startsWithoutServer = true
  options.replicas = servers(arguments[0]).count
  let bus = try await Bus(servers: servers(arguments[0]), options: options)
  let file = open(arguments[3], O_WRONLY | O_APPEND | O_CREAT, 0o644)
  let path = arguments[3]
  let pauses = Set(arguments.dropFirst(4).compactMap { Int($0) })
  let stream = try await bus.stream(try Name(arguments[1]))
  bus.errors.connect(on: .inline) { error in say("error \(error)") }
  let consumer = stream.consumer(
    try Name(arguments[2]), of: Int.self, isShared: isShared, batch: batch)
  consumer.connect { @Sendable message async in
    if pauses.contains(message.payload) {
      let marker = "\(path).\(message.payload)"
      if !FileManager.default.fileExists(atPath: marker) {
        _ = FileManager.default.createFile(atPath: marker, contents: nil)
        say("paused \(message.payload)")
        while true { try? await Task.sleep(for: .seconds(1000)) }
      }
    }
    let line = Array("\(message.payload)\n".utf8)
    _ = write(file, line, line.count)
  }
  while true { try await Task.sleep(for: .seconds(1000)) }
}

/// `modify SERVERS NAME COUNT`: adds one to a value, COUNT times.
func modify(_ arguments: [String]) async throws {
  let bus = try await Bus(servers: servers(arguments[0]))
  let value = try await bus.value(try Subject(arguments[1]), of: Int.self, initially: 0)
  for _ in 0..<(Int(arguments[2]) ?? 0) { try await value.modify { $0 += 1 } }
  say("done")
}

/// `emit SERVERS SUBJECT COUNT`: emits COUNT numbers, beginning with 0.
///
/// A server on a busy machine is not a dead one.
func emit(_ arguments: [String]) async throws {
  var options = BusOptions()
  options.timeout = .seconds(20)
  let bus = try await Bus(servers: servers(arguments[0]), options: options)
  let numbers = Emitter<Int>()
  bus.send(numbers.signal, to: try Subject(arguments[1]))
  for number in 0..<(Int(arguments[2]) ?? 0) { numbers.invoke(number) }
  try await bus.flush()
  say("done")
}

/// `store SERVERS STREAM SUBJECT COUNT [RATE]`: emits COUNT numbers, beginning with 0, into a
/// stream: all at once, or RATE a second.
func store(_ arguments: [String]) async throws {
  var options = BusOptions()
  options.replicas = servers(arguments[0]).count
  let bus = try await Bus(servers: servers(arguments[0]), options: options)
  let stream = try await bus.stream(try Name(arguments[1]))
  let numbers = Emitter<Int>()
  stream.send(numbers.signal, to: try Subject(arguments[2]))
  let rate = arguments.count > 4 ? Double(arguments[4]) : nil
  let start = ContinuousClock.now
  for number in 0..<(Int(arguments[3]) ?? 0) {
    // This waits by the clock, so that a slow machine catches up.
    if let rate { try await Task.sleep(until: start + .seconds(Double(number) / rate)) }
    numbers.invoke(number)
  }
  try await stream.flush()
  say("done")
}

/// `exit SERVER CERTIFICATE`: exits while messages arrive on TLS connections.
func exitBusy(_ arguments: [String]) async throws {
  var options = BusOptions()
  options.tls = .init()
  options.tls?.trustedCertificates = arguments[1]
  let numbers = Emitter<Int>()
  var sources: [RemoteSignal<Int>] = []
  for _ in 0..<3 {
    let bus = try await Bus(arguments[0], options: options)
    let source = bus.signal("busy", of: Int.self)
    source.connect(on: .inline) { _ in }
    sources.append(source)
    bus.send(numbers.signal, to: "busy")
    try await bus.flush()
    buses.withLock { $0.append(bus) }
  }
  Thread.detachNewThread { while true { for number in 0..<100 { numbers.invoke(number) } } }
  try await Task.sleep(for: .milliseconds(50))
  exit(0)
}

/// `idle SERVERS COUNT`: connects COUNT buses, and waits for ever.
func idle(_ arguments: [String]) async throws {
  for _ in 0..<(Int(arguments[1]) ?? 0) {
    let bus = try await Bus(servers: servers(arguments[0]))
    try await bus.flush()
    buses.withLock { $0.append(bus) }
  }
  say("connected")
  while true { try await Task.sleep(for: .seconds(1000)) }
}

let buses = Mutex<[Bus]>([])

/// Prints a line at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func servers(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }

let rest = Array(arguments.dropFirst())
do {
  switch arguments.first {
  case "handle": try await handle(rest)
  case "work": try await handle(rest, isShared: true)
  case "batch": try await handle(rest, batch: 50)
  case "modify": try await modify(rest)
  case "emit": try await emit(rest)
  case "store": try await store(rest)
  case "exit": try await exitBusy(rest)
  case "churn": try await churn(rest)
  case "flood": try await flood(rest)
  case "idle": try await idle(rest)
  default:
    say("usage: remote-peer handle|work|batch|modify|emit|store|churn|exit|flood|idle …")
    exit(64)
  }
} catch {
  say("error \(error)")
  exit(1)
}
