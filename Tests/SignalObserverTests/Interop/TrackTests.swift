import CSanitizers
import Dispatch
import Observation
import Testing

@testable import SignalObserver
import Turns

@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct TrackTests {
  @Test func `a method runs at first, and again when something that it read has changed`() async {
    let view = View(Model())
    track(view, View.renderTitle)
    #expect(view.trace == ["title a"])
    view.model?.title = "b"
    await mainQueueSettled()

    #expect(view.trace == ["title a", "title b"])
  }

  @Test func `a method that reads two properties runs when either changes`() async {
    let view = View(Model())
    track(view, View.renderBoth)
    view.model?.title = "b"
    await mainQueueSettled()
    view.model?.count = 1
    await mainQueueSettled()

    #expect(view.trace == ["both a0", "both b0", "both b1"])
  }

  @Test func `of several methods, only those run that read what changed`() async {
    let view = View(Model())
    track(view, View.renderTitle, View.renderCount)
    view.model?.count = 1
    await mainQueueSettled()
    view.model?.title = "b"
    await mainQueueSettled()

    #expect(view.trace == ["title a", "count 0", "count 1", "title b"])
  }

  @Test func `a change of what no method read runs none`() async {
    let view = View(Model())
    track(view, View.renderTitle)
    view.model?.count = 1
    await mainQueueSettled()

    #expect(view.trace == ["title a"])
  }

  @Test func `changes that are made together are one run, after them`() async {
    let view = View(Model())
    track(view, View.renderBoth)
    view.model?.title = "b"
    view.model?.count = 1
    view.model?.title = "c"
    #expect(view.trace == ["both a0"])
    await mainQueueSettled()

    #expect(view.trace == ["both a0", "both c1"])
  }

  // MARK: - Converging

  @Test func `a method that changes what it reads does not chase itself`() async {
    let view = View(Model())
    track(view, View.countRuns)
    await mainQueueSettled()
    #expect(view.model?.count == 1)
    view.model?.count = 5
    await mainQueueSettled()

    #expect(view.trace == ["run 1", "run 6"])
  }

  @Test func `methods that change what each other reads settle`() async {
    let view = View(Model())
    track(view, View.roundUp, View.renderCount)
    view.model?.count = 3
    for _ in 0..<5 { await mainQueueSettled() }

    #expect(view.model?.count == 10)
    #expect(view.trace.last == "count 10")
  }

  @Test func `a method that changes a value that it has read runs until it does not`() async {
    let counter = Counter(limit: 3)
    track(counter, Counter.countUp)
    #expect(counter.trace == ["count 0"])
    for _ in 0..<5 { await mainQueueSettled() }
    #expect(counter.trace == ["count 0", "count 1", "count 2", "count 3"])
    counter.trace = []
    counter.count = 2
    for _ in 0..<5 { await mainQueueSettled() }

    #expect(counter.trace == ["count 2", "count 3"])
  }

  @Test func `a method that changes two values that it has read is one run more`() async {
    let counter = Counter(limit: 0)
    counter.count = 7
    counter.other = 7
    track(counter, Counter.reset)
    for _ in 0..<3 { await mainQueueSettled() }

    #expect(counter.trace == ["7 7", "0 0"])
  }

  @Test func `a method that reads a value after having changed it has nothing to run again for`()
    async
  {
    let counter = Counter(limit: 3)
    track(counter, Counter.writeFirst)
    await mainQueueSettled()
    #expect(counter.trace == ["count 3"])
    counter.count = 9
    await mainQueueSettled()

    #expect(counter.trace == ["count 3", "count 3"])
  }

  @Test func `a method that reads a value before and after it changes the value runs again`() async
  {
    let counter = Counter(limit: 2)
    track(counter, Counter.countUpAndLook)
    for _ in 0..<4 { await mainQueueSettled() }

    #expect(counter.trace == ["count 0", "count 1", "count 2"])
  }

  @Test func `a method that tracks another one runs again when it changes what that one has read`()
    async
  {
    let (outer, inner) = (Counter(limit: 0), Counter(limit: 0))
    outer.inner = inner
    track(outer, Counter.trackInnerAndChangeIt)
    for _ in 0..<3 { await mainQueueSettled() }

    #expect(outer.trace == ["outer", "outer"])
    #expect(inner.trace == ["count 0", "count 1"])
  }

  @Test func `what a method reads after it has tracked another one counts`() async {
    let (outer, inner) = (Counter(limit: 0), Counter(limit: 0))
    outer.inner = inner
    track(outer, Counter.trackInnerAndReadOther)
    for _ in 0..<3 { await mainQueueSettled() }

    #expect(outer.trace == ["other 0", "other 7"])
    #expect(inner.trace == ["count 0"])
  }

  @Test func `a method that never stops changing what it reads lets others have their turns`() async
  {
    let counter = Counter(limit: .max)
    let observer = track(counter, Counter.countUp)
    await withCheckedContinuation { end in
      counter.takeTurns(20) {
        observer.cancel()
        end.resume()
      }
    }
    await mainQueueSettled()

    // A run between two turns of other work, and none after the last.
    let turns = counter.trace.split(separator: "other", omittingEmptySubsequences: false)
    #expect(turns.dropFirst().dropLast().map(\.count) == Array(repeating: 1, count: 19))
    #expect(turns.last == [])
  }

  @Test func `values that other threads set are followed to the newest`() async {
    for round in 1...100 {
      let counter = Counter(limit: 0)
      let value = counter.signal
      track(counter, Counter.show)
      await runTogether([{ value.modify { $0 += round } }, { value.modify { $0 += round } }])
      await mainQueueSettled()

      #expect(counter.trace.last == "count \(2 * round)")
    }
  }

  @Test func `a value that a thread sets all the time is followed to the newest`() async {
    let counter = Counter(limit: 0)
    let value = counter.signal
    track(counter, Counter.show)
    await onThread { for number in 1...2000 { value.set(number) } }
    await mainQueueSettled()

    #expect(counter.trace.last == "count 2000")
  }

  // MARK: - Connecting again

  @Test func `the same call made again connects nothing`() async {
    let view = View(Model())
    let observers = (0..<2).map { _ in view.start() }
    #expect(observers[0] == observers[1])
    view.model?.title = "b"
    await mainQueueSettled()
    #expect(view.trace == ["title a", "title b"])

    observers[0].cancel()
    #expect(view.start() != observers[0])
    #expect(view.trace == ["title a", "title b", "title b"])
  }

  @Test nonisolated func `the same call made by two threads at once is one connection`() async {
    for _ in 0..<300 {
      let page = await Page()
      let observers = Trace<SignalObserver>()
      onThreads(2) { _ in observers.add(track(page, Page.render, isolation: nil)) }

      #expect(observers.entries[0] === observers.entries[1])
      #expect(!observers.entries[0].isCancelled)
    }
  }

  @Test func `the same call made while the first one connects is one connection`() {
    let view = NestingView(Model())
    let observer = view.start()

    #expect(observer === view.inner)
    #expect(!observer.isCancelled)
    #expect(view.trace == ["title a"])
  }

  @Test func `what only an earlier run has read runs nothing`() async {
    let view = Page()
    view.showsTitle = true
    track(view, Page.render)
    await mainQueueSettled()
    #expect(view.trace == ["title a", "count 0"])

    view.model.title = "b"
    await mainQueueSettled()
    #expect(view.trace == ["title a", "count 0"])

    view.model.count = 1
    await mainQueueSettled()
    #expect(view.trace == ["title a", "count 0", "count 1"])
  }

  @Test func `the same call for another target is another connection`() async {
    let model = Model()
    let views = (0..<100).map { _ in View(model) }
    for view in views { view.start() }
    model.title = "b"
    await mainQueueSettled()

    #expect(views.allSatisfy { $0.trace == ["title a", "title b"] })
  }

  @Test func `the same call for a target at the address of a dead one is another connection`() {
    let model = Model()
    var addresses: Set<ObjectIdentifier> = []
    for _ in 0..<100 {
      let view = View(model)
      addresses.insert(ObjectIdentifier(view))
      track(view, View.renderTitle)
      #expect(view.trace == ["title a"])
    }

    // AddressSanitizer uses no address twice for as long as it can.
    #expect(addresses.count < 100 || built_with_address_sanitizer(), "no address was used twice")
  }

  // MARK: - The observer

  @Test func `suspended it calls nothing, and resumed it catches up once`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle, View.renderCount)
    observer.suspend()
    view.model?.title = "b"
    await mainQueueSettled()
    view.model?.title = "c"
    await mainQueueSettled()
    #expect(view.trace == ["title a", "count 0"])
    observer.resume()
    #expect(view.trace == ["title a", "count 0"])
    await mainQueueSettled()
    #expect(view.trace == ["title a", "count 0", "title c"])
    view.model?.title = "d"
    await mainQueueSettled()

    #expect(view.trace == ["title a", "count 0", "title c", "title d"])
  }

  @Test func `resumed without a change it calls nothing`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle)
    observer.suspend()
    observer.resume()
    await mainQueueSettled()

    #expect(view.trace == ["title a"])
  }

  @Test func `resumed without being suspended, what is due keeps its turn`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle)
    track(view, View.renderCount)
    view.model?.title = "b"
    view.model?.count = 1
    observer.resume()
    await mainQueueSettled()

    #expect(view.trace == ["title a", "count 0", "title b", "count 1"])
  }

  @Test func `suspended between a change and its turn, it catches up when resumed`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle)
    view.model?.title = "b"
    observer.suspend()
    await mainQueueSettled()
    #expect(view.trace == ["title a"])
    observer.resume()
    await mainQueueSettled()

    #expect(view.trace == ["title a", "title b"])
  }

  @Test func `cancelled it calls nothing, also what was due`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle)
    view.model?.title = "b"
    observer.cancel()
    await mainQueueSettled()

    #expect(view.trace == ["title a"])
    #expect(observer.isCancelled)
  }

  // MARK: - Lifetime

  @Test func `it ends with its target, which it does not hold`() async {
    let model = Model()
    var view: View? = View(model)
    @Weakly var released = view
    let observer = view?.start()
    view = nil

    #expect(released == nil)
    #expect(observer?.isCancelled == true)
    model.title = "b"
    await mainQueueSettled()
  }

  @Test func `it ends when no model is left, which it does not hold`() {
    let view = View(Model())
    @Weakly var model = view.model
    let observer = track(view, View.renderTitle)
    #expect(!observer.isCancelled)
    view.model = nil

    #expect(model == nil)
    #expect(observer.isCancelled)
  }

  @Test func `suspended with a change due it is released by cancelling`() async {
    let view = View(Model())
    @Weakly var model = view.model
    let observer = track(view, View.renderTitle)
    observer.suspend()
    view.model?.title = "b"
    await mainQueueSettled()
    view.model = nil
    #expect(model == nil)
    observer.cancel()
    observer.resume()
    await mainQueueSettled()

    #expect(view.trace == ["title a"])
  }

  // MARK: - Isolation

  @Test func `a plain class is called where track was called`() async {
    let model = Model()
    let report = Report(model)
    track(report, Report.write)
    model.title = "b"
    await mainQueueSettled()

    #expect(report.lines == ["a", "b"])
  }

  @Test nonisolated func `a method of the main actor runs there, wherever it is tracked`() async {
    let view = await View(Model())
    await Task.detached { _ = track(view, View.renderTitle) }.value
    await mainQueueSettled()
    await MainActor.run { view.model?.title = "b" }
    await mainQueueSettled()

    #expect(await view.trace == ["title a", "title b"])
  }

  @Test func `what a slot of an operator reads is not followed, whenever the method runs`() async {
    @MainActor final class Page {
      let (shown, unrelated, drawn) = (EmitterValue(0), EmitterValue(0), EmitterArg<Int>())
      var runs = 0

      func draw() {
        _ = shown.value
        runs += 1
        drawn.invoke(1)
      }
    }
    let page = Page()
    page.drawn.signal
      .scan(0) { [drawn = page.drawn] sum, number in
        // This waits for its turn, and calls the slot in no emission.
        if number == 1 { drawn.invoke(2) }
        return sum + number
      }
      .connect(on: .inline) { [unrelated = page.unrelated] _ in _ = unrelated.value }
    track(page, Page.draw)
    page.shown.set(1)
    await mainQueueSettled()
    page.unrelated.set(1)
    await mainQueueSettled()

    #expect(page.runs == 2)
  }

  @Test func `a method of another actor runs on that actor, wherever it is tracked`() async {
    let log = Log()
    let gauge = Gauge(log)
    let hold = Place.actor.hold(.main)
    track(gauge, Gauge.read)
    await mainQueueSettled()
    #expect(log.entries == [])
    hold.open()

    #expect(await log.entries(1) == ["read"])
  }

  @Test nonisolated func `methods of two isolations stop the program`() async {
    await #expect(processExitsWith: .failure) {
      // Closures, since the compiler gives methods of one class and of one shape the same actor.
      track(
        Divided(), { target in { @MainActor in target.onMain() } },
        { target in { @Studio in target.inStudio() } })
    }
  }

  @Test func `a subclass's method runs when tracked by the name of the base class's`() {
    final class Subview: View {
      override func renderTitle() { trace.append("override") }
    }
    let view = Subview(Model())
    view.start()

    #expect(view.trace == ["override"])
  }

  @Test func `suspended and resumed between a change and its turn, it runs once`() async {
    let view = View(Model())
    let observer = track(view, View.renderTitle)
    view.model?.title = "b"
    observer.suspend()
    observer.resume()
    await mainQueueSettled()

    #expect(view.trace == ["title a", "title b"])
  }

  @Test func `the same call made again after the end connects again`() async {
    let view = View(Model())
    for _ in 0..<2 {
      let observer = track(view, View.renderTitle)
      #expect(!observer.isCancelled)
      observer.cancel()
    }

    #expect(view.trace == ["title a", "title a"])
  }

  @Test func `observers of targets that are gone are not kept`() {
    weak var first: SignalObserver?
    do {
      // By another call, so that none of the others takes its place.
      let view = View(Model())
      first = track(view, View.renderTitle)
    }
    var views: [View] = []
    for _ in 0..<5000 where first != nil {
      let view = View(Model())
      view.start()
      views.append(view)
    }

    #expect(first == nil)
  }

  // In a program of its own, so that the table has nothing of other tests.
  @Test func `observers of many targets that die together are not kept`() async {
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        weak var first: SignalObserver?
        // Its model lives on, so only the end of its target ends this connection.
        let model = Model()
        let second: SignalObserver
        do {
          var views = (0..<40).map { View($0 == 1 ? model : Model()) }
          for view in views { view.start() }
          (first, second) = (views[0].start(), views[1].start())
          views = []
        }
        // They live on, so that each has an address of its own.
        let others = (0..<100).map { _ in View(Model()) }
        for view in others { view.start() }
        precondition(first == nil && second.isOver)
        withExtendedLifetime(model) {}
      }
    }
  }

  @Test @Studio func `a method of an actor runs before track returns if that is called there`() {
    let meter = Meter()
    track(meter, Meter.read)

    #expect(meter.reads == 1)
  }
}

