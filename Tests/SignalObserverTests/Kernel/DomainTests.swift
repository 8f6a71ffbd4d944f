import Foundation
import SignalObserver
import Testing

/// Signals of payloads that are not `Sendable` stay in one isolation domain, and so does what their slots hold.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct DomainTests {
  /// Not `Sendable`: only its own domain may touch it.
  final class Tally {
    var released = 0
    var threads: Set<Thread> = []
  }

  /// Changes its tally when it is released.
  final class Held {
    let tally: Tally

    init(_ tally: Tally) { self.tally = tally }

    deinit {
      tally.released += 1
      tally.threads.insert(.current)
    }

    func receive(_ tally: Tally) {}
  }

  let emitter = EmitterArg<Tally>()
  let tally = Tally()

  private func connect() -> SignalObserver {
    let held = Held(tally)
    return emitter.signal.connect { (_: Tally) in _ = held }
  }

  @Test func `9. Cancelled elsewhere, a capture that is not Sendable waits for an emission`() {
    let observer = connect()
    onThreads(1) { _ in observer.cancel() }

    #expect(observer.isCancelled)
    #expect(tally.released == 0)

    emitter.invoke(tally)

    #expect(tally.released == 1)
    #expect(tally.threads == [.current])
  }

  @Test
  func `9. Cancelled elsewhere, a capture that is not Sendable is released by slotCount`() {
    let observer = connect()
    onThreads(1) { _ in observer.cancel() }

    #expect(emitter.signal.slotCount == 0)
    #expect(tally.released == 1)
  }

  @Test func `9. Cancelled elsewhere, a capture that is not Sendable dies with its emitter`() {
    let tally = Tally()
    do {
      let emitter = EmitterArg<Tally>()
      let held = Held(tally)
      let observer = emitter.signal.connect { [held] (_: Tally) in _ = held }
      onThreads(1) { _ in observer.cancel() }
      #expect(tally.released == 0)
    }
    #expect(tally.released == 1)
    #expect(tally.threads == [.current])
  }

  @Test
  func `9. Cancelled elsewhere while it waits, a capture that is not Sendable is released at home`()
  {
    let recent = emitter.signal.replay(1)
    emitter.invoke(tally)
    var observers: [SignalObserver] = []
    var isFirst = true
    let tally = tally
    // The slots that it connects wait until it returns.
    recent.connect { (_: Tally) in
      guard isFirst else { return }
      isFirst = false
      for _ in 0..<8 {
        let held = Held(tally)
        observers.append(recent.connect { (_: Tally) in _ = held })
      }
      let all = observers
      onThreads(1) { _ in for observer in all { observer.cancel() } }
      // One more makes the list look for those that have ended.
      recent.connect { (_: Tally) in }
    }
    #expect(tally.released == 8)
    #expect(tally.threads == [.current])
    withExtendedLifetime(observers) {}
  }

  @Test func `9. A slot that cancels itself releases what is not Sendable when it returns`() {
    let connection = Connection()
    connection.observer = connectCancelling(connection)
    emitter.invoke(tally)

    #expect(connection.observer?.isCancelled == true)
    #expect(tally.released == 1)
  }

  private func connectCancelling(_ connection: Connection) -> SignalObserver {
    let held = Held(tally)
    return emitter.signal.connect { (tally: Tally) in
      connection.observer?.cancel()
      #expect(tally.released == 0)
      withExtendedLifetime(held) {}
    }
  }

  @Test func `9. The owner ends connections at once where payloads are not Sendable`() {
    _ = connect()
    emitter.cancelAllObservers()

    #expect(tally.released == 1)
  }

  @Test func `9. Nothing that is not Sendable is released by whoever cancels or asks`() {
    let rounds = 2_000
    for _ in 0..<rounds {
      let observer = connect()
      var target: Held? = Held(tally)
      let byName = target.map { emitter.signal.connect($0, Held.receive) }
      let thread = RunningThread {
        _ = byName?.isCancelled
        observer.cancel()
        byName?.cancel()
      }
      emitter.invoke(tally)
      target = nil
      emitter.invoke(tally)
      thread.join()
    }
    emitter.invoke(tally)

    #expect(tally.released == rounds * 2)
    #expect(tally.threads == [.current])
  }
}

extension DomainTests {
  private final class Connection {
    var observer: SignalObserver?
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) @MainActor struct DomainOnMainTests {
  @Test
  func `9. Cancelled on the main actor, a capture of its signal is released at once`() {
    let emitter = EmitterArg<DomainTests.Tally>()
    let tally = DomainTests.Tally()
    var held: DomainTests.Held? = DomainTests.Held(tally)
    let observer = emitter.signal.connect { [held] (_: DomainTests.Tally) in _ = held }
    held = nil
    observer.cancel()

    #expect(tally.released == 1)
  }
}
