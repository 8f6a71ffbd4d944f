import CAllocationCount
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing
import Turns

#if os(Linux)
  @_spi(SwiftUI) import Observation
#else
  import Observation
#endif

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueObservationTests {
  private let page = Page()
  private let log = Log()

  @Test func `setting a value tells the code that has read it, once, before it changes`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [page, log] in
      log.add("will change \(page.title)")
    }
    page.title = "b"
    page.title = "c"

    #expect(log.entries == ["will change a"])
  }

  #if os(Linux)
    // Elsewhere, SwiftUI alone can ask for this.
    @Test func `setting a value tells SwiftUI after it has changed, too`() {
      withObservationTracking {
        _ = page.title
      } didSet: { [weak page, log] _ in
        // Weak: Observation keeps this closure as long as the value.
        log.add("has changed to \(page?.title ?? "")")
      }
      page.title = "b"

      #expect(log.entries == ["has changed to b"])
    }
  #endif

  @Test func `read through its signal, a value is observed as well`() {
    withObservationTracking {
      _ = page.$title.value
    } onChange: { [log] in
      log.add("will change")
    }
    page.title = "b"

    #expect(log.entries == ["will change"])
  }

  @Test func `a value that was not read tells nothing`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [log] in
      log.add("will change")
    }
    page.count = 1

    #expect(log.entries == [])
  }

  @Test func `connecting is no change`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [log] in
      log.add("will change")
    }
    page.$title.connect(on: .inline) { [log] in log.add($0) }
    page.$title.changes.connect(on: .inline) { [log] _, new in log.add(new) }

    #expect(log.entries == ["a"])
  }

  @Test func `each way to change a value tells`() {
    let custom = Custom()
    let changes: [@Sendable () -> Void] = [
      { custom.value.value = 1 }, { custom.value.set(2) }, { custom.value.modify { $0 += 1 } },
      { custom.value.invoke() }, { custom.plain.value = 1 }, { custom.plain.set(2) },
      { custom.plain.modify { $0 += 1 } }, { custom.plain.invoke() },
    ]
    for (index, change) in changes.enumerated() {
      withObservationTracking {
        _ = (custom.value.value, custom.plain.value)
      } onChange: { [log] in
        log.add("\(index)")
      }
      change()
    }

    #expect(log.entries == ["0", "1", "2", "3", "4", "5", "6", "7"])
    #expect([custom.value.value, custom.plain.value] == [3, 3])
  }

  @Test func `what is set in a slot is told of before it is delivered`() {
    let trackAgain: @Sendable (String) -> Void = { [page, log] name in
      withObservationTracking {
        log.add("\(name) reads \(page.title)")
      } onChange: {
        log.add("\(name) will change \(page.title)")
      }
    }
    let observer = page.$title.connect(on: .inline) { [page, log] title in
      log.add("slot \(title)")
      if title != "b" { return }
      trackAgain("inner")
      page.title = "c"
      log.add("set \(page.title)")
    }
    trackAgain("outer")
    page.title = "b"
    // The slot holds the page.
    observer.cancel()

    #expect(
      log.entries == [
        "slot a", "outer reads a", "outer will change a", "slot b", "inner reads b",
        "inner will change b", "slot c", "set c",
      ])
  }

  @Test func `who is told may read, set another value, connect and cancel`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [page, log] in
      log.add(page.title)
      page.count = 1
      page.$title.connect(on: .inline) { log.add("slot \($0)") }.cancel()
    }
    page.title = "b"

    #expect(log.entries == ["a", "slot a"])
    #expect(page.count == 1)
  }

  @Test func `who reads again before the change is told again after it`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [page, log] in
      // As another thread may that was woken up.
      withObservationTracking {
        log.add("reads \(page.title)")
      } onChange: {
        log.add("reads \(page.title)")
      }
    }
    page.title = "b"

    #expect(log.entries == ["reads a", "reads b"])
  }

  @Test func `16. A slot that connects when a change is told gets it once`() {
    withObservationTracking {
      _ = page.title
    } onChange: { [page, log] in
      withObservationTracking {
        _ = page.title
      } onChange: {
        page.$title.connect(on: .inline) { log.add($0) }
      }
    }
    page.$title.connect(on: .inline) { _ in }
    page.title = "b"
    page.title = "c"

    #expect(log.entries == ["b", "c"])
  }

  @Test func `who reads again before a change in a slot is told again after it`() {
    let observer = page.$title.connect(on: .inline) { [page, log] title in
      if title != "b" { return }
      withObservationTracking {
        _ = page.title
      } onChange: {
        withObservationTracking {
          log.add("reads \(page.title)")
        } onChange: {
          log.add("reads \(page.title)")
        }
      }
      // The change is now, and its delivery after this one.
      page.title = "c"
    }
    page.title = "b"
    // The slot holds the page.
    observer.cancel()

    #expect(log.entries == ["reads b", "reads c"])
  }

  @Test func `an observable model that reads a value passes it on`() {
    let shown = Shown(page)
    withObservationTracking {
      _ = shown.heading
    } onChange: { [log] in
      log.add("will change")
    }
    page.title = "b"

    #expect(log.entries == ["will change"])
    #expect(shown.heading == "[b]")
  }

  @Test func `an observable model may have values of its own`() {
    let song = Song()
    for change in [{ song.title = "b" }, { song.plays = 1 }] {
      withObservationTracking {
        _ = (song.title, song.plays)
      } onChange: { [log] in
        log.add("\(song.title) \(song.plays)")
      }
      change()
    }

    #expect(log.entries == ["a 0", "b 0"])
  }

  @Test @MainActor func `track and observed follow values like any model`() async {
    let label = Label(page)
    let titles = Trace<String>()
    let observers = ObserverBag()
    track(label, Label.show).store(in: observers)
    observed { [page] in page.title }.connect { titles.add($0) }.store(in: observers)
    page.title = "b"
    page.count = 1
    await mainQueueSettled()

    #expect(label.texts == ["a", "b"])
    #expect(titles.entries == ["a", "b"])
  }

  @Test @MainActor func `an Observations sequence has each change`() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    var titles = Observations { [page] in page.title }.makeAsyncIterator()
    var received = [await titles.next()]
    for title in ["b", "c"] {
      let reader = Task { @MainActor [titles] in
        var titles = titles
        return await titles.next()
      }
      // The reader has its turn first, and waits for a change.
      await Task { @MainActor in }.value
      page.title = title
      received.append(await reader.value)
    }

    #expect(received == ["a", "b", "c"])
  }

  // MARK: - Threads

  @Test func `who has read on one thread is told of a set on another`() {
    for round in 1...200 {
      withObservationTracking {
        _ = page.count
      } onChange: { [log] in
        log.add("\(round)")
      }
      RunningThread { [page] in page.count = round }.join()
    }

    #expect(log.entries == (1...200).map { "\($0)" })
  }

  @Test func `threads that are the first to read a value are both told of a set`() {
    for _ in 0..<500 {
      let value = EmitterValue(0)
      let told = Trace<Int>()
      onThreads(2) { index in
        withObservationTracking {
          _ = value.value
        } onChange: {
          told.add(index)
        }
      }
      value.set(1)

      #expect(told.entries.sorted() == [0, 1])
    }
  }

  @Test func `what waits for a change is released with the value`() {
    var value: EmitterValue<Int>? = EmitterValue(0)
    let capture = Box(Lifetime())
    @Weakly var kept = capture.value
    withObservationTracking {
      _ = value?.value
    } onChange: { [capture = capture.value] in
      capture?.use()
    }
    capture.value = nil
    #expect(kept != nil)
    value = nil

    #expect(kept == nil)
  }

  // MARK: - Cost

  @Test(.enabled(if: allocation_count_is_available()))
  func `a value that was read and is not observed is set without an allocation`() {
    let values = [EmitterValue(0), EmitterValue(0)]
    _ = values[0].value
    let allocations = values.map { value in
      value.value = 1
      let before = allocation_count()
      for number in 0..<100 { value.value = number }
      return allocation_count() - before
    }

    #expect(allocations[0] == allocations[1])
    // What a generic value is copied to is on the heap until the optimiser sees that it need not be.
    #if !DEBUG
      #expect(allocations == [0, 0])
    #endif
  }

  @Test(arguments: [true, false])
  func `who reads again before a change in another way is told after it`(isStored: Bool) {
    let kept = Box(1)
    let value =
      isStored
      ? EmitterValue(1) : EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 })
    withObservationTracking {
      _ = value.value
    } onChange: { [log] in
      withObservationTracking {
        log.add("reads \(value.value)")
      } onChange: {
        log.add("told")
      }
    }
    if isStored { value.modify { $0 += 1 } } else { value.set(2) }

    #expect(log.entries == ["reads 1", "told"])
  }
}

/// `@unchecked Sendable`: the wrappers' storage is not written after `init`, and what they share is
/// guarded.
private final class Page: @unchecked Sendable {
  @EmitterValue var title = "a"
  @EmitterValue var count = 0
}

/// A value that is kept elsewhere, and one that is not.
private final class Custom: Sendable {
  let value: EmitterValue<Int>
  let plain = EmitterValue(0)

  init() {
    let storage = Box(0)
    value = EmitterValue(get: { storage.value ?? 0 }, set: { storage.value = $0 })
  }
}

@Observable private final class Shown: @unchecked Sendable {
  private let page: Page

  init(_ page: Page) { self.page = page }

  var heading: String { "[\(page.title)]" }
}

/// `@unchecked Sendable`: used by one thread.
@Observable private final class Song: @unchecked Sendable {
  @ObservationIgnored @EmitterValue var title = "a"
  var plays = 0
}

@MainActor private final class Label {
  private let page: Page
  var texts: [String] = []

  init(_ page: Page) { self.page = page }

  func show() { texts.append(page.title) }
}
