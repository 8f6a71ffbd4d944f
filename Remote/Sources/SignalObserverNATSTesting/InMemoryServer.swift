import Dispatch
public import SignalObserverNATS
import Synchronization

/// A server in this process, for tests of code that uses a ``Bus``.
///
/// It speaks the protocol of NATS on a free port of the loopback address, and keeps its streams and
/// values in memory. A bus uses it as it uses any other server, so everything is promised that does
/// not need a disk, a cluster, users or TLS. Other processes can use it, too.
///
/// ```swift
/// let server = try InMemoryServer()
/// let (shop, office) = (try await server.bus(), try await server.bus())
/// ```
///
/// The server ends when nobody holds it, and no bus of it.
public final class InMemoryServer: Sendable {
  private let broker: Broker
  private let isPaused = Mutex(false)

  /// Starts a server.
  ///
  /// - Parameter maximumSize: The size of the largest message that it accepts, in bytes.
  /// - Throws: ``BusError/connection(reason:)`` if the system has no port for it.
  public init(maximumSize: Int = 1 << 20) throws(BusError) {
    broker = try Broker(maximumSize)
    try broker.start()
  }

  deinit {
    if isPaused.withLock({ $0 }) { broker.queue.resume() }
    broker.queue.async { [broker] in broker.stop() }
  }

  /// The address, `nats://127.0.0.1:PORT`, which stays the same.
  public var address: String { "nats://127.0.0.1:\(port)" }

  package var port: Int { broker.port }

  /// The subjects to which somebody is subscribed.
  package var subscriptions: [String] { broker.queue.sync { broker.subscriptions } }

  /// Connects a bus, which keeps the server alive.
  ///
  /// The bus uses neither credentials nor TLS, whatever the options say.
  ///
  /// - Parameter options: The options of the bus.
  /// - Returns: The bus.
  /// - Throws: ``BusError/connection(reason:)`` if the server is stopped, unless
  ///   ``BusOptions/startsWithoutServer``.
  public func bus(_ options: BusOptions = BusOptions()) async throws -> Bus {
    var options = options
    options.credentials = nil
    options.tls = nil
    options.server = self
    return try await Bus(address, options: options)
  }

  /// Stops the server at once, as if it was killed: every connection ends.
  ///
  /// Its streams and values stay for the next ``start(losingStreams:)``, except for streams with
  /// ``StreamOptions/isInMemory``.
  public func stop() {
    broker.isOpen.store(false, ordering: .sequentiallyConsistent)
    resume()
    broker.queue.sync { broker.stop() }
    broker.listening.wait()
  }

  /// Starts the server again, at the same address, after ``stop()``.
  ///
  /// - Parameter losesStreams: Whether it has lost its streams and values.
  /// - Throws: ``BusError/connection(reason:)`` if it runs already.
  public func start(losingStreams losesStreams: Bool = false) throws(BusError) {
    try broker.start(losingStreams: losesStreams)
  }

  /// Makes the server neither read nor answer, as if the network had failed, until ``resume()``.
  public func pause() {
    isPaused.withLock { isPaused in
      if !isPaused { broker.queue.suspend() }
      isPaused = true
    }
  }

  /// Continues after ``pause()``.
  public func resume() {
    isPaused.withLock { isPaused in
      if isPaused { broker.queue.resume() }
      isPaused = false
    }
  }
}

extension Bus {
  /// Connects to a server of its own in this process, for a test that needs no other one.
  ///
  /// The server ends with the bus. If several buses share messages, make an ``InMemoryServer``.
  ///
  /// - Parameter options: The options of the bus.
  /// - Returns: The bus.
  /// - Throws: ``BusError/connection(reason:)`` if the system has no port for the server.
  public static func inMemory(_ options: BusOptions = BusOptions()) async throws -> Bus {
    try await InMemoryServer().bus(options)
  }
}
