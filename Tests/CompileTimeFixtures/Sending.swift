// A signal of a payload that is not Sendable, and its emitter, stay where they are.

import SignalObserver

final class Document {}

func works(signal: SignalArg<Int>) {
  Task.detached { signal.connect { _ in } }
}

func worksIfNobodyElseHasIt() {
  let emitter = EmitterArg<Document>()
  Task.detached { emitter.invoke(Document()) }
}

#if WRONG
  func sendsSignal(signal: SignalArg<Document>) {
    // expected-error@+1 {{risks causing data races}}
    Task.detached { signal.connect { _ in } }
  }

  func sendsEmitter() {
    let emitter = EmitterArg<Document>()
    // expected-error@+1 {{risks causing data races}}
    Task.detached { emitter.invoke(Document()) }
    emitter.invoke(Document())
  }
#endif
