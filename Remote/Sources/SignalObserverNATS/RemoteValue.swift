import Foundation
public import SignalObserver

/// A value that all processes share: an `EmitterValue` that the servers keep.
///
/// ``Bus/value(_:of:initially:)`` makes one. A slot gets the current value when it is connected,
/// and then every newer one. The servers give each set a revision. Every slot in every process gets
/// the sets in the order of their revisions, and ends on the newest. If a process is more than 64
/// sets behind, because it was disconnected or is slow, its slots do not get the oldest of them.
///
/// ```swift
/// let title = try await bus.value("config.title", of: String.self, initially: "News")
/// title.connect(on: .inline) { title in print(title) }  // News, or the current title
/// title.value = "Today"  // everywhere
/// let visits = try await bus.value("visits", of: Int.self, initially: 0)
/// try await visits.modify { $0 += 1 }  // compare and set, among all processes
/// ```
public final class RemoteValue<Value: Sendable>: Sendable {
  private let record: SharedRecord<Value>

  init(_ record: SharedRecord<Value>) {
    self.record = record
  }

  deinit { record.finish() }

  /// The newest value that this process knows of.
  ///
  /// Setting it returns at once. The value is delivered, in this process, too, when the servers
  /// have given it a revision. While one set is under way, or there is no connection, only the last
  /// of the waiting sets is made. If a set fails, ``Bus/errors`` reports it. To wait for the
  /// servers, use ``set(_:)``. If the new value depends on the old one, use ``modify(_:)``.
  public var value: Value {
    get { record.value }
    set { record.setLater(newValue) }
  }

  /// The revision of ``value``.
  ///
  /// A newer value has a greater revision.
  public var revision: UInt64 { record.revision }

  /// Sets the value, and waits until the servers have stored it.
  ///
  /// - Returns: The revision of the value.
  /// - Throws: ``BusError`` if the value cannot be encoded or is too large, or if the bus is
  ///   closed.
  @discardableResult
  public func set(_ value: Value) async throws -> UInt64 { try await record.set(value) }

  /// Reads and sets the value in one step, across all processes.
  ///
  /// - Parameter body: A function that changes a copy of the value. If another process has set the
  ///   value meanwhile, it runs again with the newest value, so it should have no other effect. If
  ///   it throws an error, nothing is set.
  /// - Returns: The result of the last call of `body`.
  /// - Throws: The error of `body`, or ``BusError``. It is
  ///   ``BusError/undecodable(subject:bytes:reason:)`` if this program cannot decode what is stored,
  ///   which then stays as it is.
  public func modify<Result: Sendable>(
    _ body: @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await record.modify(body)
  }

  /// The value as a ``SignalValue`` of this process, to which others connect.
  ///
  /// Its connections end when the remote value is dropped.
  public var signal: SignalValue<Value> { record.signal }
}

extension RemoteValue: SignalSource {
  /// Adds a slot behind the others, and delivers the current value to it.
  ///
  /// The connect forms call this. A connected slot keeps the remote value alive. When the bus is
  /// closed, no slot gets a value.
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    record.signal.attach(
      slot.compactAdapted { (value: Value) in
        withExtendedLifetime(self) { self.record.isOver ? nil : value }
      })
  }
}

extension Bus {
  /// Returns the shared value with a name, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - name: The key.
  ///   - type: The type of the value.
  ///   - initial: The first value. It is not used if a process has made the value before.
  ///   - coding: The coding that turns values into bytes, and bytes into values.
  /// - Returns: The value, which has the newest value of this moment.
  /// - Throws: ``BusError``.
  public func value<Value: Sendable>(
    _ name: Subject, of type: Value.Type, initially initial: Value, as coding: Coding<Value>
  ) async throws -> RemoteValue<Value> {
    let record = SharedRecord(link, name, initial, coding)
    try await record.open()
    return RemoteValue(record)
  }

  /// Returns the shared value with a name, as JSON, and makes it if there is none.
  ///
  /// See ``value(_:of:initially:as:)``.
  public func value<Value: Codable & Sendable>(
    _ name: Subject, of type: Value.Type, initially initial: Value
  ) async throws -> RemoteValue<Value> {
    try await value(name, of: type, initially: initial, as: .json)
  }
}

