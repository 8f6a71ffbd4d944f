import CNats
import Foundation
import SignalObserver
import Synchronization

/// The core that all parts of a bus share: its connections, one after the other, and the queue that
/// uses them.
///
/// Ownership:
///
///     Bus ──▶ Link ──▶ Connection ──▶ Subscriptions
///              │ └───▶ Inlet ──▶ what a signal has received
///              ├─────▶ Inbox ──▶ what waits for answers
///              └─────▶ Outbox          │
///     RemoteSignal … ──────────────────┘      closing the link drops the inlets
///
/// All that the class does is in this file, because its state is private: whoever may use that runs
/// on the wire queue.
///
/// Nothing on the wire queue waits for a server. `Attempt` makes connections elsewhere. Four times
/// in each `BusOptions.timeout`, the watch checks whether something has waited for too long.
///
/// `@unchecked Sendable`: everything that is not constant is used on `wire` only, or guards itself.
@usableFromInline
final class Link: @unchecked Sendable {
  struct Waiter {
    let continuation: CheckedContinuation<Void, any Error>
    /// The number of messages that must be confirmed.
    var published: Int
    let deadline: ContinuousClock.Instant
  }

  let options: BusOptions
  let instruments: Instruments
  let tally = Tally()
  /// The queue on which everything runs that uses the connection, in order.
  let wire = DispatchQueue(label: "signalobserver.nats.wire")
  /// The queue that waits for the server's confirmations.
  private let confirming = DispatchQueue(label: "signalobserver.nats.confirm")
  /// The queue that sends states and errors, in order.
  private let announcing = DispatchQueue(label: "signalobserver.nats.announce")
  let state = EmitterValue(ConnectionState.connecting)
  let errors: ErrorLog
  let outbox: Outbox
  let room: Room
  let inbox: Inbox
  let requests = Requests()

  // MARK: - State of the wire

  private var connection: Connection?
  private var servers: ServerList
  private var isAttempting = false
  /// The number of servers that the first round has not tried yet.
  ///
  /// Only errors of the first round are thrown.
  private var firstRound: Int
  private var opener: CheckedContinuation<Void, any Error>?
  /// The errors that were reported since the last connection, so that each one is reported once.
  private var reported: Set<BusError> = []
  /// The patterns to which the server has refused to subscribe, and those that the bus tries again.
  private var (refused, retried): (Set<String>, Set<String>) = ([], [])
  private var lastRetry = ContinuousClock.now
  /// The subjects of refused messages for which somebody waits, and the numbers of others.
  private var (awaited, forbidden): (Set<String>, [String: Int]) = ([], [:])
  private var inlets: [ObjectIdentifier: Inlet] = [:]
  /// The inlets that were added, and that the wire has not noticed yet.
  private let newInlets = Locked<[Inlet]>([])
  private var onConnected: [ObjectIdentifier: @Sendable () -> Void] = [:]
  private var watchers: [ObjectIdentifier: @Sendable (ContinuousClock.Instant) -> Void] = [:]
  private var watch: (any DispatchSourceTimer)?
  private var isClosed = false
  private var delay = Duration.milliseconds(50)
  private var batch = Outbox.Batch()
  private var next = 0
  private var pumpsAgain = false
  private var published = 0
  private var confirmed = 0
  /// The time of the PING that no PONG has answered yet.
  private var confirmingSince: ContinuousClock.Instant?
  private var lastConfirmed = ContinuousClock.now
  /// Whether libnats has unsent messages in its buffer, which it would keep for a millisecond.
  private var isUnflushed = false
  private var waiters: [Waiter] = []
  private var arrivals: [Waiter] = []
  /// The questions that wait for a connection, by the numbers of their requests.
  private var unasked: [UInt64: () -> Void] = [:]
  private var countsDropped = false

  /// The size of the largest message that the server accepts.
  ///
  /// Any thread may read it, and the next one.
  private let limit = Atomic(Int.max)
  /// Whether the bus takes and delivers nothing any more.
  private let isEnding = Atomic(false)
  /// The named consumers that take messages.
  let consumers = Locked<[ObjectIdentifier: any Consuming]>([:])
  /// The times at which somebody last noticed that a stream was lost.
  private let lost = Locked<[String: ContinuousClock.Instant]>([:])
  /// The senders, one for each stream.
  private let senders = Locked<[Name: StreamSender]>([:])

