import Foundation
import SignalObserverNATS

/// A message that a stream keeps.
final class StoredMessage {
  let sequence: UInt64
  let subject: String
  let content: Content
  let time = Timestamp.now
  /// The size that counts for the limits of the stream.
  let size: Int

  init(_ sequence: UInt64, _ subject: String, _ content: Content, size: Int) {
    self.sequence = sequence
    self.subject = subject
    self.content = content
    self.size = size
  }
}

/// Numbers in their order, of which mostly the first ones are removed.
struct SequenceList {
  private var numbers: [UInt64] = []
  private var head = 0

  var first: UInt64? { head < numbers.count ? numbers[head] : nil }
  var last: UInt64? { head < numbers.count ? numbers.last : nil }
  var count: Int { numbers.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ number: UInt64) { numbers.append(number) }

  mutating func remove(_ number: UInt64) {
    let index = index(of: number)
    guard index < numbers.count, numbers[index] == number else { return }
    if index > head {
      numbers.remove(at: index)
      return
    }
    head += 1
    if head > 1024, head > numbers.count / 2 {
      numbers.removeFirst(head)
      head = 0
    }
  }

  /// The first number that is not smaller than another one.
  func first(from number: UInt64) -> UInt64? {
    let index = index(of: number)
    return index < numbers.count ? numbers[index] : nil
  }