extension Bus {
  /// Returns the names of all shared values, in no particular order.
  ///
  /// It asks the servers once for each value.
  ///
  /// - Throws: ``BusError``.
  public func valueNames() async throws(BusError) -> [Subject] {
    try await link.makeBucket(valueBucket, replicas: 1)
    var names: [Subject] = []
    for subject in try await link.subjects(of: valueBucket.name) {
      let newest = try await link.newest(of: subject, in: valueBucket.name)
      guard let newest, !newest.isDeletion else { continue }
      names.append(try Subject(String(subject.dropFirst(valuePrefix.count))))
    }
    return names
  }

  /// Deletes a shared value from the servers.
  ///
  /// A ``RemoteValue`` of that name keeps the value that it has. Setting it, or calling
  /// ``value(_:of:initially:)``, makes the value again.
  ///
  /// - Parameter name: The key. If there is no such value, nothing happens.
  /// - Throws: ``BusError``.
  public func removeValue(_ name: Subject) async throws(BusError) {
    try await link.makeBucket(valueBucket, replicas: 1)
    let subject = valuePrefix + name.text
    guard let newest = try await link.newest(of: subject, in: valueBucket.name),
      !newest.isDeletion
    else { return }
    // This message takes the place of all earlier ones of the subject.
    _ = try await link.store(
      [], to: subject, id: UUID().uuidString,
      headers: [("KV-Operation", "PURGE"), ("Nats-Rollup", "sub")])
  }
}

private let valueBucket = StreamDefinition.bucket("signals", history: 64)
private let valuePrefix = "$KV.signals."

