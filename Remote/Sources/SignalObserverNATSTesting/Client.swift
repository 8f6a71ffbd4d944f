import Foundation
import SignalObserverNATS
import Synchronization

/// A connection to the server.
///
/// `@unchecked Sendable`: it is used on the server's queue only.
final class Client: @unchecked Sendable {
  private let socket: Socket
  private unowned let broker: Broker
  private let reader: any DispatchSourceRead
  /// Waits until the socket takes more, as long as it takes nothing.
  private var writer: (any DispatchSourceWrite)?
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var sentCount = 0
  private var subscriptions: [String: Subscription] = [:]
  private(set) var wantsNoResponders = false
  private(set) var isOpen = true

  /// A client that reads too little is cut off, as a server does it.
  private static let outputLimit = 64 << 20

  init(_ socket: Socket, _ broker: Broker) {
    self.socket = socket
    self.broker = broker
    reader = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: broker.queue)
    reader.setEventHandler { [weak self] in self?.read() }
    // The socket is closed when no source uses it any more.
    reader.setCancelHandler { withExtendedLifetime(socket) {} }
    reader.activate()
    write(
      "INFO {\"server_id\":\"memory\",\"version\":\"2.9.0\",\"proto\":1,\"headers\":true,"
        + "\"jetstream\":true,\"max_payload\":\(broker.maximumSize)}\r\n")
    flush()
  }

  func close() {
    if !isOpen { return }
    isOpen = false
    for subscription in subscriptions.values { broker.remove(subscription) }
    subscriptions = [:]
    reader.cancel()
    writer?.cancel()
    writer = nil
    socket.shut()
    broker.remove(self)
  }

  // MARK: - Input

  private func read() {
    guard broker.isOpen.load(ordering: .sequentiallyConsistent) else { return }
    let count = broker.buffer.withUnsafeMutableBytes { buffer in
      recv(socket.number, buffer.baseAddress, buffer.count, 0)
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    if count <= 0 { return close() }
    input.append(contentsOf: broker.buffer[..<count])
    let used = input.withUnsafeBytes { handle($0) }
    input.removeFirst(used)
    broker.flush()
  }

  /// Handles every whole command, and returns how many bytes they have.
  private func handle(_ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    while isOpen, let end = bytes.find(newline, from: position) {
      let words = bytes.words(position..<max(position, end - 1))
      switch words.first {
      case "PUB", "HPUB":
        guard let size = words.last.flatMap({ Int($0) }), size >= 0, words.count >= 3 else {
          return fail("Parser Error")
        }
        if size > broker.maximumSize { return fail("Maximum Payload Violation") }
        guard end + 1 + size + 2 <= bytes.count else { return position }
        let isPlain = words[0] == "PUB"
        let headerSize = isPlain ? 0 : Int(words[words.count - 2]) ?? -1
        guard 0...size ~= headerSize else { return fail("Parser Error") }
        let content = Content(
          [UInt8](bytes[(end + 1)..<(end + 1 + size)]), headerSize: headerSize)
        position = end + 1 + size + 2
        let pattern = Pattern(words[1])
        guard pattern.isValid, !pattern.hasWildcards else {
          write("-ERR 'Invalid Publish Subject'\r\n")
          continue
        }
        let hasReply = words.count == (isPlain ? 4 : 5)
        broker.publish(content, to: words[1], reply: hasReply ? words[2] : nil, from: self)
        continue
      case "SUB" where words.count >= 3:
        let subscription = Subscription(
          self, id: words[words.count - 1], Pattern(words[1]),
          group: words.count > 3 ? words[2] : nil)
        if subscription.pattern.isValid {
          subscriptions[subscription.id] = subscription
          broker.add(subscription)
        } else {
          write("-ERR 'Invalid Subject'\r\n")
        }
      case "UNSUB" where words.count >= 2:
        subscriptions[words[1]]?.limit = words.count > 2 ? Int(words[2]) : 0
        removeIfDone(words[1])
      case "PING": write("PONG\r\n")
      case "CONNECT":
        let text = bytes[position..<end].drop { $0 != UInt8(ascii: "{") }
        struct Wishes: Decodable { let no_responders: Bool? }
        let wishes = try? JSONDecoder().decode(Wishes.self, from: Data(text))
        wantsNoResponders = wishes?.no_responders ?? false
      case "PONG", nil: break
      default: return fail("Unknown Protocol Operation")
      }
      position = end + 1
    }
    return position
  }

  /// Ends the connection, because its other side makes a mistake.
  private func fail(_ reason: String) -> Int {
    write("-ERR '\(reason)'\r\n")
    flush()
    close()
    return 0
  }

  private func removeIfDone(_ id: String) {
    guard let subscription = subscriptions[id], let limit = subscription.limit,
      subscription.deliveryCount >= limit
    else { return }
    subscriptions[id] = nil
    broker.remove(subscription)
  }

  // MARK: - Output

  func deliver(
    _ content: Content, as subject: String, reply: String?, to subscription: Subscription
  ) {
    if !isOpen { return }
    if output.count - sentCount > Self.outputLimit { return close() }
    let start = "\(subject) \(subscription.id) \(reply.map { "\($0) " } ?? "")"
    if content.headerSize == 0 {
      write("MSG \(start)\(content.bytes.count)\r\n")
    } else {
      write("HMSG \(start)\(content.headerSize) \(content.bytes.count)\r\n")
    }
    output.append(contentsOf: content.bytes)
    write("\r\n")
    subscription.deliveryCount += 1
    removeIfDone(subscription.id)
  }

  private func write(_ text: String) {
    if output.isEmpty { broker.toFlush.append(self) }
    output.append(contentsOf: text.utf8)
  }

  func flush() {
    guard isOpen, writer == nil else { return }
    while sentCount < output.count {
      let count = output.withUnsafeBytes { socket.send($0[sentCount...]) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        return waitForRoom()
      }
      if count <= 0 { return close() }
      sentCount += count
    }
    output.removeAll(keepingCapacity: output.capacity < 1 << 20)
    sentCount = 0
  }

  private func waitForRoom() {
    let source = DispatchSource.makeWriteSource(
      fileDescriptor: socket.number, queue: broker.queue)
    source.setEventHandler { [weak self] in
      guard let self else { return }
      writer?.cancel()
      writer = nil
      flush()
    }
    source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
    writer = source
    source.activate()
  }
}

