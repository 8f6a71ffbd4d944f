import Testing

@testable import SignalObserverTesting

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OneShotTests {
  @Test func `the first result counts`() async throws {
    let shot = OneShot<Int>()
    shot.resolve(.success(1))
    shot.resolve(.success(2))
    shot.resolve(.failure(CancellationError()))

    #expect(try await shot.value == 1)
  }

  @Test func `who waits gets the first result`() async throws {
    let shot = OneShot<Int>()
    async let value = shot.value
    shot.resolve(.success(1))
    shot.resolve(.success(2))

    #expect(try await value == 1)
  }
}
