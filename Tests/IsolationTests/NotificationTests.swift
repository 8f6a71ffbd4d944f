import CSanitizers
import Foundation
import SignalObserver
import SignalObserverUI
import Testing
import Turns

@Suite(.serialized, .inTurn) struct NotificationTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("added")

  final class Sidebar: Sendable {
    let titles = EmitterValue<[String]>([])

    func show(_ title: String) { titles.modify { $0.append(title) } }
  }

  private var titles: some SignalSource<String> {
    center.source(for: name) { $0.userInfo?["title"] as? String }
  }

  private func post(_ title: Any?, from object: AnyObject? = nil) {
    center.post(name: name, object: object, userInfo: title.map { ["title": $0] })
  }

  @Test func `what a notification has is sent, on the thread that posts`() {
    let sidebar = Sidebar()
    titles.connect(sidebar, Sidebar.show, .inline)
    post("Dune")
    // Nothing that the closure takes.
    post(nil)
    post(7)
    center.post(name: Notification.Name("other"), object: nil)
    post("Solaris")

    #expect(sidebar.titles.value == ["Dune", "Solaris"])
  }

  @Test func `a source without a payload calls slots without parameters`() {
    let calls = EmitterValue(0)
    let observer = center.source(for: name).connect(on: .inline) { calls.modify { $0 += 1 } }
    post("Dune")
    post(nil)
    observer.cancel()
    post(nil)

    #expect(calls.value == 2)
  }

  /// Ends a connection when it is released.
  private final class Ending: Sendable {
    let observer: SignalObserver

    init(_ observer: SignalObserver) { self.observer = observer }

    deinit { observer.cancel() }
  }

  @Test func `what a closure takes may end connections when a connection releases it`() {
    let other = center.source(for: name).connect(on: .inline) {}
    let observer = connect(holding: Ending(other))
    #expect(!other.isCancelled)
    observer.cancel()
    #expect(other.isCancelled)
  }

  private func connect(holding ending: Ending) -> SignalObserver {
    center.source(for: name) { _ in withExtendedLifetime(ending) {} }.connect(on: .inline) { _ in }
  }

  @Test func `only the notifications of its object are sent`() {
    let (mine, other) = (NSObject(), NSObject())
    let calls = EmitterValue(0)
    let source = center.source(for: name, object: mine)
    source.connect(on: .inline) { calls.modify { $0 += 1 } }
    post(nil, from: mine)
    post(nil, from: other)
    post(nil)

    #expect(calls.value == 1)
  }

  @Test @MainActor func `a slot of the main actor gets what another thread posts`() async {
    let sidebar = Sidebar()
    titles.connect { title in sidebar.show(title) }
    await Task.detached { [center, name] in
      center.post(name: name, object: nil, userInfo: ["title": "Dune"])
    }.value
    _ = await sidebar.titles.signal.filter { !$0.isEmpty }.next()

    #expect(sidebar.titles.value == ["Dune"])
  }

  final class Captured: Sendable {
    let title = "Dune"
  }

  @Test func `cancelling removes the connection from the center`() {
    var captured: Captured? = Captured()
    @Weakly var weakCaptured = captured
    let observer = center.source(for: name) { [captured] _ in captured?.title }
      .connect(on: .inline) { _ in }
    captured = nil
    #expect(weakCaptured != nil)
    observer.cancel()

    // The center had the closure, and nobody has it now.
    #expect(weakCaptured == nil)
  }

  @Test func `a connection does not hold the center, and ends with it`() {
    var center: NotificationCenter? = NotificationCenter()
    @Weakly var weakCenter = center
    let observer = center?.source(for: name).connect(on: .inline) {}
    center = nil

    #expect(weakCenter == nil)
    #expect(observer?.isCancelled == true)
  }

  @Test func `a connection ends with the first notification after its target has died`() {
    var captured: Captured? = Captured()
    @Weakly var weakCaptured = captured
    var sidebar: Sidebar? = Sidebar()
    let observer = sidebar.map {
      center.source(for: name) { [captured] _ in captured?.title }
        .connect($0, Sidebar.show, .inline)
    }
    captured = nil
    sidebar = nil
    #expect(weakCaptured != nil)
    post(nil)

    #expect(observer?.isCancelled == true)
    #expect(weakCaptured == nil)
  }

  @Test(arguments: [false, true])
  func `a connection whose target has died ends, though nothing is sent`(isSuspended: Bool) {
    var sidebar: Sidebar? = Sidebar()
    var captured: Captured? = Captured()
    @Weakly var weakCaptured = captured
    let other = sidebar.map {
      center.source(for: name) { [captured] _ in isSuspended ? captured?.title : nil }
        .connect($0, Sidebar.show, .inline)
    }
    if isSuspended { other?.suspend() }
    (captured, sidebar) = (nil, nil)
    post(nil)

    // Not `isCancelled`, which would end it.
    #expect(weakCaptured == nil)
  }

  // ThreadSanitizer does not see the lock of Foundation's center.
  @Test(.enabled(if: !built_with_thread_sanitizer()))
  func `nothing is lost or doubled while threads post and connections end`() async {
    let counts = EmitterValue([Int](repeating: 0, count: 4))
    let (center, name) = (center, name)
    center.source(for: name) { $0.userInfo?["thread"] as? Int }
      .connect(on: .inline) { thread in counts.modify { $0[thread] += 1 } }
    await withTaskGroup { group in
      for thread in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            center.post(name: name, object: nil, userInfo: ["thread": thread])
            center.source(for: name).connect(on: .inline) {}.cancel()
          }
        }
      }
    }

    #expect(counts.value == [500, 500, 500, 500])
  }
}
