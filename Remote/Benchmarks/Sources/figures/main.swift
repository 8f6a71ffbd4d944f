// The other side of byhand.c, and of batches.c: the same modes and the same output, by signals.

import Foundation
import SignalObserver
import SignalObserverNATS
import Synchronization

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }

var options = BusOptions()
// As many as the benchmark sends: neither side loses messages.
options.pendingLimit = 8 << 30
options.outboxLimit = 4 << 30
let bus = try await Bus(arguments[2], options: options)
bus.errors.connect(on: .inline) { error in
  FileHandle.standardError.write(Data("\(error)\n".utf8))
}

@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

@Sendable func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// What the slots count, each message once for each slot.
final class Count: Sendable {
  private let received = Atomic(0)
  private let first = Atomic<Int64>(0)
  private let sum = Atomic(0)
  private let expected: Int
  /// Whether it says how long they took.
  private let isTimed: Bool

  init(_ expected: Int, isTimed: Bool = false) {
    self.expected = expected
    self.isTimed = isTimed
  }

  /// The time of the first message.
  var begin: Int64 { first.load(ordering: .relaxed) }

  func add(_ value: Int) {
    sum.wrappingAdd(value, ordering: .relaxed)
    let count = received.wrappingAdd(1, ordering: .relaxed).newValue
    if count == 1 { first.store(now(), ordering: .relaxed) }
    if count == expected, isTimed { say("\(now() - begin)") }
  }
}

struct Point: Codable, Sendable {
  var x: Int
  var y: Int
}

func receive<Payload: Sendable>(
  _ subjects: Int, _ subscribers: Int, _ messages: Int, _ coding: Coding<Payload>,
  _ value: @escaping @Sendable (Payload) -> Int
) async throws {
  let count = Count(messages * subscribers, isTimed: true)
  for index in 0..<subjects {
    let signal = bus.signal(try SubjectPattern("bench.\(index)"), of: Payload.self, as: coding)
    for _ in 0..<subscribers {
      signal.connect(on: .inline) { message in count.add(value(message.payload)) }
    }
  }
  try await bus.flush()
  say("ready")
  while true { try await Task.sleep(for: .seconds(1000)) }
}

func publish<Payload: Sendable>(
  _ subjects: Int, _ messages: Int, _ coding: Coding<Payload>, _ payload: (Int) -> Payload
) async throws {
  let emitters = (0..<subjects).map { _ in Emitter<Payload>() }
  for (index, emitter) in emitters.enumerated() {
    bus.send(emitter.signal, to: try Subject("bench.\(index)"), as: coding)
  }
  let start = now()
  for index in 0..<messages { emitters[index % subjects].invoke(payload(index)) }
  try await bus.flush()
  say("\(now() - start)")
}

/// Handles the messages of a stream, and says how long it took from the first of them to the last mark.
func handle<Payload: Sendable>(
  _ messages: Int, _ batch: Int, _ coding: Coding<Payload>,
  _ value: @escaping @Sendable (Payload) -> Int
) async throws {
  let (count, name) = (Count(messages), try Name("c\(getpid())"))
  let consumer = try await bus.stream("batches").consumer(
    name, of: Payload.self, as: coding, batch: batch)
  consumer.connect(on: .inline) { message in count.add(value(message.payload)) }
  while consumer.handledSequence < messages { try await Task.sleep(for: .milliseconds(1)) }
  say("\(now() - count.begin)")
}

let numbers = arguments.dropFirst(3).compactMap { Int($0) }
let form = arguments.last
switch arguments[1] {
case "receive":
  switch form {
  case "raw":
    try await receive(numbers[0], numbers[1], numbers[2], .bytes) { Int($0[0]) }
  case "json":
    try await receive(numbers[0], numbers[1], numbers[2], Coding<Int>.json) { $0 }
  default:
    try await receive(numbers[0], numbers[1], numbers[2], Coding<Point>.json) { $0.x }
  }
case "publish":
  let bytes = [UInt8](repeating: 120, count: 16)
  switch form {
  case "raw": try await publish(numbers[0], numbers[1], .bytes) { _ in bytes }
  case "json":
    try await publish(numbers[0], numbers[1], Coding<Int>.json) { 1_000_000_000_000_000 + $0 }
  default:
    try await publish(numbers[0], numbers[1], Coding<Point>.json) { Point(x: $0 % 100, y: 100) }
  }
case "handle":
  switch form {
  case "bytes": try await handle(numbers[0], numbers[1], .bytes) { Int($0[0]) }
  case "number": try await handle(numbers[0], numbers[1], Coding<Int>.json) { $0 }
  default: try await handle(numbers[0], numbers[1], Coding<Point>.json) { $0.x }
  }
case "echo":
  let answers = Emitter<[UInt8]>()
  bus.send(answers.signal, to: "pong", as: .bytes)
  bus.signal("ping", of: [UInt8].self, as: .bytes).connect(on: .inline) {
    answers.invoke($0.payload)
  }
  try await bus.flush()
  say("ready")
  while true { try await Task.sleep(for: .seconds(1000)) }
case "ping":
  let answered = Atomic<Int64>(0)
  let pings = Emitter<[UInt8]>()
  bus.send(pings.signal, to: "ping", as: .bytes)
  bus.signal("pong", of: [UInt8].self, as: .bytes).connect(on: .inline) { _ in
    answered.store(now(), ordering: .releasing)
  }
  try await bus.flush()
  let payload = Array("0123456789abcdef".utf8)
  for _ in 0..<numbers[0] {
    let start = now()
    answered.store(0, ordering: .relaxed)
    pings.invoke(payload)
    // Ends with the process, which the benchmark kills when its time is over.
    while answered.load(ordering: .acquiring) == 0 { usleep(1) }
    say("\(answered.load(ordering: .acquiring) - start)")
  }
default: exit(64)
}
