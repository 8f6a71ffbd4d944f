import Observation
import SignalObserver
import SignalObserverTesting
import Testing

/// A set reads nothing on behalf of its caller.
@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ReadingTests {
  final class Page {
    let stored = EmitterValue(0)
    let other = EmitterValue(0)
    let custom: EmitterValue<Int>
    var renders = 0

    init() {
      let stored = stored
      custom = EmitterValue(get: { stored.value }, set: { stored.value = $0 })
      custom.signal.connect(on: .inline) { _ in }
    }

    func set() {
      renders += 1
      custom.set(7)
    }

    func setOther() {
      renders += 1
      other.set(renders)
    }

    func look() {
      renders += 1
      _ = custom.value
    }
  }

  @Test func `the getter of a value that is set is not read by the caller`() {
    let (page, log) = (Page(), Log())
    withObservationTracking {
      page.custom.set(1)
    } onChange: {
      log.add("changed")
    }
    page.stored.set(2)
    #expect(log.entries.isEmpty)
  }

  @Test func `a method that sets a value with a getter is not called again`() async {
    let page = Page()
    track(page, Page.set)
    for _ in 0..<3 { await mainQueueSettled() }
    page.stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 1)
  }

  @Test func `a method that reads a value with a getter follows what that reads`() async {
    let page = Page()
    track(page, Page.look)
    page.stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 2)
  }

  @Test func `what an inline slot reads is not read by the method that sets`() async {
    let page = Page()
    let stored = page.stored
    page.other.signal.connect(on: .inline) { _ in _ = stored.value }
    track(page, Page.setOther)
    for _ in 0..<3 { await mainQueueSettled() }
    stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 1)
  }
}
