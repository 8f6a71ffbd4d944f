import Testing

@testable import SignalObserver

/// The task that waits for an operator of time.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CurrentTaskTests {
  private let current = CurrentTask()
  private let gate = AsyncGate()

  private func begin() -> Task<Void, Never> {
    Task { [gate] in await gate.wait() }
  }

  @Test func `the end cancels the youngest task, also if an older one is kept later`() {
    let tasks = [begin(), begin()]
    let numbers = [current.nextNumber(), current.nextNumber()]
    current.keep(tasks[1], numbers[1])
    current.keep(tasks[0], numbers[0])
    current.end()
    gate.open()

    #expect(tasks[1].isCancelled && !tasks[0].isCancelled)
  }

  @Test func `a task that is kept after the end is cancelled`() {
    let task = begin()
    let number = current.nextNumber()
    current.end()
    current.keep(task, number)
    gate.open()

    #expect(task.isCancelled)
  }
}
