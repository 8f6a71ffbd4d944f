import Foundation
import SignalObserver
import SignalObserverNATS
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CoreTests {
  @Test func `what one bus sends, the signals of another deliver with its subject`() async throws {
    let server = try TestServer()
    let (sender, receiver) = (try await server.bus(), try await server.bus())
    let scores = Emitter<Int>()
    let trace = Trace<Message<Int>>()
    receiver.signal("game.*.score", of: Int.self).connect(on: .inline) { trace.append($0) }
    try await receiver.flush()

    sender.send(scores.signal, to: "game.7.score")
    for score in 1...3 { scores.invoke(score) }

    let received = await trace.wait(for: 3)
    #expect(received.map(\.payload) == [1, 2, 3])
    #expect(received.map(\.subject) == ["game.7.score", "game.7.score", "game.7.score"])
  }
}
