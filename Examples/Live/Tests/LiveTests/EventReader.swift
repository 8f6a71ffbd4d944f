import AsyncHTTPClient
import Foundation
import NIOCore

/// Reads server-sent events, as a browser does.
final class EventReader {
  struct State: Decodable {
    let folder, scan, done, total, groups, unreadable: Int
    let phase: String
  }

  struct Group: Decodable, Equatable {
    let folder, scan, index, size, files: Int
    let paths: [String]
  }

  struct Activity: Decodable, Equatable {
    let number, folder: Int
    let text: String
  }

  struct Folders: Decodable, Equatable {
    let run: String
    let names: [String]
  }

  struct Unreadable: Decodable {
    let index: Int
    let path, reason: String
  }

  private(set) var folders: Folders?
  private(set) var states: [State] = []
  private(set) var groups: [Group] = []
  private(set) var unreadable: [Unreadable] = []
  private(set) var activities: [Activity] = []

  private var chunks: HTTPClientResponse.Body.AsyncIterator
  private var rest = ""

  init(_ response: HTTPClientResponse) {
    chunks = response.body.makeAsyncIterator()
  }

  /// Reads until folders are in these phases, the first ones first, and what belongs to them is there.
  func until(_ phases: String..., scan: Int? = nil) async throws -> EventReader {
    while !(isAt(phases) && (scan == nil || states.last?.scan == scan)) {
      guard try await readChunk() else { throw EndOfStream() }
    }
    return self
  }

  /// Reads until the server tells of what has begun or ended in these words.
  func activity(containing words: String) async throws -> Bool {
    while !activities.contains(where: { $0.text.contains(words) }) {
      guard try await readChunk() else { return false }
    }
    return true
  }

  struct EndOfStream: Error {}

  func isAtEnd() async throws -> Bool {
    while try await readChunk() {}
    return true
  }

  private func isAt(_ phases: [String]) -> Bool {
    let last = Dictionary(states.map { ($0.folder, $0) }, uniquingKeysWith: { $1 })
    return phases.enumerated().allSatisfy { folder, phase in
      guard let state = last[folder], state.phase == phase else { return false }
      return groups.count { $0.folder == folder && $0.scan == state.scan } == state.groups
    }
  }

  private func readChunk() async throws -> Bool {
    guard let chunk = try await chunks.next() else { return false }
    rest += String(buffer: chunk)
    while let end = rest.firstRange(of: "\n\n") {
      try take(String(rest[..<end.lowerBound]))
      rest = String(rest[end.upperBound...])
    }
    return true
  }

  private func take(_ event: String) throws {
    let lines = event.split(separator: "\n")
    guard lines.count == 2, let data = lines[1].wholeMatch(of: /data: (.*)/)?.1 else { return }
    func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
      try JSONDecoder().decode(type, from: Data(data.utf8))
    }
    switch lines[0] {
    case "event: folders": folders = try decode(Folders.self)
    case "event: state": states.append(try decode(State.self))
    case "event: group": groups.append(try decode(Group.self))
    case "event: unreadable": unreadable.append(try decode(Unreadable.self))
    case "event: activity": activities.append(try decode(Activity.self))
    default: break
    }
  }
}