  init(_ servers: [String], _ options: BusOptions) throws(BusError) {
    // The library that is loaded may be older than the one at compile time.
    if nats_GetVersionNumber() < 0x030401 {
      let version = String(cString: nats_GetVersion())
      throw .connection(reason: "libnats \(version) is too old; 3.4.1 or newer is needed")
    }
    self.servers = try ServerList(servers)
    self.options = options
    for server in self.servers.servers {
      let isClear = options.tls == nil && !server.isSecure
      if isClear, !options.allowsPlaintextCredentials,
        options.credentials != nil || server.user != nil
      {
        throw .insecureCredentials(server: server.url)
      }
    }
    firstRound = servers.count
    outbox = Outbox(options.outboxLimit)
    room = Room(options.pendingLimit / 2)
    inbox = Inbox(options.inboxPrefix)
    instruments = Instruments(options.instruments)
    errors = ErrorLog(announcing, instruments.errors)
  }

  // MARK: - Connecting

  /// Makes the first connection.
  func open() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async { [self] in
        let (inbox, requests) = (inbox, requests)
        inbox.open("r") { requests.receive($0) }
        add(Inlet("\(inbox.prefix).>", isAsked: true, receive: { inbox.receive($0) }))
        if options.startsWithoutServer { done.resume() } else { opener = done }
        startWatch()
        connect()
      }
    }
  }

  /// On the wire: tries the next server.
  private func connect() {
    guard !isClosed, connection == nil, !isAttempting else { return }
    isAttempting = true
    let listener = Connection.Listener(
      closed: { [wire, weak self] subscriptions in
        wire.async { [weak self] in
          self?.lose(subscriptions)
          subscriptions.destroyAll()
        }
      },
      failed: { [wire, weak self] status, reason in
        wire.async { [weak self] in self?.fail(status, reason) }
      },
      full: { [wire, weak self] in wire.async { [weak self] in self?.limitBacklog() } })
    Connection.make(to: servers.takeNext(), options, listener) { [wire, weak self] result in
      wire.async { [weak self] in self?.attempted(result) }
    }
  }

  /// On the wire: an attempt has ended.
  private func attempted(_ result: Result<Connection, BusError>) {
    isAttempting = false
    if isClosed { return }
    switch result {
    case .success(let made) where !made.isClosed: begin(made)
    case .success(let made):
      tryAgain(.connection(reason: "\(made.server.url): the connection ended as it was made"))
    case .failure(let error): tryAgain(error)
    }
  }

  private func begin(_ made: Connection) {
    connection = made
    delay = .milliseconds(50)
    firstRound = 0
    (reported, refused, retried, awaited) = ([], [], [], [])
    lastConfirmed = .now
    confirmingSince = nil
    servers.add(made.discovered, by: made.server)
    limit.store(made.maxPayload, ordering: .relaxed)
    for inlet in inlets.values { subscribe(inlet) }
    outbox.setOpen(true)
    announce(.connected)
    // This follows the announcement on its queue, so that the caller finds the new bus connected.
    if let opener = opener.take() { announcing.async { opener.resume() } }
    for body in onConnected.values { body() }
    let waiting = arrivals
    arrivals = []
    for arrival in waiting { arrival.continuation.resume() }
    let questions = unasked.sorted { $0.key < $1.key }
    unasked = [:]
    for question in questions { question.value() }
    pump()
    // What was emitted before a flush has just been sent, and counts from now on.
    for index in waiters.indices { waiters[index].published = published }
    confirm()
  }

  private func tryAgain(_ error: BusError) {
    firstRound -= 1
    if firstRound > 0 { return connect() }
    if let opener = opener.take() {
      end()
      return opener.resume(throwing: error)
    }
    reportOnce(error)
    // The delay is between rounds, so that a dead server does not delay the others.
    wire.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { [weak self] in
      self?.connect()
    }
    delay = min(delay * 2, options.longestDelay)
  }

  /// On the wire: drops a connection that does not work.
  private func drop(_ reason: String) {
    guard let connection else { return }
    reportOnce(failure(reason))
    connection.shut()
    lose(connection.subscriptions)
  }

  /// On the wire: reports the error of a connection or an attempt, unless one of its kind was reported
  /// since there was a connection.
  private func reportOnce(_ error: BusError) {
    var kind = error
    if case .connection(let reason) = error {
      // The server and the kind. What is behind them differs between attempts.
      kind = .connection(reason: reason.components(separatedBy: ": ").prefix(2).joined())
    }
    if reported.insert(kind).inserted { report(error) }
  }

  /// On the wire: a connection has ended.
  private func lose(_ ended: Subscriptions) {
    guard let connection, connection.subscriptions === ended else { return }
    // Servers may have joined the cluster since the connection was made.
    servers.add(connection.discovered, by: connection.server)
    self.connection = nil
    confirmingSince = nil
    requests.failAll(
      .connection(reason: "\(connection.server.url): the connection was lost"))
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
    wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in self?.connect() }
  }

  /// On the wire: libnats has reported an error.
  private func fail(_ status: natsStatus, _ reason: String) {
    switch status {
    case NATS_SLOW_CONSUMER: countDropped()
    case NATS_NOT_PERMITTED:
      let isForSubscription = reason.contains("for Subscription")
      let (text, isWhole) = refusedSubject(in: reason)
      let isRefused = { isWhole ? $0 == text : $0.utf8.starts(with: text.utf8) }
      let pattern =
        isForSubscription ? inlets.values.lazy.map(\.subject).first(where: isRefused) : nil
      let subject = pattern ?? text
      // Each error is reported once for each connection, because the server refuses each new
      // attempt, too.
      if reported.count > 1000 { reported = [] }
      if reported.insert(.notPermitted(subject: subject)).inserted {
        report(.notPermitted(subject: subject))
      }
      if isForSubscription {
        refused.insert(subject)
        retried.remove(subject)
        // Without it, no answer arrives.
        if subject.hasPrefix(inbox.prefix) { requests.failAll(.notPermitted(subject: subject)) }
      } else {
        var isAwaited = requests.fail(where: isRefused)
        for sender in senders.withLock({ Array($0.values) })
        where sender.refuse("not permitted", where: isRefused) { isAwaited = true }
        if isAwaited { awaited.insert(subject) }
        if !awaited.contains(subject) { countForbidden(subject) }
      }
    default:
      let text = natsStatus_GetText(status).map { String(cString: $0) } ?? ""
      let whole = reason.isEmpty ? text : "\(text): \(reason)"
      if status == NATS_CONNECTION_AUTH_FAILED { return drop(whole) }
      reportOnce(failure(whole))
    }
  }

  /// On the wire: an error of the connection, with the address of its server.
  private func failure(_ reason: String) -> BusError {
    .connection(reason: (connection.map { "\($0.server.url): " } ?? "") + reason)
  }

  /// On the wire: subscribes again to what was refused, because the permissions may have changed.
  private func subscribeAgain() {
    // The server has not refused these again.
    for subject in retried { reported.remove(.notPermitted(subject: subject)) }
    (retried, refused, lastRetry) = (refused, [], .now)
    for inlet in inlets.values where retried.contains(inlet.subject) { subscribe(inlet) }
    confirm(always: true)
  }

  /// On the wire: counts a message that the server has not permitted, and reports the number a moment
  /// after the first one.
  private func countForbidden(_ subject: String) {
    let isFirst = forbidden.isEmpty
    forbidden[subject, default: 0] += 1
    guard isFirst else { return }
    wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
      guard let self else { return }
      for (subject, count) in forbidden {
        report(.lost(count: count, subject: subject, because: .notPermitted))
      }
      forbidden = [:]
    }
  }

  // MARK: - Closing

  /// Ends everything that the bus has made, at once, and reports the messages that the servers do
  /// not have.
  func close() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    wire.async { self.end() }
  }

  /// Takes no more messages for consumers.
  func stopConsuming() {
    for consumer in consumers.withLock({ Array($0.values) }) { consumer.stop() }
  }

  /// Closes when the servers have every message, and the consumers, which have been told to stop,
  /// have ended; or when the time is over.
  ///
  /// - Returns: The number of messages that they do not have, as far as is known.
  func close(within limit: Duration) async -> Int {
    let deadline = ContinuousClock.now + limit
    for sender in senders.withLock({ Array($0.values) }) {
      sender.stop()
    }
    repeat {
      wire.async { self.pump() }
      let (left, isConsuming) = await withCheckedContinuation { done in
        wire.async { [self] in
          // Without a connection, no mark can be written.
          let isConsuming = connection != nil && !consumers.withLock { $0.isEmpty }
          done.resume(returning: isClosed ? (0, false) : (unsentCount, isConsuming))
        }
      }
      if left == 0, !isConsuming { break }
      // Answers arrive in this moment.
      await pause(.milliseconds(10))
    } while ContinuousClock.now < deadline
    return await withCheckedContinuation { done in
      isEnding.store(true, ordering: .sequentiallyConsistent)
      wire.async { [self] in
        let left = isClosed ? 0 : unsentCount
        end()
        done.resume(returning: left)
      }
    }
  }

  /// What the bus knows at this moment, without consumers.
  func localSnapshot() async -> BusSnapshot {
    await withCheckedContinuation { done in
      wire.async { [self] in
        let addresses = servers.servers.map { server in
          BusSnapshot.Server(
            address: server.url,
            isConnected: connection.map { $0.server.isSamePlace(as: server) } ?? false)
        }
        let subscriptions = inlets.values.compactMap { inlet -> BusSnapshot.Subscription? in
          guard let pending = inlet.pending else { return nil }
          let (messages, bytes) = connection?.subscriptions.waiting(for: inlet) ?? (0, 0)
          return .init(
            subject: inlet.subject, group: inlet.group,
            waiting: .init(messages: messages + pending.count, bytes: bytes + pending.size))
        }
        let streams = senders.withLock { senders in
          senders.map { BusSnapshot.Stream(name: $0.key, waiting: $0.value.waiting) }
        }
        // The value may not have been announced yet.
        let isNew = state.value == .connecting
        let state: ConnectionState =
          isClosed ? .closed : connection != nil ? .connected : isNew ? .connecting : .reconnecting
        done.resume(
          returning: BusSnapshot(
            state: state, servers: addresses.sorted { $0.address < $1.address },
            subscriptions: subscriptions.sorted { $0.subject < $1.subject },
            outbox: .init(
              messages: outbox.count + batch.entries.count - next, bytes: outbox.size),
            unconfirmed: published - confirmed,
            streams: streams.sorted { $0.name.text < $1.name.text }))
      }
    }
  }

  /// On the wire: the number of messages that the servers do not have, as far as is known.
  private var unsentCount: Int {
    let stored = senders.withLock { $0.values.reduce(0) { $0 + $1.count } }
    return outbox.count + batch.entries.count - next + published - confirmed + stored
      + values.withLock { $0 }
  }

  /// The number of sets of values that are under way, and for which no task waits.
  let values = Locked(0)

  private func end() {
    if isClosed { return }
    isEnding.store(true, ordering: .sequentiallyConsistent)
    pump()
    let left = unsentCount
    measureAll()
    if left > 0 { report(.lost(count: left, subject: nil, because: .closed)) }
    isClosed = true
    watch?.cancel()
    watch = nil
    let ended = Array(inlets.values)
    for inlet in ended { connection?.subscriptions.remove(inlet) }
    inlets = [:]
    onConnected = [:]
    watchers = [:]
    // The end of a connection flushes the buffer of libnats.
    connection = nil
    for inlet in ended { inlet.end() }
    inbox.close()
    for sender in senders.withLock({ senders in
      defer { senders = [:] }
      return Array(senders.values)
    }) {
      sender.end()
    }
    requests.failAll(.closed)
    unasked = [:]
    for waiter in waiters + arrivals { waiter.continuation.resume(throwing: BusError.closed) }
    waiters = []
    arrivals = []
    opener.take()?.resume(throwing: BusError.closed)
    announce(.closed)
  }

  var hasClosed: Bool { isEnding.load(ordering: .sequentiallyConsistent) }

  // MARK: - Watching

  private func startWatch() {
    let timer = DispatchSource.makeTimerSource(queue: wire)
    let interval = Int((options.timeout / 4).nanoseconds)
    timer.schedule(deadline: .now() + .nanoseconds(interval), repeating: .nanoseconds(interval))
    timer.setEventHandler { [weak self] in self?.look() }
    timer.activate()
    watch = timer
  }

  /// On the wire, at regular intervals: ends everything that has waited for too long.
  private func look() {
    let now = ContinuousClock.now
    requests.failLate(now)
    expire(&waiters, now)
    expire(&arrivals, now)
    for body in watchers.values { body(now) }
    measureAll()
    guard connection != nil else { return }
    if !(refused.isEmpty && retried.isEmpty), lastRetry + options.pingInterval < now {
      subscribeAgain()
    }
    if let confirmingSince {
      // libnats has this deadline, too, but may be stuck.
      if confirmingSince + options.timeout * 2 < now { drop("the server does not answer") }
    } else if lastConfirmed + options.pingInterval < now {
      confirm(always: true)
    }
  }

  private func expire(_ waiters: inout [Waiter], _ now: ContinuousClock.Instant) {
    guard waiters.contains(where: { $0.deadline < now }) else { return }
    let late = waiters.filter { $0.deadline < now }
    waiters.removeAll { $0.deadline < now }
    for waiter in late { waiter.continuation.resume(throwing: BusError.timeout(subject: "")) }
  }

  /// On the wire: calls `body` there at each such check, until `owner` is removed.
  func onLook(_ owner: AnyObject, _ body: @escaping @Sendable (ContinuousClock.Instant) -> Void) {
    watchers[ObjectIdentifier(owner)] = body
  }

  /// Waits until there is a connection.
  func whenConnected(until deadline: ContinuousClock.Instant) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async { [self] in
        if isClosed {
          done.resume(throwing: BusError.closed)
        } else if connection != nil {
          done.resume()
        } else {
          arrivals.append(Waiter(continuation: done, published: 0, deadline: deadline))
        }
      }
    }
  }

  /// Waits a moment, even if the task is cancelled.
  func pause(_ time: Duration = .milliseconds(100)) async {
    await withCheckedContinuation { done in
      wire.asyncAfter(deadline: .now() + .nanoseconds(Int(time.nanoseconds))) { done.resume() }
    }
  }

  /// On the wire: calls `body` there at each new connection, until `owner` is removed.
  func onConnection(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
    onConnected[ObjectIdentifier(owner)] = body
  }

  func remove(_ owner: ObjectIdentifier) {
    wire.async { [self] in
      onConnected[owner] = nil
      watchers[owner] = nil
    }
  }

  // MARK: - Receiving

  /// Subscribes, now and on every later connection.
  func add(_ inlet: Inlet) {
    newInlets.withLock { $0.append(inlet) }
    wire.async { self.takeNewInlets() }
  }

  /// On the wire: subscribes what was added.
  private func takeNewInlets() {
    let new = newInlets.withLock { inlets in
      defer { inlets = [] }
      return inlets
    }
    for inlet in new {
      if isClosed {
        inlet.end()
      } else {
        inlets[ObjectIdentifier(inlet)] = inlet
        subscribe(inlet)
      }
    }
  }

  func remove(_ inlet: Inlet) {
    wire.async { [self] in
      inlets[ObjectIdentifier(inlet)] = nil
      connection?.subscriptions.remove(inlet)
      confirm()
    }
  }

  private func subscribe(_ inlet: Inlet) {
    guard let connection else { return }
    if connection.subscriptions.add(inlet, on: connection.pointer) == NATS_INVALID_SUBJECT {
      report(.refused(subject: inlet.subject, code: 0, reason: "libnats does not take the subject"))
    }
  }

  /// On the wire: makes libnats drop messages while it has too many.
  private func limitBacklog() {
    guard let connection else { return }
    guard connection.subscriptions.limitBacklog(on: connection.pointer) else {
      return countDropped()
    }
    wire.asyncAfter(deadline: .now() + .milliseconds(5)) { [weak self] in self?.limitBacklog() }
  }

  /// On the wire: reports the messages that libnats drops, a moment after the first one.
  private func countDropped() {
    if countsDropped { return }
    countsDropped = true
    wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
      guard let self else { return }
      countsDropped = false
      let count = connection?.subscriptions.takeDropped() ?? 0
      if count == 0 { return }
      report(.lost(count: count, subject: nil, because: .slowSlots))
      // libnats says so once, and may drop more.
      countDropped()
    }
  }

  /// Returns the sender of a stream, and makes it if there is none.
  func sender(of name: Name, _ make: () -> StreamSender) -> StreamSender {
    let (sender, isNew) = senders.withLock { senders in
      if let sender = senders[name] { return (sender, false) }
      let sender = make()
      senders[name] = sender
      return (sender, true)
    }
    if isNew { sender.open() }
    // The end of the bus may have taken the others before.
    if hasClosed {
      senders.withLock { $0[name] = nil }
      sender.end()
    }
    return sender
  }

  // MARK: - Sending over core subjects

  /// Adds a message to the outbox, on the emitting thread.
  @usableFromInline
  func publish(_ bytes: [UInt8], to subject: Subject, _ headers: MessageHeaders) {
    if hasClosed { return }
    var headers = headers
    instruments.inject(into: &headers, report)
    let size = bytes.count + headers.size
    if size > maxPayload {
      return report(.tooLarge(subject: subject.text, size: size, limit: maxPayload))
    }
    switch outbox.append(bytes, to: subject.storage, headers.characters) {
    case .first: wire.async { self.pump() }
    case .firstLost: countLosses()
    case .queued, .lost: break
    }
  }

  var maxPayload: Int { limit.load(ordering: .relaxed) }

  /// Reports lost messages, a moment after the first one, so that a flood makes few reports.
  private func countLosses() {
    announcing.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      let count = outbox.takeLost()
      if count > 0 { report(.lost(count: count, subject: nil, because: .outboxFull)) }
    }
  }

  /// On the wire: pumps behind what waits for the wire, once, however often this is called before.
  private func pumpAgain() {
    if pumpsAgain { return }
    pumpsAgain = true
    wire.async {
      self.pumpsAgain = false
      self.pump()
    }
  }

  /// On the wire: sends the messages that were emitted before, as long as there is a connection.
  ///
  /// What is emitted meanwhile waits for another turn, so that a flood does not keep the wire.
  private func pump() {
    var turns = 2
    while let connection {
      if next == batch.entries.count {
        batch.clear()
        next = 0
        if !outbox.take(into: &batch) { break }
        // A message may have been emitted behind a signal that the wire does not know of yet.
        takeNewInlets()
      }
      if turns == 0 { return pumpAgain() }
      turns -= 1
      let first = next
      let begin = first == 0 ? 0 : batch.entries[first - 1].end
      let isWhole = batch.bytes.withUnsafeBytes { bytes in
        var start = begin
        while next < batch.entries.count {
          let entry = batch.entries[next]
          let status = publish(
            UnsafeRawBufferPointer(rebasing: bytes[start..<entry.end]), entry.subject.characters,
            batch.headerSize(of: next), connection)
          switch status {
          case NATS_OK: published += 1
          case NATS_MAX_PAYLOAD:
            report(
              .tooLarge(
                subject: entry.subject.text, size: entry.end - start, limit: connection.maxPayload))
          case NATS_INVALID_SUBJECT, NATS_INVALID_ARG:
            report(
              .refused(
                subject: entry.subject.text, code: 0, reason: "libnats does not take the subject"))
          default: return false
          }
          start = entry.end
          next += 1
        }
        return true
      }
      let end = next == 0 ? 0 : batch.entries[next - 1].end
      outbox.sent(end - begin, messages: next - first)
      tally.sent.add(next - first, end - begin)
      if !isWhole { return drop("the server takes nothing") }
      confirm(isSmall: next - first <= 64)
    }
  }

  /// On the wire: publishes a message whose headers are the first bytes.
  private func publish(
    _ bytes: UnsafeRawBufferPointer, _ subject: UnsafePointer<CChar>, _ headerSize: Int,
    _ connection: Connection
  ) -> natsStatus {
    if headerSize == 0 {
      return natsConnection_Publish(
        connection.pointer, subject, bytes.baseAddress, Int32(bytes.count))
    }
    let payload = UnsafeRawBufferPointer(rebasing: bytes[headerSize...])
    var message: OpaquePointer?
    var status = natsMsg_Create(
      &message, subject, nil, payload.baseAddress?.assumingMemoryBound(to: CChar.self),
      Int32(payload.count))
    guard status == NATS_OK, let message else { return status }
    defer { natsMsg_Destroy(message) }
    status = addHeaders(UnsafeRawBufferPointer(rebasing: bytes[..<headerSize]), to: message)
    return status == NATS_OK ? natsConnection_PublishMsg(connection.pointer, message) : status
  }

  /// Counts the messages as lost that the wire has taken and not sent.
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

  /// On the wire: flushes, and asks the server to confirm what was sent, unless such a request is
  /// under way.
  ///
  /// After little work, this first waits a moment itself, because the answer may be immediate, and
  /// another queue takes time to start.
  private func confirm(isSmall: Bool = false, always: Bool = false) {
    guard let connection, confirmingSince == nil else { return }
    let removed = connection.subscriptions.removedCount
    if isSmall, waiters.isEmpty {
      isUnflushed = false
      let start = measuredNow
      if natsConnection_FlushTimeout(connection.pointer, 1) == NATS_OK {
        measure(since: start) { .roundTrip($0) }
        confirmed = published
        lastConfirmed = .now
        connection.subscriptions.destroyRemoved(removed)
        return
      }
    }
    guard always || published > confirmed || removed > 0 || !waiters.isEmpty || isUnflushed else {
      return
    }
    confirmingSince = .now
    isUnflushed = false
    let target = published
    let limit = options.timeout.milliseconds
    confirming.async { [weak self] in
      let status = natsConnection_FlushTimeout(connection.pointer, limit)
      self?.hasConfirmed(target, removed, connection, status)
    }
  }

  private func hasConfirmed(
    _ target: Int, _ removed: Int, _ asked: Connection, _ status: natsStatus
  ) {
    wire.async { [self] in
      guard let connection, connection === asked else { return }
      if status == NATS_OK { measure(since: confirmingSince) { .roundTrip($0) } }
      confirmingSince = nil
      guard status == NATS_OK else { return drop("the server does not answer") }
      lastConfirmed = .now
      confirmed = max(confirmed, target)
      connection.subscriptions.destroyRemoved(removed)
      resumeWaiters(target)
      confirm()
    }
  }

  private func resumeWaiters(_ target: Int) {
    let ready = waiters.filter { $0.published <= target }
    waiters.removeAll { $0.published <= target }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Waits until the server has every message and every subscription from before.
  func flush() async throws {
    let deadline = ContinuousClock.now + options.patience
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      wire.async { [self] in
        if isClosed { return done.resume(throwing: BusError.closed) }
        pump()
        // This is one more than was sent, so that a confirmation on its way does not count.
        published += 1
        confirmed += 1
        waiters.append(Waiter(continuation: done, published: published, deadline: deadline))
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
      status = natsMsgHeader_Add(message, name, value)
    }
    if status == NATS_OK { status = natsConnection_PublishMsg(connection.pointer, message) }
    if status == NATS_OK { isUnflushed = true }
    return status
  }

  /// On the wire: flushes what ``send(_:to:reply:headers:)`` has sent.
  func flushSoon() { confirm(isSmall: true) }

  /// Sends one message at once, if there is a connection.
  func tell(_ text: String, to subject: String) {
    wire.async { [self] in
      let status = Array(text.utf8).withUnsafeBytes { send($0, to: subject, reply: nil) }
      if status == NATS_OK { flushSoon() }
    }
  }

  /// Sends a request and waits for its answer.
  func request(
    _ subject: String, _ body: [UInt8], headers: [(String, String)] = []
  ) async throws(BusError) -> Answer {
    let number = requests.takeNumber()
    let deadline = ContinuousClock.now + options.timeout
    let result: Result<Answer, BusError> = await withCheckedContinuation { continuation in
      wire.async { [self] in
        if isClosed { return continuation.resume(returning: .failure(.closed)) }
        requests.add(number, subject, deadline) { continuation.resume(returning: $0) }
        send(number, body, to: subject, reply: "\(number)", headers)
      }
    }
    return try result.get()
  }

  /// Sends a question once, as soon as there is a connection, and waits for its answer, until the
  /// task is cancelled.
  func ask(
    _ subject: String, _ body: [UInt8], _ headers: [(String, String)], within limit: Duration
  ) async throws(BusError) -> Answer {
    let number = requests.takeNumber()
    let deadline = ContinuousClock.now + limit
    let result: Result<Answer, BusError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wire.async { [self] in
          if isClosed { return continuation.resume(returning: .failure(.closed)) }
          requests.add(number, subject, deadline) { continuation.resume(returning: $0) }
          // The watch would be late.
          let rest = Int((deadline - .now).nanoseconds)
          wire.asyncAfter(deadline: .now() + .nanoseconds(rest)) { [weak self] in
            self?.endQuestion(
              number, .timeout(subject: subject),
              unasked: .unavailable(subject: subject, reason: "no connection"))
          }
          let ask = { [unowned self] in
            let reply = Requests.answerSubject(number, within: deadline - .now)
            send(number, body, to: subject, reply: reply, headers)
          }
          if connection == nil { unasked[number] = ask } else { ask() }
        }
        // The handler may have run before the request was added.
        if Task.isCancelled { cancelQuestion(number) }
      }
    } onCancel: {
      cancelQuestion(number)
    }
    return try result.get()
  }

  private func cancelQuestion(_ number: UInt64) {
    wire.async { self.endQuestion(number, .cancelled, unasked: .cancelled) }
  }

  /// On the wire: ends the wait for an answer with an error, or with another one if the question was
  /// not sent.
  private func endQuestion(_ number: UInt64, _ error: BusError, unasked other: BusError) {
    requests.fail(number, unasked.removeValue(forKey: number) == nil ? error : other)
  }

  /// On the wire: sends a request that was added.
  private func send(
    _ number: UInt64, _ body: [UInt8], to subject: String, reply: String,
    _ headers: [(String, String)]
  ) {
    let status = body.withUnsafeBytes {
      send($0, to: subject, reply: "\(inbox.prefix).r.\(reply)", headers: headers)
    }
    switch status {
    case NATS_OK: flushSoon()
    case NATS_MAX_PAYLOAD:
      requests.fail(number, .tooLarge(subject: subject, size: body.count, limit: maxPayload))
    case NATS_INVALID_SUBJECT, NATS_INVALID_ARG:
      requests.fail(
        number, .refused(subject: subject, code: 0, reason: "libnats does not take it"))
    default:
      requests.fail(number, failure(String(cString: natsStatus_GetText(status))))
    }
  }

  // MARK: - Measuring

  /// The time, if an instrument measures the bus.
  var measuredNow: ContinuousClock.Instant? { instruments.measures.isEmpty ? nil : .now }

  /// Measures the time since `start`.
  func measure(
    since start: ContinuousClock.Instant?, _ measurement: (Duration) -> BusMeasurement
  ) {
    if let start { measure([measurement(.now - start)]) }
  }

  private func measure(_ measurements: [BusMeasurement]) {
    let notes = instruments.measures
    if notes.isEmpty { return }
    announcing.async {
      for measurement in measurements { for note in notes { note(measurement) } }
    }
  }

  /// On the wire: measures what was counted, and what waits.
  private func measureAll() {
    if instruments.measures.isEmpty { return }
    measure(
      tally.take() + [.waiting(unsentMessages: unsentCount, pendingBytes: room.usedBytes)])
  }

  // MARK: - Announcing

  @usableFromInline
  func report(_ error: BusError) { errors.report(error) }

  /// Hands a message over that cannot be decoded.
  func reportUndecodable(
    _ bytes: UnsafeRawBufferPointer, of subject: String, _ error: any Error,
    _ headers: MessageHeaders = MessageHeaders()
  ) {
    options.undecodable?(
      Message(subject: subject, payload: [UInt8](bytes), headers: headers), error)
    report(.undecodable(subject: subject, bytes: [UInt8](bytes), reason: "\(error)"))
  }

  /// Reports that a stream is lost, once, however many notice it.
  func reportLost(_ stream: String) {
    let isFirst = lost.withLock { lost in
      let last = lost.updateValue(.now, forKey: stream)
      return last.map { $0 + options.patience < .now } ?? true
    }
    if isFirst { report(.storeLost(name: stream)) }
  }

  private func announce(_ state: ConnectionState) {
    announcing.async { [self] in
      if self.state.value == .closed { return }
      self.state.value = state
      for note in instruments.states { note(state) }
    }
  }
}

/// The subject that an error of the server is about, and whether that is all of it: libnats cuts long
/// errors short, behind some two hundred characters of the subject.
///
/// The server writes it as Go does: between quotes, with escapes.
private func refusedSubject(in reason: String) -> (text: String, isWhole: Bool) {
  guard let start = reason.firstIndex(of: "\"") else { return (reason, true) }
  var rest = reason[start...].dropFirst()
  var text = ""
  while let character = rest.popFirst() {
    if character == "\"" { return (text, true) }
    guard character == "\\" else {
      text.append(character)
      continue
    }
    guard let escaped = rest.popFirst() else { break }
    let lengths: [Character: Int] = ["u": 4, "U": 8]
    guard let length = lengths[escaped] else {
      text.append(escaped)
      continue
    }
    let digits = rest.prefix(length)
    rest = rest.dropFirst(length)
    guard digits.count == length,
      let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
    else { break }
    text.unicodeScalars.append(scalar)
  }
  // The end may be a part of a character.
  while text.last == "\u{FFFD}" { text.removeLast() }
  // An empty text is the beginning of every subject.
  return (text, text.isEmpty)
}
