import CNats
import Foundation
public import SignalObserver

extension Bus {
  /// Asks a question, and waits for the answer of one process.
  ///
  /// The question is sent once, so it is answered at most once.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - subject: The subject to which it is sent.
  ///   - coding: The coding that turns the question into bytes.
  ///   - answer: The coding that turns bytes into the answer.
  ///   - headers: The headers of the question.
  ///   - limit: The longest time to wait, for a connection and for the answer together.
  /// - Returns: The first answer.
  /// - Throws: ``BusError/unavailable(subject:reason:)`` at once if nobody listens to the subject;
  ///   ``BusError/timeout(subject:)`` if nobody answers in time; ``BusError/cancelled`` at once if the
  ///   task is cancelled; ``BusError/refused(subject:code:reason:)``
  ///   with the error of the slot that was asked, if it has thrown one; other errors of ``BusError``
  ///   if the question cannot be sent, or the answer cannot be decoded.
  public func ask<Question: Sendable, Answer: Sendable>(
    _ question: Question, at subject: Subject, as coding: Coding<Question>,
    for answer: Coding<Answer>, headers: MessageHeaders = MessageHeaders(),
    within limit: Duration = .seconds(5)
  ) async throws(BusError) -> Answer {
    let bytes: [UInt8]
    do { bytes = try coding.encode(question) } catch {
      throw .unencodable(subject: subject.text, reason: "\(error)")
    }
    let start = link.measuredNow
    defer { link.measure(since: start) { .asking(subject: subject.text, $0) } }
    let answered = try await link.ask(bytes, at: subject.text, headers, within: limit)
    do { return try answered.withUnsafeBytes { try answer.decode($0) } } catch {
      throw .undecodable(subject: subject.text, bytes: answered, reason: "\(error)")
    }
  }

  /// Asks a question, and waits for the answer of one process, both as JSON.
  ///
  /// See ``ask(_:at:as:for:headers:within:)``.
  public func ask<Question: Codable & Sendable, Answer: Codable & Sendable>(
    _ question: Question, at subject: Subject, for type: Answer.Type,
    headers: MessageHeaders = MessageHeaders(), within limit: Duration = .seconds(5)
  ) async throws(BusError) -> Answer {
    try await ask(question, at: subject, as: .json, for: .json, headers: headers, within: limit)
  }

  /// Answers the questions to a subject.
  ///
  /// The slot gets one question at a time. To answer several at the same time, call this several
  /// times with the same `group`. Questions that wait count for ``BusOptions/pendingLimit``. A question
  /// carries the time for which somebody awaits its answer. If it has waited here for that long, the
  /// slot does not get it.
  ///
  /// - Parameters:
  ///   - subject: The subject, with or without wildcards.
  ///   - question: The coding that turns bytes into questions.
  ///   - answer: The coding that turns answers into bytes.
  ///   - group: The name of the slots that share the questions, in all processes: each question is
  ///     answered by one of them. Without a name, every slot answers, and the first answer counts.
  ///   - slot: A function that returns the answer. If it throws an error, the error is thrown where
  ///     the question was asked.
  /// - Returns: The observer of the connection, which also ends with the bus.
  @discardableResult
  public func answer<Question: Sendable, Answer: Sendable>(
    _ subject: SubjectPattern, as question: Coding<Question>, with answer: Coding<Answer>,
    sharedBy group: Name? = nil,
    _ slot: @escaping @Sendable (Message<Question>) async throws -> Answer
  ) -> SignalObserver {
    let questions = signal(
      subject, of: Arrived<Question>.self, as: .arrived(question), sharedBy: group)
    let observer = questions.connect { @Sendable [link] message async in
      // A message without it is no question.
      guard let reply = message.reply else { return }
      if let limit = Requests.limit(in: reply), message.payload.time + limit < .now { return }
      let question: Question
      switch message.payload.question {
      case .success(let payload): question = payload
      case .failure(let found):
        found.bytes.withUnsafeBytes {
          link.reportUndecodable($0, of: message.subject, found.error, message.headers)
        }
        return link.refuse("\(found.error)", to: reply, at: message.subject)
      }
      let start = link.measuredNow
      defer { link.measure(since: start) { .answering(subject: subject.text, $0) } }
      do {
        let asked = Message(
          subject: message.subject, payload: question, headers: message.headers)
        link.answer(try answer.encode(try await slot(asked)), to: reply, at: message.subject)
      } catch {
        link.refuse("\(error)", to: reply, at: message.subject)
      }
    }
    observer.store(in: observers)
    return observer
  }

  /// Answers the questions to a subject, both as JSON.
  ///
  /// See ``answer(_:as:with:sharedBy:_:)``.
  @discardableResult
  public func answer<Question: Codable & Sendable, Answer: Codable & Sendable>(
    _ subject: SubjectPattern, of type: Question.Type, sharedBy group: Name? = nil,
    _ slot: @escaping @Sendable (Message<Question>) async throws -> Answer
  ) -> SignalObserver {
    answer(subject, as: .json, with: .json, sharedBy: group, slot)
  }
}

/// A question, and when this process has received it.
private struct Arrived<Question: Sendable>: Sendable {
  let time = ContinuousClock.now
  let question: Result<Question, Undecodable>
}

/// A question that cannot be decoded.
private struct Undecodable: Error {
  let bytes: [UInt8]
  let error: any Error
}

