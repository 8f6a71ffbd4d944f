import DuplicateFinder
import HTTPTypes
import Hummingbird
import Logging
public import ServiceLifecycle
public import SignalObserver
public import UnixSignals

/// The page and what is behind it: scans, streams to browsers, and a server.
///
/// They are services of one group, which ends them one after the other, in this order.
public struct Live: Sendable {
  private let board: Board
  let clients: Clients
  private let address: String
  private let chosenPort: Int
  private let hosts: [String]
  private let boundPort = EmitterValue<Int?>(nil)

  /// Creates what does nothing before its services run.
  ///
  /// - Parameters:
  ///   - board: The folders, and nothing else of the machine is served.
  ///   - address: Where to listen.
  ///   - port: Where to listen; 0 for any free port.
  ///   - hosts: The names by which browsers may ask for the page, besides the address.
  ///   - clientLimit: How many browsers are served at once.
  public init(
    _ board: Board, address: String = "127.0.0.1", port: Int = 8080, hosts: [String] = [],
    clientLimit: Int = 1000
  ) {
    self.board = board
    self.address = address
    chosenPort = port
    self.hosts = hosts
    clients = Clients(board, limit: clientLimit)
  }

  /// The port, once the server listens.
  public var port: SignalValue<Int?> { boundPort.signal }

  /// Makes the group of services: run it.
  ///
  /// - Parameters:
  ///   - signals: The signals of the system that end it in order.
  ///   - gracePeriod: How long, in the end, clients that do not read are waited for.
  /// - Returns: The group.
  public func group(
    endingOn signals: [UnixSignal] = [.sigint, .sigterm], gracePeriod: Duration = .seconds(3)
  ) -> ServiceGroup {
    // A group ends the last of its services first.
    let services: [any Service] = [
      application, Streams(board: board, clients: clients, gracePeriod: gracePeriod),
      Scans(board: board),
    ]
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
      },
      gracefulShutdownSignals: signals, logger: application.logger)
    // Twice as long, since the server waits once more for what the streams have waited for.
    configuration.maximumGracefulShutdownDuration = gracePeriod * 2
    return ServiceGroup(configuration: configuration)
  }

  // MARK: - Requests

  private var application: Application<RouterResponder<BasicRequestContext>> {
    var logger = Logger(label: "live")
    logger.logLevel = .warning
    return Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname(address, port: chosenPort), backlog: 1024),
      onServerRunning: { [boundPort] channel in boundPort.set(channel.localAddress?.port) },
      logger: logger)
  }

  private var router: Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: Guard(address: address, hosts: hosts))
    router.get("/") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.page_html)))
    }
    router.get("health") { [clients] _, _ in clients.health }
    router.get("events") { [clients] request, _ in
      // The body holds the seat, and a request that is given up has none.
      guard let seat = clients.seat() else {
        throw HTTPError(
          .serviceUnavailable, headers: [.retryAfter: "5"],
          message: "\(clients.limit) pages are connected, and no more are served.")
      }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await clients.serve(&writer)
          }
          withExtendedLifetime(seat) {}
          try await writer.finish(nil)
        })
    }
    router.post("folders/:folder/scan") { [board] _, context in
      if board.start(try Self.folder(context, board)) { return HTTPResponse.Status.accepted }
      throw HTTPError(.conflict, message: "A scan is running, or the server is ending.")
    }
    router.post("folders/:folder/cancel") { [board] _, context in
      if board.cancel(try Self.folder(context, board)) { return HTTPResponse.Status.accepted }
      throw HTTPError(.conflict, message: "No scan is running.")
    }
    return router
  }

  private static func folder(_ context: BasicRequestContext, _ board: Board) throws -> Int {
    let folder = try context.parameters.require("folder", as: Int.self)
    guard board.folders.indices.contains(folder) else {
      throw HTTPError(.notFound, message: "There is no such folder.")
    }
    return folder
  }
}

/// Ends the scans.
private struct Scans: Service {
  let board: Board

  func run() async throws {
    try? await gracefulShutdown()
    await board.close()
  }
}

/// Ends the streams, and lets each client know now and then that the server is there.
private struct Streams: Service {
  let board: Board
  let clients: Clients
  let gracePeriod: Duration

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(15))
        board.repeatStates()
      }
    }
    // A client that does not read is left to the server, which cuts it off.
    await withTaskGroup { group in
      group.addTask { await clients.close() }
      group.addTask { try? await Task.sleep(for: gracePeriod) }
      await group.next()
      group.cancelAll()
    }
  }
}
