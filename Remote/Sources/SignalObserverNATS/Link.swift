import CNats
import Foundation
import SignalObserver
import Synchronization

/// What all parts of a bus share: its connections, one after the other, and the queue that uses them.
///
/// Ownership:
///
///     Bus ──▶ Link ──▶ Connection
///              │ └───▶ Inlet ──▶ what a signal, stream or value has received
///              └─────▶ Outbox          │
///     RemoteSignal … ──────────────────┘      closing the link drops the inlets
///
/// `@unchecked Sendable`: what is not constant is used on `wire` only, or guards itself.
@usableFromInline
final class Link: @unchecked Sendable {
  struct Waiter {
    let continuation: CheckedContinuation<Void, any Error>
    /// How many messages must be confirmed.
    let published: Int
  }

  let options: BusOptions
  /// Everything that uses the connection runs here, in order.
  let wire = DispatchQueue(label: "signalobserver.nats.wire")
  /// Waits for the server's confirmations.
  private let confirming = DispatchQueue(label: "signalobserver.nats.confirm")
  /// Sends states and errors, in order.
  private let announcing = DispatchQueue(label: "signalobserver.nats.announce")
  let state = EmitterValue(ConnectionState.connecting)
  let errors = Emitter<BusError>()
  let outbox: Outbox
  /// Where answers come to, with a name of its own for each bus.
  let inbox: String

  // MARK: - State of the wire

  private var connection: Connection?
  /// Counts the connections.
  private(set) var epoch = 0
  private var servers: [String]
  private var inlets: [ObjectIdentifier: Inlet] = [:]
  private var onConnected: [ObjectIdentifier: @Sendable () -> Void] = [:]
  private var isClosed = false
  private var delay = Duration.milliseconds(50)
  private var batch = Outbox.Batch()
  private var next = 0
  private var published = 0
  private var confirmed = 0
  private var isConfirming = false
  /// Whether libnats has something in its buffer, which it would keep for a millisecond.
  private var isUnflushed = false
  private var waiters: [Waiter] = []
  private var arrivals: [CheckedContinuation<Void, any Error>] = []

  /// The largest message that the server takes, and whether the bus is closed, for any thread.
  private let limit = Mutex((maxPayload: Int.max, isClosed: false))
  let requests = Requests()

  init(_ servers: [String], _ options: BusOptions) {
    self.servers = servers
    self.options = options
    outbox = Outbox(options.outboxLimit)
    inbox = "_INBOX.\(UUID().uuidString.lowercased().filter { $0 != "-" })"
  }

  // MARK: - Connecting

