import Dispatch
import Foundation
import SignalObserverNATS
import Synchronization

/// What a server does: it takes connections, passes messages on, and has streams.
///
/// `@unchecked Sendable`: everything that changes is used on `queue` only.
final class Broker: @unchecked Sendable {
  let queue = DispatchQueue(label: "signalobserver.nats.memory")
  let maximumSize: Int
  /// Whether the server reads; false from the moment in which it is stopped.
  let isOpen = Atomic(false)
  let port: Int
  /// Keeps the port while the server is stopped.
  ///
  /// Otherwise the system could give it to a client that connects to somebody else.
  private let keeper: Socket
  /// What a client has just sent.
  ///
  /// It is small, so that receivers do not get thousands of messages at once.
  var buffer = [UInt8](repeating: 0, count: 8192)
  /// The clients for which something waits to be sent.
  var toFlush: [Client] = []

  private var listener: (any DispatchSourceRead)?
  /// Empty when the port is free.
  let listening = DispatchGroup()
  private var clients: [ObjectIdentifier: Client] = [:]
  private var literal: [String: [Subscription]] = [:]
  private var patterns: [Subscription] = []
  private var timer: (any DispatchSourceTimer)?
  private(set) lazy var jetStream = JetStream(self)

  init(_ maximumSize: Int) throws(BusError) {
    self.maximumSize = maximumSize
    (keeper, port) = try Socket.bound(to: 0)
  }

  func start(losingStreams losesStreams: Bool = false) throws(BusError) {
    if isOpen.load(ordering: .sequentiallyConsistent) {
      throw .connection(reason: "the server runs already")
    }
    let socket = try Socket.bound(to: port).socket
    try socket.listen()
    queue.sync {
      if losesStreams { jetStream = JetStream(self) }
      isOpen.store(true, ordering: .sequentiallyConsistent)
      let source = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: queue)
      source.setEventHandler { [weak self] in
        guard let self, isOpen.load(ordering: .sequentiallyConsistent) else { return }
        while let accepted = socket.accept() {
          let client = Client(accepted, self)
          clients[ObjectIdentifier(client)] = client
        }
      }
      listening.enter()
      source.setCancelHandler { [listening] in
        socket.close()
        listening.leave()
      }
      source.activate()
      listener = source
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now(), repeating: .milliseconds(20), leeway: .milliseconds(5))
      timer.setEventHandler { [weak self] in
        self?.jetStream.look()
        self?.flush()
      }
      timer.activate()
      self.timer = timer
    }
  }

  func stop() {
    isOpen.store(false, ordering: .sequentiallyConsistent)
    listener?.cancel()
    listener = nil
    timer?.cancel()
    timer = nil
    for client in clients.values { client.close() }
    toFlush = []
    jetStream.end()
  }

  func remove(_ client: Client) { clients[ObjectIdentifier(client)] = nil }

  func flush() {
    while !toFlush.isEmpty {
      let clients = toFlush
      toFlush = []
      for client in clients { client.flush() }
    }
  }

  // MARK: - Subscriptions

  var subscriptions: [String] {
    literal.values.flatMap { $0.map(\.pattern.text) } + patterns.map(\.pattern.text)
  }

  func add(_ subscription: Subscription) {
    if subscription.pattern.hasWildcards {
      patterns.append(subscription)
    } else {
      literal[subscription.pattern.text, default: []].append(subscription)
    }
  }

  func remove(_ subscription: Subscription) {
    if subscription.pattern.hasWildcards {
      patterns.removeAll { $0 === subscription }
      return
    }
    let text = subscription.pattern.text
    literal[text]?.removeAll { $0 === subscription }
    if literal[text]?.isEmpty ?? false { literal[text] = nil }
  }

  /// Whether somebody is subscribed to a subject.
  func isHeard(_ subject: String) -> Bool {
    literal[subject] != nil || patterns.contains { $0.pattern.matches(subject) }
  }

  // MARK: - Messages

  /// Passes on what a client has published.
  func publish(_ content: Content, to subject: String, reply: String?, from client: Client) {
    let isHeard = send(content, to: subject, reply: reply)
    let isTaken = jetStream.take(content, to: subject, reply: reply)
    if !isHeard, !isTaken, let reply, client.wantsNoResponders {
      send(Content(status: "503"), to: reply)
    }
  }

  /// Sends a message to each subscription, and to one of those that share a name.
  ///
  /// Receivers see the subject `shown`, if there is one.
  ///
  /// - Returns: Whether somebody is subscribed.
  @discardableResult
  func send(
    _ content: Content, to subject: String, as shown: String? = nil, reply: String? = nil
  ) -> Bool {
    let found = (literal[subject] ?? []) + patterns.filter { $0.pattern.matches(subject) }
    var groups: [String: [Subscription]] = [:]
    for subscription in found {
      if let group = subscription.group {
        groups[group, default: []].append(subscription)
      } else {
        subscription.client.deliver(content, as: shown ?? subject, reply: reply, to: subscription)
      }
    }
    for group in groups.values {
      guard let one = group.randomElement() else { continue }
      one.client.deliver(content, as: shown ?? subject, reply: reply, to: one)
    }
    return !found.isEmpty
  }
}
