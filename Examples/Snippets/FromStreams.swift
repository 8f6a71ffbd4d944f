// What RxSwift and Combine have a type for, and what takes its place.

import SignalObserver

struct Failure: Error {}

// snippet.completion
enum Event: Sendable {
  case received(Int)
  case failed(any Error)
  case completed
}

final class Transfer {
  @EmitterArg<Event> var happened

  func run(_ chunks: [Int]) {
    for chunk in chunks {
      guard chunk >= 0 else { return _happened.invoke(.failed(Failure())) }
      _happened.invoke(.received(chunk))
    }
    _happened.invoke(.completed)
  }
}
// snippet.end

let transfer = Transfer()
transfer.happened.connect { event in
  switch event {
  case .received(let size): print("received", size)
  case .failed(let error): print("failed:", error)
  case .completed: print("completed")
  }
}
transfer.run([1, 2])
transfer.run([-1])
