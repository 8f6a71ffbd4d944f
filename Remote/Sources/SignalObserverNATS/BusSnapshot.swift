import Foundation
import SignalObserver

/// What a bus knows and waits for at one moment, to print or to look at.
///
/// ``Bus/snapshot()`` takes one.
public struct BusSnapshot: Sendable {
  /// A server that the bus knows.
  public struct Server: Sendable, Hashable {
    /// The address, without credentials.
    public let address: String
    /// Whether the bus is connected to this server.
    public let isConnected: Bool
  }

  /// Messages that wait.
  public struct Waiting: Sendable, Hashable {
    /// The number of messages.
    public let messages: Int
    /// Their size in memory, as the limits of ``BusOptions`` count it.
    public let bytes: Int
  }

  /// What a ``RemoteSignal``, or a slot that answers questions, is subscribed to.
  public struct Subscription: Sendable, Hashable {
    /// The subject, with its wildcards.
    public let subject: String
    /// The name of the sources that share the messages; nil if this one gets all of them.
    public let group: Name?
    /// What has arrived, and waits for slots.
    public let waiting: Waiting
  }

  /// A stream to which this process sends.
  public struct Stream: Sendable, Hashable {
    /// The name.
    public let name: Name
    /// The emissions that wait to be stored.
    public let waiting: Waiting
  }

  /// A named consumer of a stream that takes messages in this process.
  public struct Consumer: Sendable, Hashable {
    /// The name of the stream.
    public let stream: String
    /// The name of the consumer.
    public let name: Name
    /// Whether processes share its messages.
    public let isShared: Bool
    /// The number of the last message that is handled, by any process.
    ///
    /// With a `batch`, it is the last one in the mark. For a shared consumer, all messages up to
    /// this one are handled. If ``error`` is set, it is what this process knows.
    public internal(set) var handledSequence: UInt64
    /// The number of messages that are not handled; nil if ``error`` is set.
    public internal(set) var lag: Int?
    /// The time for which the oldest of them has been stored; nil if there is none, or if ``error``
    /// is set.
    ///
    /// It depends on the clocks of this process and of the servers.
    public internal(set) var age: Duration?
    /// The process that has the mark, `HOST/PROCESS`; nil if none has it, or if the consumer is
    /// shared.
    ///
    /// A process that has died has it until another one takes over.
    public internal(set) var holder: String?
    /// Whether this consumer of this process has the mark.
    public internal(set) var isHeldHere = false
    /// The number of messages that processes have at the moment; nil if the consumer is not shared.
    public internal(set) var unacknowledged: Int?
    /// The reason why the servers did not say more.
    public internal(set) var error: BusError?

    init(stream: String, name: Name, isShared: Bool, handledSequence: UInt64) {
      self.stream = stream
      self.name = name
      self.isShared = isShared
      self.handledSequence = handledSequence
    }
  }

  /// The state of the connection.
  public let state: ConnectionState
  /// The servers that the bus was given, and those that they have announced.
  public let servers: [Server]
  /// The subscriptions.
  public let subscriptions: [Subscription]
  /// The messages over core subjects that wait to be sent.
  public let outbox: Waiting
  /// The number of messages over core subjects that are sent and not confirmed.
  public let unconfirmed: Int
  /// The streams to which this process sends.
  public let streams: [Stream]
  /// The named consumers.
  public internal(set) var consumers: [Consumer] = []
}

extension Bus {
  /// Takes a snapshot of the bus, to find out why something is late, or to print it from time to
  /// time.
  ///
  /// What this process knows is taken at one moment. After that, the bus asks the servers two to
  /// five questions for each named consumer, for all of them at the same time. One of the answers
  /// is the oldest message that is not handled. The bus waits for ``BusOptions/timeout`` at most,
  /// and does not wait at all if it is not connected. If the servers have not said everything about
  /// a consumer, ``BusSnapshot/Consumer/error`` is the reason. A snapshot delays no slot.
  ///
  /// - Returns: The snapshot.
  public func snapshot() async -> BusSnapshot { await link.snapshot() }
}

/// A named consumer that can say how far it is.
protocol Consuming: AnyObject, Sendable {
  /// What this process knows.
  var known: BusSnapshot.Consumer { get }
  /// Takes no more messages, and ends when the message that slots have is handled and marked.
  func stop()
  /// Asks the servers.
  func ask() async throws(BusError) -> BusSnapshot.Consumer
}

