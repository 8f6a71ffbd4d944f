import Hummingbird
import SignalObserver
import Synchronization

/// The browsers that are connected.
final class Clients: Sendable {
  private struct Contents {
    var clients: [ObjectIdentifier: Client] = [:]
    var seats = 0
    var served = 0
    /// Of those that have gone.
    var dropped = 0
    var isClosed = false
  }

  private let board: Board
  private let contents = Mutex(Contents())
  private let number = EmitterValue(0)

  /// How many there may be.
  let limit: Int

  init(_ board: Board, limit: Int) {
    self.board = board
    self.limit = limit
  }

  /// How many there are.
  var count: SignalValue<Int> { number.signal }

  /// How many there have been.
  var served: Int { contents.withLock { $0.served } }

  /// Room for one, until it is released.
  final class Seat: Sendable {
    private let clients: Clients

    fileprivate init(_ clients: Clients) { self.clients = clients }

    deinit { clients.contents.withLock { $0.seats -= 1 } }
  }

  /// Returns room for one more, or nil if all is taken.
  func seat() -> Seat? {
    contents.withLock { contents in
      if contents.seats == limit { return nil }
      contents.seats += 1
      return Seat(self)
    }
  }

  /// Serves one, until it goes away or all are sent away.
  func serve(_ writer: inout some ResponseBodyWriter) async throws {
    let client = Client(board)
    // Asked after the client has connected: those who close set it before they end connections.
    let isClosed = contents.withLock { contents in
      contents.clients[ObjectIdentifier(client)] = client
      contents.served += 1
      return contents.isClosed
    }
    changed()
    defer {
      contents.withLock { contents in
        contents.clients[ObjectIdentifier(client)] = nil
        contents.dropped += client.droppedCount
      }
      changed()
    }
    if !isClosed { try await client.run(&writer) }
  }

  /// Sends all away, each with what it has not been told yet, and returns when they have gone.
  func close() async {
    contents.withLock { $0.isClosed = true }
    board.closeStreams()
    _ = await count.filter { $0 == 0 }.next()
  }

  var health: Health {
    let (clients, dropped) = contents.withLock { (Array($0.clients.values), $0.dropped) }
    return Health(
      clients: clients.count, slots: board.slotCount,
      pending: clients.reduce(0) { $0 + $1.pendingCount },
      dropped: clients.reduce(dropped) { $0 + $1.droppedCount }, scans: board.runningCount)
  }

  private func changed() {
    // The newest whoever comes last, since it is counted when it is set.
    number.modify { number in number = contents.withLock { $0.clients.count } }
  }
}

/// What `/health` says.
struct Health: ResponseEncodable {
  /// Browsers that are connected.
  let clients: Int
  /// Slots that are connected: to what clients are told, and to the finders that are running.
  let slots: Int
  /// Groups, unreadable files and states that clients have not been told yet.
  let pending: Int
  /// States and activities that were replaced by newer ones before a client took them.
  let dropped: Int
  /// Scans that are running.
  let scans: Int
}
