import CNats

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

  /// Fails the requests to a subject, because the server does not permit them.
  ///
  /// - Returns: Whether there were some.
  func fail(to subject: String) -> Bool {
    let failed = state.withLock { state in
      let failed = state.requests.filter { $0.value.subject == subject }
      for number in failed.keys { state.requests[number] = nil }
      return failed
    }
    for request in failed.values { request.done(.failure(.notPermitted(subject: subject))) }
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