extension Coding {
  /// A coding for which bytes that cannot be decoded are a failure, and not an error.
  fileprivate static func arrived<Question>(_ coding: Coding<Question>) -> Self
  where Payload == Arrived<Question> {
    Coding(
      encode: { try coding.encode($0.question.get()) },
      decode: { bytes in
        do { return Arrived(question: .success(try coding.decode(bytes))) } catch {
          return Arrived(question: .failure(Undecodable(bytes: [UInt8](bytes), error: error)))
        }
      })
  }
}

extension Link {
  /// Sends a question once, as soon as there is a connection, and waits for the answer.
  fileprivate func ask(
    _ bytes: [UInt8], at subject: String, _ headers: MessageHeaders, within limit: Duration
  ) async throws(BusError) -> [UInt8] {
    var headers = headers
    instruments.inject(into: &headers, report)
    try check(bytes, to: subject, headers.pairs)
    let answer = try await ask(subject, bytes, headers.pairs, within: limit)
    if let reason = answer.error { throw .refused(subject: subject, code: 0, reason: reason) }
    if answer.status == 503 { throw .unavailable(subject: subject, reason: "nobody listens") }
    return answer.bytes
  }

  fileprivate func answer(_ bytes: [UInt8], to reply: String, at subject: String) {
    do throws(BusError) {
      try check(bytes, to: subject, [])
      respond(bytes, to: reply, at: subject, headers: [])
    } catch {
      report(error)
      refuse("\(error)", to: reply, at: subject)
    }
  }

  fileprivate func refuse(_ reason: String, to reply: String, at subject: String) {
    respond([], to: reply, at: subject, headers: [(Answer.errorHeader, headerText(reason))])
  }

  private func respond(
    _ bytes: [UInt8], to reply: String, at subject: String, headers: [(String, String)]
  ) {
    wire.async { [self] in
      let status = bytes.withUnsafeBytes { send($0, to: reply, reply: nil, headers: headers) }
      if status == NATS_OK {
        flushSoon()
      } else {
        report(.lost(count: 1, subject: subject, because: .unconfirmed))
      }
    }
  }
}

/// The answer to a request.
struct Answer: Sendable {
  static let errorHeader = "Answer-Error"

  let bytes: [UInt8]
  /// The status; 503 if nobody listens to the subject.
  let status: Int?
  /// The error that the slot has thrown which was asked.
  let error: String?
}

/// The requests that wait for their answers.
final class Requests: Sendable {
  private struct Request {
    let subject: String
    let deadline: ContinuousClock.Instant
    let done: @Sendable (Result<Answer, BusError>) -> Void
  }

  private struct State {
    var requests: [UInt64: Request] = [:]
    var next: UInt64 = 0
  }

  private let state = Locked(State())

  /// Returns the number of the next request.
  func takeNumber() -> UInt64 {
    state.withLock { state in
      state.next += 1
      return state.next
    }
  }

  func add(
    _ number: UInt64, _ subject: String, _ deadline: ContinuousClock.Instant,
    _ done: @escaping @Sendable (Result<Answer, BusError>) -> Void
  ) {
    let request = Request(subject: subject, deadline: deadline, done: done)
    state.withLock { $0.requests[number] = request }
  }

  /// The end of the subject for the answer to a question: `w`, the number of milliseconds for which
  /// somebody awaits it, and the number of the request.
  ///
  /// The subject says it, because a header would take room from the question.
  static func answerSubject(_ number: UInt64, within limit: Duration) -> String {
    "w\(max(0, limit.milliseconds) + 1).\(number)"
  }

  /// For how long somebody awaits an answer, as its subject says; nil if it does not say so.
  static func limit(in subject: String) -> Duration? {
    guard let part = subject.split(separator: ".").dropLast().last, part.first == "w" else {
      return nil
    }
    return Int64(part.dropFirst()).map { .milliseconds($0) }
  }

  /// On libnats' thread: passes an answer to its request.
  func receive(_ message: RawMessage) {
    defer { message.destroy() }
    guard let number = message.lastToken,
      let request = state.withLock({ $0.requests.removeValue(forKey: number) })
    else { return }
    request.done(
      .success(
        Answer(
          bytes: [UInt8](message.bytes), status: message.status,
          error: message.header(Answer.errorHeader))))
  }

  func fail(_ number: UInt64, _ error: BusError) {
    state.withLock { $0.requests.removeValue(forKey: number) }?.done(.failure(error))
  }

  func failAll(_ error: BusError) {
    let requests = state.withLock { state in
      defer { state.requests = [:] }
      return state.requests
    }
    for request in requests.values { request.done(.failure(error)) }
  }

  /// Fails the requests to subjects that the server does not permit.
  ///
  /// - Returns: Whether there were some.
  func fail(where isRefused: (String) -> Bool) -> Bool {
    let failed = state.withLock { state in
      let failed = state.requests.filter { isRefused($0.value.subject) }
      for number in failed.keys { state.requests[number] = nil }
      return failed
    }
    for request in failed.values {
      request.done(.failure(.notPermitted(subject: request.subject)))
    }
    return !failed.isEmpty
  }

  /// Fails the requests that are late.
  func failLate(_ now: ContinuousClock.Instant) {
    let late = state.withLock { state in
      let late = state.requests.filter { $0.value.deadline < now }
      for number in late.keys { state.requests[number] = nil }
      return late
    }
    for request in late.values { request.done(.failure(.timeout(subject: request.subject))) }
  }
}

extension RawMessage {
  /// The number at the end of the subject.
  var lastToken: UInt64? {
    let subject = subject
    return subject.lastIndex(of: ".").flatMap { UInt64(subject[subject.index(after: $0)...]) }
  }
}