/// A key of the bucket, as this process knows it.
final class SharedRecord<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var revision: UInt64 = 0
    /// The revision that slots got last.
    var delivered: UInt64 = 0
    var waiting: Value?
    var isSetting = false
    var task: Task<Void, Never>?
    var isFinished = false
    /// The time at which the bucket was made.
    var created = ""
  }

  private let state: Locked<State>
  private let emitter: Locked<EmitterValue<Value>?>
  let signal: SignalValue<Value>
  private let link: Link
  private let subject: String
  private let coding: Coding<Value>
  private let initial: Value

  init(_ link: Link, _ name: Subject, _ initial: Value, _ coding: Coding<Value>) {
    self.link = link
    self.initial = initial
    self.coding = coding
    subject = valuePrefix + name.text
    state = Locked(State(value: initial))
    let emitter = EmitterValue(initial)
    signal = emitter.signal
    self.emitter = Locked(emitter)
  }

  var value: Value { state.withLock { $0.value } }
  var revision: UInt64 { state.withLock { $0.revision } }
  private var stream: String { valueBucket.name }
  /// Whether nothing is delivered any more.
  var isOver: Bool { link.hasClosed }

  /// Finds or makes the value, and follows it from then on.
  func open() async throws {
    try await find(initial)
    let task = Task { await self.follow() }
    let isFinished = state.withLock { state in
      state.task = task
      return state.isFinished
    }
    if isFinished { task.cancel() }
  }

  /// Finds or makes the value in the present bucket.
  private func find(_ initial: Value) async throws(BusError) {
    try await link.makeBucket(valueBucket, replicas: 1)
    let info = try await link.info(of: stream)
    state.withLock { state in
      if info.wasMade(at: state.created) { return }
      // Revisions begin again.
      state.revision = 0
      state.delivered = 0
      state.created = info.created
    }
    let bytes = try encode(initial)
    search: while true {
      switch try await refresh() {
      case .value: break search
      case .undecodable(let bytes, let error):
        bytes.withUnsafeBytes { link.reportUndecodable($0, of: subject, error) }
        break search
      case .nothing(let expected):
        if let made = try await link.compareAndSet(
          bytes, to: subject, in: stream, id: UUID().uuidString, expected: expected)
        {
          know(initial, made)
          break search
        }
      }
    }
    deliver(state.withLock { ($0.value, $0.revision) })
  }

  func finish() {
    let task = state.withLock { state in
      state.isFinished = true
      return state.task.take()
    }
    task?.cancel()
    if task == nil { end() }
  }

  private func end() {
    let ended = emitter.withLock { $0.take() }
    withExtendedLifetime(ended) {}
  }

  private func follow() async {
    // The last reported error, so that a lasting one is reported once.
    var reported: BusError?
    while !Task.isCancelled, !link.hasClosed {
      do throws(BusError) {
        let (first, created) = state.withLock { ($0.delivered + 1, $0.created) }
        var reader = StreamReader(link: link, stream: stream, filter: subject, created: created)
        try await reader.run(from: first) { item throws(BusError) in
          reported = nil
          if item.message.header("KV-Operation") != nil { return true }
          do {
            let value = try coding.decode(item.message.bytes)
            know(value, item.sequence)
            deliver((value, item.sequence))
          } catch {
            link.reportUndecodable(item.message.bytes, of: subject, error)
          }
          return true
        }
      } catch .closed {
        break
      } catch {
        if case .storeLost(let name) = error {
          link.reportLost(name)
        } else if reported != error {
          link.report(error)
        }
        reported = error
        try? await Task.sleep(for: .milliseconds(500))
        // Unless another process was faster, the newest value that is left is the one in this
        // process.
        if case .storeLost = error { try? await find(state.withLock { $0.value }) }
      }
    }
    end()
  }

  private func know(_ value: Value, _ revision: UInt64) {
    state.withLock { state in
      guard revision > state.revision else { return }
      state.value = value
      state.revision = revision
    }
  }

  /// Delivers a value to the slots, unless they have a newer one.
  private func deliver(_ newest: (value: Value, revision: UInt64)) {
    let isNew = state.withLock { state in
      guard newest.revision > state.delivered, !link.hasClosed else { return false }
      state.delivered = newest.revision
      return true
    }
    guard isNew else { return }
    emitter.withLock { $0 }?.set(newest.value, isolation: nil)
  }

  private enum Found {
    case value(Value, UInt64)
    case undecodable([UInt8], any Error)
    /// The key was never set, or was deleted.
    case nothing(after: UInt64)
  }

  /// Asks the servers for the newest value.
  private func refresh() async throws(BusError) -> Found {
    guard let found = try await link.newest(of: subject, in: stream) else {
      return .nothing(after: 0)
    }
    if found.isDeletion { return .nothing(after: found.seq) }
    do {
      let value = try found.bytes.withUnsafeBytes { try coding.decode($0) }
      know(value, found.seq)
      return .value(value, found.seq)
    } catch {
      return .undecodable(found.bytes, error)
    }
  }

  // MARK: - Setting

  func set(_ value: Value) async throws -> UInt64 {
    let bytes = try encode(value)
    let revision = try await link.store(bytes, to: subject, id: UUID().uuidString)
    know(value, revision)
    return revision
  }

  func modify<Result: Sendable>(
    _ body: @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    // What the servers have said last: they may have lost what this process knows. If they have no
    // value, the next one is made from the last one that this process knows.
    var newest: (value: Value?, revision: UInt64)?
    while true {
      let known = state.withLock { ($0.value, $0.revision) }
      var value = newest?.value ?? known.0
      let result = try body(&value)
      let bytes = try encode(value)
      let id = UUID().uuidString
      if let new = try await link.compareAndSet(
        bytes, to: subject, in: stream, id: id, expected: newest?.revision ?? known.1)
      {
        know(value, new)
        return result
      }
      switch try await refresh() {
      case .value(let value, let revision): newest = (value, revision)
      case .nothing(let after): newest = (nil, after)
      case .undecodable(let bytes, let error):
        throw BusError.undecodable(subject: subject, bytes: bytes, reason: "\(error)")
      }
    }
  }

  /// Sets the value, in the order of the calls.
  ///
  /// Of several waiting sets, only the last one is made.
  func setLater(_ value: Value) {
    let isFirst = state.withLock { state in
      state.waiting = .some(value)
      defer { state.isSetting = true }
      return !state.isSetting
    }
    guard isFirst else { return }
    link.values.withLock { $0 += 1 }
    Task {
      defer { link.values.withLock { $0 -= 1 } }
      while let value = state.withLock({ state -> Value? in
        if state.waiting == nil { state.isSetting = false }
        defer { state.waiting = nil }
        return state.waiting
      }) {
        do {
          _ = try await set(value)
        } catch {
          link.report(
            (error as? BusError) ?? .refused(subject: subject, code: 0, reason: "\(error)"))
        }
      }
    }
  }

  private func encode(_ value: Value) throws(BusError) -> [UInt8] {
    do { return try coding.encode(value) } catch {
      throw .unencodable(subject: subject, reason: "\(error)")
    }
  }
}
