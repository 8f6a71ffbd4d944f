public import ServiceLifecycle
public import SignalObserverNATS

/// A service that drains and closes a bus when its group shuts down.
///
/// ```swift
/// let services = ServiceGroup(
///   services: [BusService(bus), shop], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await services.run()
/// ```
///
/// A group shuts its services down in reverse order. Put the bus before the services that use it.
public struct BusService: Service, CustomStringConvertible {
  private let bus: Bus
  private let limit: Duration

  /// Creates a service for a bus.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - limit: The longest time to wait for the servers: see ``Bus/close(within:)``.
  public init(_ bus: Bus, drainsWithin limit: Duration = .seconds(10)) {
    self.bus = bus
    self.limit = limit
  }

  /// Waits until the group shuts down, and then closes the bus when the servers have everything, or
  /// the time is over.
  ///
  /// If its task is cancelled, it closes the bus at once. In both cases, the bus reports messages
  /// that the servers do not have.
  public func run() async throws {
    do { try await gracefulShutdown() } catch {
      bus.close()
      throw error
    }
    await bus.close(within: limit)
  }

  /// The name by which a group knows the service.
  public var description: String { "BusService" }
}