/// What a client has subscribed to.
final class Subscription {
  let client: Client
  let id: String
  let pattern: Pattern
  /// The name of the subscriptions that share the messages.
  let group: String?
  /// The number of messages after which it ends.
  var limit: Int?
  var deliveryCount = 0

  init(_ client: Client, id: String, _ pattern: Pattern, group: String?) {
    self.client = client
    self.id = id
    self.pattern = pattern
    self.group = group
  }
}

/// A socket that does not block, and is closed with its object at the latest.
final class Socket: Sendable {
  let number: Int32
  private let isClosed = Atomic(false)

  private init(_ number: Int32) {
    self.number = number
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    // Answers are small, and must not wait for more.
    Self.set(number, Int32(IPPROTO_TCP), TCP_NODELAY)
    #if canImport(Darwin)
      Self.set(number, SOL_SOCKET, SO_NOSIGPIPE)
    #endif
  }

  deinit { close() }

  func close() {
    if !isClosed.exchange(true, ordering: .relaxed) { Foundation.close(number) }
  }

  /// Returns a socket that has a port of the loopback address, and the port.
  ///
  /// For 0, it takes a free one. Several sockets may have one port, if at most one of them listens.
  static func bound(to port: Int) throws(BusError) -> (socket: Socket, port: Int) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let number = Foundation.socket(AF_INET, kind, 0)
    if number < 0 { throw failure }
    #if canImport(Darwin)
      set(number, SOL_SOCKET, SO_REUSEPORT)
    #else
      set(number, SOL_SOCKET, SO_REUSEADDR)
    #endif
    let socket = Socket(number)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(number, address, length) == 0 && getsockname(number, address, &length) == 0
      }
    }
    if !isBound { throw failure }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  func listen() throws(BusError) {
    if Foundation.listen(number, 128) != 0 { throw Self.failure }
  }

  /// Returns a connection that waits to be taken.
  func accept() -> Socket? {
    let number = Foundation.accept(number, nil, nil)
    return number < 0 ? nil : Socket(number)
  }

  func send(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return Foundation.send(number, bytes.baseAddress, bytes.count, flags)
  }

  func shut() { shutdown(number, Int32(SHUT_RDWR)) }

  private static func set(_ number: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static var failure: BusError {
    .connection(reason: "no port for the server: \(String(cString: strerror(errno)))")
  }
}
