// Sources that are made of others.

import SignalObserver

final class Search {
  @EmitterValue var text = ""
  @EmitterValue var isEnabled = true
  @EmitterArg<Result<[String], any Error>> var found
}

final class Page: Sendable {
  func load(_ text: String) {}
  func show(_ lines: [String]) {}
  func update(_ text: String, _ isEnabled: Bool) {}
}

let search = Search()
let page = Page()

// snippet.chain
search.$text
  .filter { !$0.isEmpty }
  .removeDuplicates()
  .debounce(for: .milliseconds(300))
  .connect(page, Page.load)
search.found.compactMap { try? $0.get() }
  .map { $0.map { $0.uppercased() } }
  .connect(page, Page.show)
combineLatest(search.$text, search.$isEnabled).connect(page, Page.update)
// snippet.end

// snippet.own
import Synchronization

/// Sends every `n`th payload.
struct Every<Base: SignalSource>: SignalSource {
  let base: Base
  let n: Int

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    let count = Count()  // made here, so that connections do not share it
    return base.attach(
      slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
  }
}

final class Count: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension SignalSource {
  func every(_ n: Int) -> some SignalSource<Payload> { Every(base: self, n: n) }
}
// snippet.end

search.$text.every(2).connect(page, Page.load)
