import SignalObserver
import SignalObserverTesting
import Testing

@Test func `a spy sees what a signal of a package at a tag sends`() {
  let emitter = EmitterArg<Int>()
  let spy = SignalSpy(emitter.signal)

  emitter.invoke(7)

  #expect(spy.take() == [7])
}