  /// Makes the first connection.
  func open() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async {
        do {
          try self.connect()
          let requests = self.requests
          self.add(Inlet("\(self.inbox).r.*", receive: { requests.receive($0) }))
          done.resume()
        } catch {
          self.isClosed = true
          self.limit.withLock { $0.isClosed = true }
          self.announce(.closed)
          done.resume(throwing: error)
        }
      }
    }
  }

  /// On the wire: tries all servers once.
  private func connect() throws(BusError) {
    let epoch = epoch + 1
    let connection = try Connection(
      servers, options,
      closed: { [weak self] in self?.hasLost(epoch) },
      slow: { [weak self] in
        self?.report(.connection(reason: "libnats dropped messages: no processor for its thread"))
      })
    self.epoch = epoch
    self.connection = connection
    delay = .milliseconds(50)
    for server in connection.discovered {
      let address = "nats://\(server)"
      if !servers.contains(where: { $0.hasSuffix(server) }) { servers.append(address) }
    }
    limit.withLock { $0.maxPayload = connection.maxPayload }
    for inlet in inlets.values { subscribe(inlet) }
    outbox.setOpen(true)
    announce(.connected)
    for body in onConnected.values { body() }
    let waiting = arrivals
    arrivals = []
    for arrival in waiting { arrival.resume() }
    pump()
    confirm()
  }

  /// On a thread of libnats: a connection has ended.
  private func hasLost(_ epoch: Int) {
    wire.async { self.lose(epoch) }
  }

  /// On the wire: a connection has ended.
  private func lose(_ ended: Int) {
    guard ended == epoch, connection != nil else { return }
    connection = nil
    for inlet in inlets.values { inlet.forget() }
    requests.failAll(.connection(reason: "the connection was lost"))
    if published > confirmed {
      report(.lost(count: published - confirmed, subject: nil, because: .unconfirmed))
      confirmed = published
    }
    if isClosed { return }
    if !options.buffersWhileDisconnected {
      outbox.setOpen(false)
      dropBatch()
    }
    announce(.reconnecting)
    retry()
  }

  private func retry() {
    wire.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { [weak self] in
      guard let self, !isClosed else { return }
      do throws(BusError) {
        try connect()
      } catch {
        report(error)
        delay = min(delay * 2, options.longestDelay)
        retry()
      }
    }
  }

  /// Ends everything that the bus has given out.
  func close() {
    limit.withLock { $0.isClosed = true }
    wire.async { [self] in
      if isClosed { return }
      pump()
      isClosed = true
      let ended = Array(inlets.values)
      for inlet in ended { inlet.unsubscribe() }
      inlets = [:]
      onConnected = [:]
      // Its end flushes what libnats has in its buffer.
      connection = nil
      for inlet in ended { inlet.end() }
      requests.failAll(.closed)
      for waiter in waiters { waiter.continuation.resume(throwing: BusError.closed) }
      waiters = []
      for arrival in arrivals { arrival.resume(throwing: BusError.closed) }
      arrivals = []
      announce(.closed)
    }
  }

  var hasClosed: Bool { limit.withLock { $0.isClosed } }

  /// Waits until there is a connection.
  func whenConnected() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async { [self] in
        if isClosed {
          done.resume(throwing: BusError.closed)
        } else if connection != nil {
          done.resume()
        } else {
          arrivals.append(done)
        }
      }
    }
  }

  /// On the wire: calls `body` there at each new connection, until `owner` is removed.
  func onConnection(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
    onConnected[ObjectIdentifier(owner)] = body
  }

  func removeOnConnection(_ owner: ObjectIdentifier) {
    wire.async { self.onConnected[owner] = nil }
  }

  // MARK: - Receiving

  /// Subscribes, now and on every later connection.
  func add(_ inlet: Inlet) {
    wire.async { [self] in
      if isClosed { return inlet.end() }
      inlets[ObjectIdentifier(inlet)] = inlet
      subscribe(inlet)
    }
  }

  func remove(_ inlet: Inlet) {
    wire.async { [self] in
      inlets[ObjectIdentifier(inlet)] = nil
      inlet.unsubscribe()
    }
  }

  private func subscribe(_ inlet: Inlet) {
    guard let connection else { return }
    let status = inlet.subscribe(on: connection.pointer)
    if status == NATS_INVALID_SUBJECT {
      report(.refused(subject: inlet.subject, code: 0, reason: "the subject is not valid"))
    }
  }

  // MARK: - Sending over core subjects

  /// Takes a message in, on the thread of the emission.
  @usableFromInline
  func publish(_ bytes: [UInt8], to subject: Subject) {
    let maxPayload = limit.withLock { $0.maxPayload }
    if bytes.count > maxPayload {
      return report(.tooLarge(subject: subject.text, size: bytes.count, limit: maxPayload))
    }
    switch outbox.append(bytes, to: subject) {
    case .first: wire.async { self.pump() }
    case .firstLost: countLosses()
    case .queued, .lost: break
    }
  }

  var maxPayload: Int { limit.withLock { $0.maxPayload } }

  /// Announces what was lost, a moment after the first, so that a flood makes few announcements.
  private func countLosses() {
    announcing.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      let count = outbox.takeLost()
      if count > 0 {
        errors.invoke(.lost(count: count, subject: nil, because: .outboxFull))
      }
    }
  }

  /// On the wire: sends what there is, as long as there is a connection.
  private func pump() {
    while let connection {
      if next == batch.entries.count {
        batch.clear()
        next = 0
        if !outbox.take(into: &batch) { break }
      }
      let first = next
      let begin = first == 0 ? 0 : batch.entries[first - 1].end
      let isWhole = batch.bytes.withUnsafeBytes { bytes in
        var start = begin
        while next < batch.entries.count {
          let entry = batch.entries[next]
          let status = natsConnection_Publish(
            connection.pointer, entry.subject.characters, bytes.baseAddress.map { $0 + start },
            Int32(entry.end - start))
          switch status {
          case NATS_OK: published += 1
          case NATS_MAX_PAYLOAD:
            report(
              .tooLarge(
                subject: entry.subject.text, size: entry.end - start, limit: connection.maxPayload))
          case NATS_INVALID_SUBJECT, NATS_INVALID_ARG:
            report(
              .refused(subject: entry.subject.text, code: 0, reason: "the subject is not valid"))
          default: return false  // The end of the connection is announced next.
          }
          start = entry.end
          next += 1
        }
        return true
      }
      let end = next == 0 ? 0 : batch.entries[next - 1].end
      outbox.sent(end - begin, messages: next - first)
      confirm(isSmall: next - first <= 64)
      if !isWhole { break }
    }
  }

  /// Loses what the wire had taken and not sent.
  private func dropBatch() {
    repeat {
      let count = batch.entries.count - next
      let begin = next == 0 ? 0 : batch.entries[next - 1].end
      outbox.sent(batch.bytes.count - begin, messages: count)
      outbox.countLost(count)
      batch.clear()
      next = 0
    } while outbox.take(into: &batch)
    countLosses()
  }

  /// On the wire: flushes, and asks the server for a sign that it has what was sent, unless that is
  /// under way.
  ///
  /// Looks at once for an answer that comes at once: another queue takes its time to begin.
  private func confirm(isSmall: Bool = false) {
    if isSmall, !isConfirming, waiters.isEmpty, let connection {
      isUnflushed = false
      if natsConnection_FlushTimeout(connection.pointer, 1) == NATS_OK {
        confirmed = published
        return
      }
    }
    guard !isConfirming, let connection,
      published > confirmed || !waiters.isEmpty || isUnflushed
    else { return }
    isConfirming = true
    isUnflushed = false
    let target = published
    let epoch = epoch
    confirming.async { [weak self] in
      let status = natsConnection_FlushTimeout(connection.pointer, 10_000)
      self?.hasConfirmed(target, epoch, status == NATS_OK)
    }
  }

  private func hasConfirmed(_ target: Int, _ epoch: Int, _ isConfirmed: Bool) {
    wire.async { [self] in
      isConfirming = false
      if isConfirmed, epoch == self.epoch {
        confirmed = max(confirmed, target)
        resumeWaiters(target)
      }
      confirm()
    }
  }

  private func resumeWaiters(_ target: Int) {
    let ready = waiters.filter { $0.published <= target }
    waiters.removeAll { $0.published <= target }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Waits until the server has what was emitted and subscribed before.
  func flush() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async { [self] in
        if isClosed { return done.resume(throwing: BusError.closed) }
        pump()
        // One more than is sent, so that a confirmation on its way does not count.
        published += 1
        confirmed += 1
        waiters.append(Waiter(continuation: done, published: published))
        confirm()
      }
    }
  }

  // MARK: - Sending with headers and an answer

  /// On the wire: sends one message at once.
  func send(
    _ bytes: UnsafeRawBufferPointer, to subject: String, reply: String?,
    headers: [(String, String)] = []
  ) -> natsStatus {
    guard let connection else { return NATS_CONNECTION_DISCONNECTED }
    var message: OpaquePointer?
    var status = natsMsg_Create(
      &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      Int32(bytes.count))
    guard status == NATS_OK, let message else { return status }
    defer { natsMsg_Destroy(message) }
    for (name, value) in headers where status == NATS_OK {
      status = natsMsgHeader_Set(message, name, value)
    }
    if status == NATS_OK { status = natsConnection_PublishMsg(connection.pointer, message) }
    if status == NATS_OK { isUnflushed = true }
    return status
  }

  /// On the wire: flushes what ``send(_:to:reply:headers:)`` was given.
  func flushSoon() { confirm(isSmall: true) }

  /// Sends a request and waits for its answer.
  func request(
    _ subject: String, _ body: [UInt8], headers: [(String, String)] = []
  ) async throws(BusError) -> Answer {
    let result: Result<Answer, BusError> = await withCheckedContinuation { continuation in
      wire.async { [self] in
        if isClosed { return continuation.resume(returning: .failure(.closed)) }
        let number = requests.add(
          subject, after: options.timeout, sweep: sweepRequests
        ) { continuation.resume(returning: $0) }
        let status = body.withUnsafeBytes {
          send($0, to: subject, reply: "\(inbox).r.\(number)", headers: headers)
        }
        if status == NATS_OK {
          flushSoon()
        } else {
          requests.fail(number, .connection(reason: String(cString: natsStatus_GetText(status))))
        }
      }
    }
    return try result.get()
  }

  private func sweepRequests() {
    wire.asyncAfter(deadline: .now() + .milliseconds(250)) { [weak self] in
      guard let self, requests.sweep() else { return }
      sweepRequests()
    }
  }

  // MARK: - Announcing

  @usableFromInline
  func report(_ error: BusError) {
    announcing.async { self.errors.invoke(error) }
  }

  private func announce(_ state: ConnectionState) {
    announcing.async { if self.state.value != .closed { self.state.value = state } }
  }
}
