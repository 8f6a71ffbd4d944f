import Foundation
public import SignalObserver
import Synchronization

/// A value that all processes share: an `EmitterValue` that the servers keep.
///
/// Made by ``Bus/value(_:of:initially:)``. Connecting delivers the current value first, and then every
/// newer one. Sets of all processes are ordered by the servers: every slot in every process is
/// delivered them in the order of their revisions, and ends on the newest. A process that is more than
/// 64 sets behind, because it was disconnected or is slow, is spared the oldest of them.
///
/// ```swift
/// let title = try await bus.value("config.title", of: String.self, initially: "News")
/// title.connect(label, Label.show)
/// title.value = "Today"
/// let count = try await bus.value("visits", of: Int.self, initially: 0)
/// try await count.modify { $0 += 1 }
/// ```
public final class RemoteValue<Value: Sendable>: Sendable {
  private let record: SharedRecord<Value>

  init(_ record: SharedRecord<Value>) {
    self.record = record
  }

  deinit { record.finish() }

  /// The newest value that this process knows of.
  ///
  /// Setting returns at once; the value is delivered, here too, when the servers have given it its
  /// revision. While one set is under way, or there is no connection, of several that wait the last is
  /// made. What cannot be set is an error of the bus.
  public var value: Value {
    get { record.value }
    set { record.setLater(newValue) }
  }

  /// The revision of ``value``: greater is newer.
  public var revision: UInt64 { record.revision }

  /// Sets the value, and waits until the servers have it.
  ///
  /// - Returns: Its revision.
  /// - Throws: ``BusError`` if it cannot be encoded, is too large, or the bus is closed.
  @discardableResult
  public func set(_ value: Value) async throws -> UInt64 { try await record.set(value) }

  /// Changes the value by reading and setting it in one step, among all processes.
  ///
  /// - Parameter body: Changes the value. It is given a copy, and again the newest if another process
  ///   was first, so it should do nothing else. If it throws, nothing is set.
  /// - Returns: What `body` returned when it ran last.
  /// - Throws: What `body` throws, or ``BusError``.
  @discardableResult
  public func modify<Result: Sendable>(
    _ body: @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await record.modify(body)
  }

  /// What others connect to, as they do to any value of this process.
  ///
  /// It ends when the remote value is dropped.
  public var signal: SignalValue<Value> { record.signal }
}

extension RemoteValue: SignalSource {
  /// Adds a slot behind the others and delivers the current value to it.
  ///
  /// The connect forms call this. A connected slot keeps the value.
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    record.signal.attach(slot.adapted { (value: Value) in withExtendedLifetime(self) { value } })
  }
}

extension Bus {
  /// The shared value of a name, which is made if there is none.
  ///
  /// - Parameters:
  ///   - name: The key: letters, digits, `-`, `_`, `=`, `/`, with `.` between its parts.
  ///   - type: What it is.
  ///   - initial: What it is made with. If it exists already, in any process, this is not used.
  ///   - coding: How values become bytes, and bytes values.
  /// - Returns: The value, which knows the newest of now.
  /// - Throws: ``BusError``.
  public func value<Value: Sendable>(
    _ name: String, of type: Value.Type, initially initial: Value, as coding: Coding<Value>
  ) async throws -> RemoteValue<Value> {
    let record = SharedRecord(link, name, initial, coding)
    try await record.open()
    return RemoteValue(record)
  }

  /// The shared value of a name, as JSON, which is made if there is none.
  ///
  /// See ``value(_:of:initially:as:)``.
  public func value<Value: Codable & Sendable>(
    _ name: String, of type: Value.Type, initially initial: Value
  ) async throws -> RemoteValue<Value> {
    try await value(name, of: type, initially: initial, as: .json)
  }
}

/// A key of the bucket, as this process knows it.
final class SharedRecord<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var revision: UInt64 = 0
    /// The revision that slots were last told of.
    var delivered: UInt64 = 0
    var waiting: Value?
    var isSetting = false
    var task: Task<Void, Never>?
    var isFinished = false
  }

  static var bucket: String { "signals" }

  private let state: Mutex<State>
  private let emitter: Mutex<EmitterValue<Value>?>
  let signal: SignalValue<Value>
  private let link: Link
  private let subject: String
  private let coding: Coding<Value>
  private let initial: Value

  init(_ link: Link, _ name: String, _ initial: Value, _ coding: Coding<Value>) {
    self.link = link
    self.initial = initial
    self.coding = coding
    subject = "$KV.\(Self.bucket).\(name)"
    state = Mutex(State(value: initial))
    let emitter = EmitterValue(initial)
    signal = emitter.signal
    self.emitter = Mutex(emitter)
  }

  var value: Value { state.withLock { $0.value } }
  var revision: UInt64 { state.withLock { $0.revision } }
  private var stream: String { "KV_\(Self.bucket)" }

  /// Finds the value or makes it, and follows it from then on.
  func open() async throws {
    try await link.makeBucket(Self.bucket, history: 64)
    let bytes = try encode(initial)
    while try await !refresh() {
      let id = UUID().uuidString
      if let made = try await link.compareAndSet(bytes, to: subject, id: id, expected: 0) {
        know(initial, made)
        break
      }
    }
    deliver(state.withLock { ($0.value, $0.revision) })
    let task = Task { await self.follow() }
    let isFinished = state.withLock { state in
      state.task = task
      return state.isFinished
    }
    if isFinished { task.cancel() }
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
    while !Task.isCancelled, !link.hasClosed {
      do throws(BusError) {
        let from = state.withLock { $0.delivered + 1 }
        try await StreamReader(link: link, stream: stream, filter: subject).run(
          from: .sequence(from)
        ) { item throws(BusError) in
          do {
            let value = try coding.decode(item.message.bytes)
            know(value, item.sequence)
            deliver((value, item.sequence))
          } catch {
            link.report(
              .undecodable(
                subject: subject, bytes: [UInt8](item.message.bytes), reason: "\(error)"))
          }
          return true
        }
      } catch .closed {
        break
      } catch {
        link.report(error)
        try? await Task.sleep(for: .seconds(1))
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

  /// Tells the slots of a value, unless they know a newer one.
  private func deliver(_ newest: (value: Value, revision: UInt64)) {
    let isNew = state.withLock { state in
      guard newest.revision > state.delivered else { return false }
      state.delivered = newest.revision
      return true
    }
    guard isNew else { return }
    emitter.withLock { $0 }?.set(newest.value, isolation: nil)
  }

  /// Asks for the newest value.
  ///
  /// - Returns: Whether there is one.
  private func refresh() async throws -> Bool {
    guard let found = try await link.newest(of: subject, in: stream) else { return false }
    do {
      know(try found.bytes.withUnsafeBytes { try coding.decode($0) }, found.seq)
    } catch {
      throw BusError.undecodable(subject: subject, bytes: found.bytes, reason: "\(error)")
    }
    return true
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
    while true {
      let known = state.withLock { ($0.value, $0.revision) }
      var value = known.0
      let result = try body(&value)
      let bytes = try encode(value)
      let id = UUID().uuidString
      if let new = try await link.compareAndSet(bytes, to: subject, id: id, expected: known.1) {
        know(value, new)
        return result
      }
      _ = try await refresh()
    }
  }

  /// Sets in the order of the calls; of those that wait, the last.
  func setLater(_ value: Value) {
    let isFirst = state.withLock { state in
      state.waiting = .some(value)
      defer { state.isSetting = true }
      return !state.isSetting
    }
    guard isFirst else { return }
    Task {
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