extension Link {
  func snapshot() async -> BusSnapshot {
    var snapshot = await localSnapshot()
    let (isConnected, consumers) = (
      snapshot.state == .connected, consumers.withLock { Array($0.values) }
    )
    snapshot.consumers = await withTaskGroup { group in
      for consumer in consumers {
        group.addTask { await self.ask(consumer, isConnected) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    snapshot.consumers.sort { ($0.stream, $0.name.text) < ($1.stream, $1.name.text) }
    return snapshot
  }

  /// Asks about a consumer, and waits for no longer than ``BusOptions/timeout``.
  private func ask(_ consumer: any Consuming, _ isConnected: Bool) async -> BusSnapshot.Consumer {
    var known = consumer.known
    if !isConnected {
      known.error = .connection(reason: "there is no connection")
      return known
    }
    let name = "\(known.stream).\(known.name)"
    let (results, done) = AsyncStream.makeStream(of: Result<BusSnapshot.Consumer, BusError>.self)
    let asking = Task {
      let result: Result<BusSnapshot.Consumer, BusError>
      do throws(BusError) { result = .success(try await consumer.ask()) } catch {
        result = .failure(error)
      }
      done.yield(result)
    }
    wire.asyncAfter(deadline: .now() + .nanoseconds(Int(options.timeout.nanoseconds))) {
      done.yield(.failure(.timeout(subject: name)))
    }
    var first = results.makeAsyncIterator()
    defer { asking.cancel() }
    switch await first.next() {
    case .success(let asked): return asked
    case .failure(let error): known.error = error
    case nil: known.error = .closed  // The task of the caller is cancelled.
    }
    return known
  }

  /// The number of messages of a stream from a sequence on, and the age of the first of them.
  func rest(
    of stream: String, from sequence: UInt64, on filter: SubjectPattern?
  ) async throws(BusError) -> (count: Int, age: Duration?) {
    var settings = StreamStart.sequence(sequence).settings(keptFor: .seconds(1))
    if let filter { settings["filter_subject"] = filter.text }
    let bytes = try await ask(
      "CONSUMER.CREATE.\(stream)", ["stream_name": stream, "config": settings])
    struct Made: Decodable { let num_pending: Int }
    guard let made = try? JSONDecoder().decode(Made.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: String(decoding: bytes, as: UTF8.self))
    }
    return (
      made.num_pending,
      made.num_pending == 0 ? nil : try await age(of: sequence, on: filter, in: stream)
    )
  }

  /// Returns what JetStream says about a shared consumer.
  func state(of consumer: Name, in stream: String) async throws(BusError) -> SharedConsumerState {
    let bytes = try await ask("CONSUMER.INFO.\(stream).\(consumer)", [:])
    guard let state = try? JSONDecoder().decode(SharedConsumerState.self, from: Data(bytes)) else {
      throw .refused(subject: stream, code: 0, reason: String(decoding: bytes, as: UTF8.self))
    }
    return state
  }

  /// The age of the first message at or behind a sequence.
  func age(
    of sequence: UInt64, on filter: SubjectPattern?, in stream: String
  ) async throws(BusError) -> Duration? {
    let found = try await message(from: sequence, on: filter?.text ?? ">", in: stream)
    return found?.date.map { .seconds(max(0, -$0.timeIntervalSinceNow)) }
  }
}

/// What JetStream says about a shared consumer.
struct SharedConsumerState: Decodable {
  struct Position: Decodable { let stream_seq: UInt64 }
  /// All messages up to this one are acknowledged.
  let ack_floor: Position
  let num_pending: Int
  let num_ack_pending: Int
  var lag: Int { num_pending + num_ack_pending }
}

extension StoredMessage.Body {
  /// The time at which the message was stored.
  fileprivate var date: Date? {
    guard let time else { return nil }
    let parts = time.prefix { $0 != "Z" }.split(separator: ".")
    guard let seconds = parts.first,
      let date = try? Date("\(seconds)Z", strategy: .iso8601)
    else { return nil }
    return date + (parts.count > 1 ? Double("0.\(parts[1])") ?? 0 : 0)
  }
}

extension BusSnapshot: CustomStringConvertible {
  /// Three tables: the servers, what waits, and the consumers.
  public var description: String {
    let servers = servers.map { ["  \($0.address)", $0.isConnected ? "connected" : ""] }
    var waiting = [["waiting", "messages", "bytes", ""]]
    func add(_ name: String, _ what: Waiting, _ more: String = "") {
      waiting.append(["  \(name)", "\(what.messages)", "\(what.bytes)", more])
    }
    for one in subscriptions {
      add(one.subject, one.waiting, one.group.map { "shared by \($0)" } ?? "")
    }
    for one in streams { add("to stream \(one.name)", one.waiting) }
    add("outbox", outbox, unconfirmed > 0 ? "\(unconfirmed) unconfirmed" : "")
    let head = consumers.isEmpty ? [] : [["consumers", "handled", "lag", "age", ""]]
    return ["\(state)", table(servers), table(waiting), table(head + consumers.map(\.row))]
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension BusSnapshot.Consumer {
  fileprivate var row: [String] {
    let more =
      if let error {
        "\(error)"
      } else if let unacknowledged {
        "shared, \(unacknowledged) unacknowledged"
      } else {
        holder.map { isHeldHere ? "held by \($0), here" : "held by \($0)" } ?? "held by nobody"
      }
    let seconds = age.map { String(format: "%.1f s", $0 / .seconds(1)) } ?? ""
    return ["  \(stream).\(name)", "\(handledSequence)", lag.map { "\($0)" } ?? "?", seconds, more]
  }
}

/// Returns the rows with aligned columns: texts in the first and the last one, numbers in between.
private func table(_ rows: [[String]]) -> String {
  let widths = (0..<(rows.first?.count ?? 0)).map { column in
    rows.map { $0[column].count }.max() ?? 0
  }
  return rows.map { row in
    var line = ""
    for (column, text) in row.enumerated() {
      let space = String(repeating: " ", count: widths[column] - text.count)
      line += column == 0 || column == row.count - 1 ? "\(text)\(space)  " : "\(space)\(text)  "
    }
    return String(line.reversed().drop { $0 == " " }.reversed())
  }.joined(separator: "\n")
}
