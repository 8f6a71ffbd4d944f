import AsyncAlgorithms
import DuplicateFinder
import Foundation
import Hummingbird
import SignalObserver
import Synchronization

/// One browser: writes what it has not been told yet.
///
/// What waits for a client that does not read is the newest states, and the last activities. What was
/// found stays where all clients read it, and the client keeps how much of that it has had. So it costs
/// the same however long it does not read, and gets every group when it does.
final class Client: Sendable {
  /// How much of one folder the client has had.
  private struct Sent {
    var scan = 0
    var phase: FolderState.Phase?
    var summary: Findings.Summary?
    var groups = 0
    var unreadable = 0
  }

  private enum Item: Sendable {
    case states([FolderState])
    case activity(Activity)
  }

  /// A group with very many files is shown by its first ones.
  static let shownPaths = 100
  /// Written at once, so that no client has the text of all groups in memory.
  private static let chunk = 16 * 1024

  private let board: Board
  private let states: SignalValues<[FolderState]>
  private let activities: SignalValues<Activity>
  private let sent: Mutex<[Sent]>

  init(_ board: Board) {
    self.board = board
    states = board.states.values(buffering: .newest(1))
    activities = board.activities.values(buffering: .newest(20))
    sent = Mutex(board.folders.map { _ in Sent() })
  }

  /// How many states and activities were replaced by newer ones before they were written.
  var droppedCount: Int { states.droppedCount + activities.droppedCount }

  /// How many of the groups, unreadable files and states have not been written.
  var pendingCount: Int {
    let states = board.states.value
    return sent.withLock { sent in
      zip(sent, states).reduce(0) { count, pair in
        let (sent, state) = pair
        let isSameScan = sent.scan == state.findings?.scan ?? 0
        return count + state.summary.groups - (isSameScan ? sent.groups : 0)
          + state.summary.unreadable - (isSameScan ? sent.unreadable : 0)
          + (isSameScan && sent.phase == state.phase && sent.summary == state.summary ? 0 : 1)
      }
    }
  }

  /// Writes until the board closes its streams, the client goes away, or the task is cancelled.
  func run(_ writer: inout some ResponseBodyWriter) async throws {
    var events = EventBuffer()
    try events.append("folders", FoldersMessage(board))
    try await writer.write(events.take())
    let items = merge(states.map { Item.states($0) }, activities.map { Item.activity($0) })
    for await item in items {
      switch item {
      case .states(let states): try await write(states, &events, &writer)
      case .activity(let activity): try events.append("activity", activity)
      }
      try await writer.write(events.take())
    }
  }

  private func write(
    _ states: [FolderState], _ events: inout EventBuffer, _ writer: inout some ResponseBodyWriter
  ) async throws {
    var isNews = false
    for (folder, state) in states.enumerated() {
      var sent = self.sent.withLock { $0[folder] }
      let findings = state.findings
      if findings?.scan ?? 0 != sent.scan { sent = Sent(scan: findings?.scan ?? 0) }
      if sent.phase != state.phase || sent.summary != state.summary {
        try events.append("state", StateMessage(folder, state))
        (sent.phase, sent.summary) = (state.phase, state.summary)
        isNews = true
      }
      while let findings, sent.groups < state.summary.groups {
        try events.append("group", GroupMessage(folder, findings, sent.groups))
        sent.groups += 1
        if events.count >= Self.chunk { try await flush(folder, sent, &events, &writer) }
      }
      while let findings, sent.unreadable < state.summary.unreadable {
        try events.append("unreadable", UnreadableMessage(folder, findings, sent.unreadable))
        sent.unreadable += 1
        if events.count >= Self.chunk { try await flush(folder, sent, &events, &writer) }
      }
      self.sent.withLock { [sent] in $0[folder] = sent }
    }
    // A comment: if nobody is there, writing fails.
    if !isNews { events.append(raw: ": still here\n\n") }
  }

  private func flush(
    _ folder: Int, _ sent: Sent, _ events: inout EventBuffer,
    _ writer: inout some ResponseBodyWriter
  ) async throws {
    try await writer.write(events.take())
    self.sent.withLock { $0[folder] = sent }
  }
}