  private func index(of number: UInt64) -> Int {
    var (low, high) = (head, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A stream: its messages, which it finds by sequence and by subject, and its consumers.
final class StoredStream {
  private(set) var settings: StreamSettings
  let created = Timestamp.now
  var consumers: [String: StreamConsumer] = [:]

  /// The messages from `first` on; nil for those that are gone.
  private var messages: [StoredMessage?] = []
  /// The sequence of the first of `messages`.
  private var offset: UInt64 = 1
  private var sequences = SequenceList()
  private var bySubject: [String: SequenceList] = [:]
  private var size = 0
  private var ids: [String: UInt64] = [:]
  private var idTimes: [(id: String, time: Timestamp)] = []
  private var patterns: [Pattern]

  init(_ settings: StreamSettings) {
    self.settings = settings
    patterns = settings.subjects.map(Pattern.init)
  }

  var lastSequence: UInt64 { offset + UInt64(messages.count) - 1 }
  var firstSequence: UInt64 { sequences.first ?? lastSequence + 1 }
  var isWorkQueue: Bool { settings.retention == "workqueue" }

  func keeps(_ subject: String) -> Bool { patterns.contains { $0.matches(subject) } }

  /// Whether a consumer may have a filter.
  func takes(_ filter: String) -> Bool {
    settings.subjects.contains { covers($0, filter) || covers(filter, $0) }
  }

  func overlaps(_ subjects: [String]) -> Bool {
    let others = subjects.map(Pattern.init)
    return patterns.contains { one in others.contains { one.overlaps($0) } }
  }

  func update(_ new: StreamSettings) {
    settings = new
    patterns = settings.subjects.map(Pattern.init)
    makeRoom()
  }

  // MARK: - Reading

  func message(_ sequence: UInt64) -> StoredMessage? {
    guard sequence >= offset, sequence <= lastSequence else { return nil }
    return messages[Int(sequence - offset)]
  }

  /// The first message at or behind a sequence whose subject matches.
  func next(from sequence: UInt64, on filter: Pattern?) -> StoredMessage? {
    if let filter, !filter.hasWildcards {
      return bySubject[filter.text]?.first(from: sequence).flatMap(message)
    }
    var next = sequences.first(from: sequence)
    while let found = next.flatMap(message) {
      if filter?.matches(found.subject) ?? true { return found }
      next = sequences.first(from: found.sequence + 1)
    }
    return nil
  }

  func last(on subject: String) -> StoredMessage? {
    bySubject[subject]?.last.flatMap(message)
  }

  /// The first message that was stored at a time or later.
  func first(since time: Timestamp) -> StoredMessage? {
    messages.lazy.compactMap { $0 }.first { $0.time >= time }
  }

  func count(from sequence: UInt64, on filter: Pattern?) -> Int {
    messages.reduce(0) { count, message in
      guard let message, message.sequence >= sequence else { return count }
      return filter?.matches(message.subject) ?? true ? count + 1 : count
    }
  }

  struct State: Encodable {
    var messages: Int
    var bytes: Int
    var first_seq: UInt64
    var first_ts: Timestamp
    var last_seq: UInt64
    var last_ts: Timestamp
    var consumer_count: Int
    var num_subjects: Int
    var subjects: [String: Int]?
  }

  /// The state, and how many messages the subjects have that match a filter.
  ///
  /// The first `skipped` subjects are left out.
  func state(on filter: Pattern? = nil, without skipped: Int = 0) -> State {
    let none = Timestamp(nanoseconds: 0)
    let counted = filter.map { filter in
      bySubject.keys.filter(filter.matches).sorted().dropFirst(skipped).map { subject in
        (subject, bySubject[subject]?.count ?? 0)
      }
    }
    return State(
      messages: sequences.count, bytes: size, first_seq: firstSequence,
      first_ts: sequences.first.flatMap(message)?.time ?? none, last_seq: lastSequence,
      last_ts: sequences.last.flatMap(message)?.time ?? none, consumer_count: consumers.count,
      num_subjects: bySubject.count,
      subjects: counted.flatMap { $0.isEmpty ? nil : Dictionary(uniqueKeysWithValues: $0) })
  }

  // MARK: - Changes

  /// Stores a message, unless its id says that it is stored, and returns its sequence.
  func store(
    _ content: Content, on subject: String
  ) throws(Refusal) -> (sequence: UInt64, isDuplicate: Bool) {
    if settings.max_msg_size >= 0, content.bytes.count > settings.max_msg_size { throw .tooLarge }
    let id = content.header("Nats-Msg-Id")
    if let id, let known = ids[id] { return (known, true) }
    if let expected = content.header("Nats-Expected-Last-Subject-Sequence").flatMap({ UInt64($0) })
    {
      let last = bySubject[subject]?.last ?? 0
      if last != expected { throw .wrongLast(last) }
    }
    let own = settings.storage == "memory" ? 16 : content.headerSize == 0 ? 30 : 34
    let size = subject.utf8.count + content.bytes.count + own
    if settings.discard == "new" {
      if settings.max_msgs >= 0, sequences.count >= settings.max_msgs { throw .full("messages") }
      if settings.max_bytes >= 0, self.size + size > settings.max_bytes { throw .full("bytes") }
    }
    let message = StoredMessage(lastSequence + 1, subject, content, size: size)
    messages.append(message)
    sequences.append(message.sequence)
    bySubject[subject, default: SequenceList()].append(message.sequence)
    self.size += size
    if let id {
      ids[id] = message.sequence
      idTimes.append((id, message.time))
    }
    for consumer in consumers.values { consumer.add(message) }
    let isOnly = settings.allow_rollup_hdrs && content.header("Nats-Rollup") == "sub"
    let limit = isOnly ? 1 : settings.max_msgs_per_subject
    while limit > 0, let list = bySubject[subject], list.count > limit, let first = list.first {
      remove(first)
    }
    makeRoom()
    return (message.sequence, false)
  }

  func remove(_ sequence: UInt64) {
    guard let message = message(sequence) else { return }
    messages[Int(sequence - offset)] = nil
    sequences.remove(sequence)
    bySubject[message.subject]?.remove(sequence)
    if bySubject[message.subject]?.isEmpty ?? false { bySubject[message.subject] = nil }
    size -= message.size
    for consumer in consumers.values { consumer.remove(message) }
    let gone = firstSequence - offset
    if gone > 1024, gone > messages.count / 2 {
      messages.removeFirst(Int(gone))
      offset += gone
    }
  }

  /// Removes what is too much or too old.
  func makeRoom() {
    if settings.max_msgs >= 0 {
      while sequences.count > settings.max_msgs, let first = sequences.first { remove(first) }
    }
    if settings.max_bytes >= 0 {
      while size > settings.max_bytes, let first = sequences.first { remove(first) }
    }
    guard settings.max_age > 0 else { return }
    let oldest = Timestamp(nanoseconds: Timestamp.now.nanoseconds - settings.max_age)
    while let first = sequences.first, let message = message(first), message.time < oldest {
      remove(first)
    }
  }

  /// Forgets the ids for which the time is over.
  func forgetIDs() {
    let oldest = Timestamp(nanoseconds: Timestamp.now.nanoseconds - settings.duplicate_window)
    let count = idTimes.prefix { $0.time < oldest }.count
    for entry in idTimes.prefix(count) { ids[entry.id] = nil }
    idTimes.removeFirst(count)
  }
}
