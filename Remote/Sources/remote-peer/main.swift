// The other process of the tests: does one thing that its arguments name, and is killed at will.

import Foundation
import SignalObserver
import SignalObserverNATS
import Synchronization

let arguments = Array(CommandLine.arguments.dropFirst())

/// `handle SERVERS STREAM CONSUMER FILE PAUSE…` appends every message of a stream to a file.
///
/// In the middle of the slot for each PAUSE it says so and stays there, the first time.
func handle(_ arguments: [String]) async throws {
  var options = BusOptions()
  options.takeover = .seconds(1)
  options.replicas = servers(arguments[0]).count
  let bus = try await Bus(servers: servers(arguments[0]), options: options)
  let file = open(arguments[3], O_WRONLY | O_APPEND | O_CREAT, 0o644)
  let path = arguments[3]
  let pauses = Set(arguments.dropFirst(4).compactMap { Int($0) })
  let stream = try await bus.stream(arguments[1])
  bus.errors.connect(on: .inline) { error in say("error \(error)") }
  let consumer = stream.consumer(arguments[2], of: Int.self)
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

/// `modify SERVERS NAME COUNT`: adds one to a value, that often.
func modify(_ arguments: [String]) async throws {
  let bus = try await Bus(servers: servers(arguments[0]))
  let value = try await bus.value(arguments[1], of: Int.self, initially: 0)
  for _ in 0..<(Int(arguments[2]) ?? 0) { try await value.modify { $0 += 1 } }
  say("done")
}

/// `emit SERVERS SUBJECT COUNT`: emits the numbers from 0 on.
func emit(_ arguments: [String]) async throws {
  let bus = try await Bus(servers: servers(arguments[0]))
  let numbers = Emitter<Int>()
  bus.send(numbers.signal, to: arguments[1])
  for number in 0..<(Int(arguments[2]) ?? 0) { numbers.invoke(number) }
  try await bus.flush()
  say("done")
}

/// `store SERVERS STREAM SUBJECT COUNT`: emits the numbers from 0 on into a stream.
func store(_ arguments: [String]) async throws {
  let bus = try await Bus(servers: servers(arguments[0]))
  let stream = try await bus.stream(arguments[1])
  let numbers = Emitter<Int>()
  stream.send(numbers.signal, to: arguments[2])
  for number in 0..<(Int(arguments[3]) ?? 0) { numbers.invoke(number) }
  try await stream.flush()
  say("done")
}

/// Prints a line at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func servers(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }

let rest = Array(arguments.dropFirst())
switch arguments.first {
case "handle": try await handle(rest)
case "modify": try await modify(rest)
case "emit": try await emit(rest)
case "store": try await store(rest)
default:
  say("usage: remote-peer handle|modify|emit|store …")
  exit(64)
}
