import CNats
import Synchronization

/// What came back for a request.
struct Answer: Sendable {
  let bytes: [UInt8]
  /// 503 where nobody answers.
  let status: Int?
}

/// Requests that wait for their answers.
final class Requests: Sendable {
  private struct Request {
    let subject: String
    let deadline: ContinuousClock.Instant
    let done: @Sendable (Result<Answer, BusError>) -> Void
  }

  private struct State {
    var requests: [UInt64: Request] = [:]
    var next: UInt64 = 0
    var isSwept = false
  }

  private let state = Mutex(State())

  /// Adds a request and returns its number; calls `sweep` if nobody looks for late ones.
  func add(
    _ subject: String, after timeout: Duration, sweep: () -> Void,
    _ done: @escaping @Sendable (Result<Answer, BusError>) -> Void
  ) -> UInt64 {
    let (number, isFirst) = state.withLock { state in
      state.next += 1
      state.requests[state.next] = Request(
        subject: subject, deadline: .now + timeout, done: done)
      let isFirst = !state.isSwept
      state.isSwept = true
      return (state.next, isFirst)
    }
    if isFirst { sweep() }
    return number
  }

  /// On libnats' thread: gives an answer to its request.
  func receive(_ message: RawMessage) {
    defer { message.destroy() }
    guard let number = message.lastToken,
      let request = state.withLock({ $0.requests.removeValue(forKey: number) })
    else { return }
    request.done(.success(Answer(bytes: [UInt8](message.bytes), status: message.status)))
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

  /// Fails what is late.
  ///
  /// - Returns: Whether there is more to look for.
  func sweep() -> Bool {
    let now = ContinuousClock.now
    let (late, isSwept) = state.withLock { state in
      let late = state.requests.filter { $0.value.deadline < now }
      for number in late.keys { state.requests[number] = nil }
      state.isSwept = !state.requests.isEmpty
      return (late, state.isSwept)
    }
    for request in late.values { request.done(.failure(.timeout(subject: request.subject))) }
    return isSwept
  }
}

extension RawMessage {
  /// The number that the subject ends with.
  var lastToken: UInt64? {
    let subject = subject
    return subject.lastIndex(of: ".").flatMap { UInt64(subject[subject.index(after: $0)...]) }
  }
}