@Studio private final class Gauge {
  private nonisolated let log: Log

  nonisolated init(_ log: Log) { self.log = log }

  func read() { log.add("read") }
}

private final class Divided: Sendable {
  @MainActor func onMain() {}
  @Studio func inStudio() {}
}

@MainActor private final class Counter {
  @EmitterValue var count = 0
  @EmitterValue var other = 0
  var trace: [String] = []
  var inner: Counter?
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// For other threads.
  var signal: EmitterValue<Int> { _count }

  func show() { trace.append("count \(count)") }

  func countUp() {
    show()
    if count < limit { count += 1 }
  }

  func countUpAndLook() {
    countUp()
    _ = count
  }

  func trackInnerAndChangeIt() {
    trace.append("outer")
    guard let inner else { return }
    track(inner, Counter.show)
    if trace.count == 1 { inner.count = 1 }
  }

  func trackInnerAndReadOther() {
    if let inner { track(inner, Counter.show) }
    trace.append("other \(other)")
    if other == 0 { other = 7 }
  }

  /// Takes turns on the main queue, each enqueued by the one before.
  func takeTurns(_ count: Int, then end: @escaping @MainActor () -> Void) {
    trace.append("other")
    if count == 1 { return end() }
    DispatchQueue.main.async { self.takeTurns(count - 1, then: end) }
  }

  func writeFirst() {
    count = limit
    show()
  }

  func reset() {
    trace.append("\(count) \(other)")
    if count != 0 { count = 0 }
    if other != 0 { other = 0 }
  }
}

/// Shows one thing, and then another.
@MainActor private final class Page {
  let model = Model()
  @EmitterValue var showsTitle = false
  var trace: [String] = []

  func render() {
    if showsTitle {
      trace.append("title \(model.title)")
      showsTitle = false
    } else {
      trace.append("count \(model.count)")
    }
  }
}

@MainActor private class View {
  var model: Model?
  var trace: [String] = []

  init(_ model: Model) { self.model = model }

  @discardableResult func start() -> SignalObserver { track(self, View.renderTitle) }

  func renderTitle() { trace.append("title \(model?.title ?? "-")") }
  func renderCount() { trace.append("count \(model?.count ?? -1)") }
  func renderBoth() { trace.append("both \(model?.title ?? "-")\(model?.count ?? -1)") }

  func countRuns() {
    model?.count += 1
    trace.append("run \(model?.count ?? -1)")
  }

  func roundUp() {
    guard let model, model.count % 10 > 0 else { return }
    model.count += 10 - model.count % 10
  }
}

/// Makes its call again while it is being made.
@MainActor private final class NestingView: View {
  private(set) var inner: SignalObserver?
  private var isInside = false

  @discardableResult override func start() -> SignalObserver {
    track(
      self,
      { view in
        // The call asks for the isolation of its method before it connects.
        MainActor.assumeIsolated { view.nest() }
        return { @MainActor in view.renderTitle() }
      })
  }

  private func nest() {
    if isInside { return }
    isInside = true
    inner = start()
  }
}

private final class Report {
  let model: Model
  var lines: [String] = []

  init(_ model: Model) { self.model = model }

  func write() {
    let model = model
    lines.append(MainActor.assumeIsolated { model.title })
  }
}

@Studio private final class Meter {
  var reads = 0

  nonisolated init() {}

  func read() { reads += 1 }
}
