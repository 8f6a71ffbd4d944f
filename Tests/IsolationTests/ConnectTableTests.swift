import Dispatch
import SignalObserver
import Testing

/// A row of the connect table each: the slot states where it runs, 8 threads emit 2,000 times with
/// 0, 1 and 2 arguments, and everything arrives exactly once, in each thread's order.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ConnectTableTests {
  // MARK: - Plain classes

  @Test func `plain methods connected on no actor run on the main queue`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: onMainQueue) }

    connectPlain(stage, direct, mapped)

    await stage.isExact(keeping: direct, mapped)
  }

  @MainActor @Test func `plain methods connected on the main actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: onMainActor) }

    stage.void.signal.connect(direct, Plain.nothing)
    stage.one.signal.connect(direct, Plain.one)
    stage.two.signal.connect(direct, Plain.two)
    stage.one.signal.map { _ in onMainActor() }.connect(mapped, Plain.nothing)
    stage.one.signal.map(mapped, Plain.one, { $0.at(onMainActor) })
    stage.one.signal.map(mapped, Plain.two, { $0.pair(onMainActor) })

    await stage.isExact(keeping: direct, mapped)
  }

  @Background @Test func `plain methods connected on a global actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: onBackground) }

    stage.void.signal.connect(direct, Plain.nothing)
    stage.one.signal.connect(direct, Plain.one)
    stage.two.signal.connect(direct, Plain.two)
    stage.one.signal.map { _ in onBackground() }.connect(mapped, Plain.nothing)
    stage.one.signal.map(mapped, Plain.one, { $0.at(onBackground) })
    stage.one.signal.map(mapped, Plain.two, { $0.pair(onBackground) })

    await stage.isExact(keeping: direct, mapped)
  }

  @Test func `plain methods connected on an actor run there`() async {
    let stage = Stage()
    let owner = Owner(stage)

    await owner.connectPlain()

    await stage.isExact(keeping: owner)
  }

  @Test func `async methods of a plain class connected on no actor run on the main actor`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: onMainActor) }

    stage.void.signal.connect(direct, Plain.asyncNothing)
    stage.one.signal.connect(direct, Plain.asyncOne)
    stage.two.signal.connect(direct, Plain.asyncTwo)
    stage.one.signal.map { _ in }.connect(mapped, Plain.asyncNothing)
    stage.one.signal.map { $0 }.connect(mapped, Plain.asyncOne)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, Plain.asyncTwo)

    await stage.isExact(keeping: direct, mapped)
  }

  @Background @Test func `async methods of a plain class connected on an actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: onBackground) }

    stage.void.signal.connect(direct, Plain.asyncNothing)
    stage.one.signal.connect(direct, Plain.asyncOne)
    stage.two.signal.connect(direct, Plain.asyncTwo)
    stage.one.signal.map { _ in }.connect(mapped, Plain.asyncNothing)
    stage.one.signal.map { $0 }.connect(mapped, Plain.asyncOne)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, Plain.asyncTwo)

    await stage.isExact(keeping: direct, mapped)
  }

  // MARK: - Methods of the main actor

  @Test func `methods of the main actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { OfMain($0) }

    stage.void.signal.connect(direct, OfMain.nothing)
    stage.one.signal.connect(direct, OfMain.one)
    stage.two.signal.connect(direct, OfMain.two)
    stage.one.signal.map { _ in onMainActor() }.connect(mapped, OfMain.nothing)
    stage.one.signal.map(mapped, OfMain.one, { $0.at(onMainActor) })
    stage.one.signal.map(mapped, OfMain.two, { $0.pair(onMainActor) })

    await stage.isExact(keeping: direct, mapped)
  }

  @Test func `async methods of the main actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { OfMain($0) }

    stage.void.signal.connect(direct, OfMain.asyncNothing)
    stage.one.signal.connect(direct, OfMain.asyncOne)
    stage.two.signal.connect(direct, OfMain.asyncTwo)
    stage.one.signal.map { _ in }.connect(mapped, OfMain.asyncNothing)
    stage.one.signal.map { $0 }.connect(mapped, OfMain.asyncOne)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, OfMain.asyncTwo)

    await stage.isExact(keeping: direct, mapped)
  }

  // MARK: - Methods of other global actors

  @Test func `methods of a global actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { OfBackground($0) }

    stage.void.signal.connect(direct, OfBackground.nothing)
    stage.one.signal.connect(direct, OfBackground.one)
    stage.two.signal.connect(direct, OfBackground.two)
    stage.one.signal.map { _ in onBackground() }.connect(mapped, OfBackground.nothing)
    stage.one.signal.map(mapped, OfBackground.one, { $0.at(onBackground) })
    stage.one.signal.map(mapped, OfBackground.two, { $0.pair(onBackground) })

    await stage.isExact(keeping: direct, mapped)
  }

  @Test func `async methods of a global actor run there`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { OfBackground($0) }

    stage.void.signal.connect(direct, OfBackground.asyncNothing)
    stage.one.signal.connect(direct, OfBackground.asyncOne)
    stage.two.signal.connect(direct, OfBackground.asyncTwo)
    stage.one.signal.map { _ in }.connect(mapped, OfBackground.asyncNothing)
    stage.one.signal.map { $0 }.connect(mapped, OfBackground.asyncOne)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, OfBackground.asyncTwo)

    await stage.isExact(keeping: direct, mapped)
  }

  // MARK: - Actors

  @Test func `async methods of an actor run on it`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Store($0) }

    stage.void.signal.connect(direct, Store.asyncNothing)
    stage.one.signal.connect(direct, Store.asyncOne)
    stage.two.signal.connect(direct, Store.asyncTwo)
    stage.one.signal.map { _ in }.connect(mapped, Store.asyncNothing)
    stage.one.signal.map { $0 }.connect(mapped, Store.asyncOne)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, Store.asyncTwo)

    await stage.isExact(keeping: direct, mapped)
  }

  @Test func `closures that are given an actor run on it`() async {
    let stage = Stage()
    let store = Store(stage.direct)

    stage.void.signal.connect(store) { store in store.nothing() }
    stage.one.signal.connect(store) { store, stamp in store.one(stamp) }
    stage.two.signal.connect(store) { store, thread, index in store.two(thread, index) }

    await stage.isExact(keeping: store)
  }

  @Test func `async closures that are given an actor run on it`() async {
    let stage = Stage()
    let store = Store(stage.direct)

    stage.void.signal.connect(store) { store async in await store.asyncNothing() }
    stage.one.signal.connect(store) { store, stamp async in await store.asyncOne(stamp) }
    stage.two.signal.connect(store) { store, thread, index async in
      await store.asyncTwo(thread, index)
    }

    await stage.isExact(keeping: store)
  }

  // MARK: - Async methods of no actor

  @Test func `concurrent methods of a Sendable class are called one at a time`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Worker($0) }

    stage.void.signal.connect(direct, Worker.nothing)
    stage.one.signal.connect(direct, Worker.one)
    stage.two.signal.connect(direct, Worker.two)
    stage.one.signal.map { _ in }.connect(mapped, Worker.nothing)
    stage.one.signal.map { $0 }.connect(mapped, Worker.one)
    stage.one.signal.map { ($0.thread, $0.index) }.connect(mapped, Worker.two)

    await stage.isExact(keeping: direct, mapped)
  }

  // MARK: - Queues, and inline

  @Test(arguments: [false, true])
  func `methods and closures with a queue run on it`(isConcurrent: Bool) async {
    let stage = Stage()
    let queue = DispatchQueue(label: "slots", attributes: isConcurrent ? .concurrent : [])
    let onQueue = { @Sendable in dispatchPrecondition(condition: .onQueue(queue)) }
    let (direct, mapped) = stage.targets { Plain($0, at: onQueue) }

    stage.void.signal.connect(direct, Plain.nothing, queue)
    stage.one.signal.connect(direct, on: queue) { $0.one($1) }
    stage.two.signal.connect(direct, Plain.two, queue)
    stage.one.signal.map { _ in onQueue() }.connect(mapped, Plain.nothing, queue)
    stage.one.signal.map(mapped, Plain.one, { $0.at(onQueue) }, queue)
    stage.one.signal.map(mapped, Plain.two, { $0.pair(onQueue) }, queue)

    await stage.isExact(keeping: direct, mapped)
  }

  @Test func `inline slots have run when the emission returns`() async {
    let stage = Stage()
    let (direct, mapped) = stage.targets { Plain($0, at: {}) }

    stage.void.signal.connect(direct, Plain.nothing, .inline)
    stage.one.signal.connect(direct, Plain.one, .inline)
    stage.two.signal.connect(direct, on: .inline) { $0.two($1, $2) }
    stage.one.signal.map { _ in }.connect(mapped, Plain.nothing, .inline)
    stage.one.signal.map(mapped, Plain.one, { $0 }, nil)
    stage.one.signal.map(mapped, Plain.two, { ($0.thread, $0.index) }, nil)

    await stage.isExact(keeping: direct, mapped)
  }

  // MARK: - Closures

  @Test func `closures written on no actor run on the main queue`() async {
    let stage = Stage()

    connectClosures(stage)

    await stage.isExact()
  }

  @MainActor @Test func `closures written on the main actor run there`() async {
    let stage = Stage()

    stage.void.signal.connect { [direct = stage.direct] in
      onMainActor()
      direct.nothing()
    }
    stage.one.signal.connect { [direct = stage.direct] stamp in
      onMainActor()
      direct.one(stamp)
    }
    stage.two.signal.connect { [direct = stage.direct] thread, index in
      onMainActor()
      direct.two(thread, index)
    }

    await stage.isExact()
  }

  @Test func `closures that say they are of the main actor run there`() async {
    let stage = Stage()
    let main = OfMain(stage.direct)

    stage.void.signal.connect { @MainActor in main.nothing() }
    stage.one.signal.connect { @MainActor stamp in main.one(stamp) }
    stage.two.signal.connect { @MainActor thread, index in main.two(thread, index) }

    await stage.isExact()
  }

  @Test func `closures that say they are of a global actor run there`() async {
    let stage = Stage()
    let target = OfBackground(stage.direct)

    stage.void.signal.connect { @Background in target.nothing() }
    stage.one.signal.connect { @Background stamp in target.one(stamp) }
    stage.two.signal.connect { @Background thread, index in target.two(thread, index) }

    await stage.isExact()
  }

  @Test func `async closures run where they were written for`() async {
    let stage = Stage()
    let main = OfMain(stage.direct)
    let background = OfBackground(stage.direct)

    stage.void.signal.connect { @MainActor in await main.asyncNothing() }
    stage.one.signal.connect { @Background stamp in await background.asyncOne(stamp) }
    stage.two.signal.connect { @MainActor thread, index in await main.asyncTwo(thread, index) }

    await stage.isExact()
  }

  // MARK: - Function values that are not Sendable
  //
  // In processes of their own: a slot that runs elsewhere stops the program.

  @Test func `a bound method of a plain object runs where it is connected`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let stage = Stage()
      let target = Plain(stage.direct, at: onMainActor)

      stage.void.signal.connect(keeping: target.nothing)
      stage.one.signal.connect(keeping: target.one)
      stage.two.signal.connect(keeping: target.two)

      await stage.isExact()
    }
  }

  @Test func `a closure of unknown isolation runs where it belongs`() async {
    await #expect(processExitsWith: .success) {
      let stage = Stage()
      let target = OfMain(stage.direct)
      func connect(
        _ nothing: @escaping @isolated(any) () -> Void,
        _ one: @escaping @isolated(any) (Stamp) -> Void,
        _ two: @escaping @isolated(any) ((Int, Int)) -> Void
      ) {
        stage.void.signal.connect(keeping: nothing)
        stage.one.signal.connect(keeping: one)
        stage.two.signal.connect(keeping: two)
      }

      connect(
        { @MainActor in target.nothing() }, { @MainActor in target.one($0) },
        { @MainActor in target.two($0.0, $0.1) })

      await stage.isExact()
    }
  }

  @Test func `a closure of an actor is not connected to a signal of another domain`() async {
    await #expect(processExitsWith: .failure) {
      let emitter = EmitterArg<Receipt>()
      emitter.signal.connect { @MainActor _ in }
      emitter.invoke(Receipt())
    }
    await #expect(processExitsWith: .success) { @MainActor in
      let emitter = EmitterArg<Receipt>()
      emitter.signal.connect { @MainActor _ in onMainActor() }
      emitter.invoke(Receipt())
    }
  }

  // MARK: - Closures with a target

  @Test func `target closures written on no actor run on the main queue`() async {
    let stage = Stage()
    let target = Plain(stage.direct, at: onMainQueue)

    connectTargetClosures(stage, target)

    await stage.isExact(keeping: target)
  }

  @MainActor @Test func `target closures written on the main actor run there`() async {
    let stage = Stage()
    let target = OfMain(stage.direct)

    stage.void.signal.connect(target) { $0.nothing() }
    stage.one.signal.connect(target) { $0.one($1) }
    stage.two.signal.connect(target) { $0.two($1, $2) }

    await stage.isExact(keeping: target)
  }

  @Background @Test func `target closures written on a global actor run there`() async {
    let stage = Stage()
    let target = OfBackground(stage.direct)

    stage.void.signal.connect(target) { $0.nothing() }
    stage.one.signal.connect(target) { $0.one($1) }
    stage.two.signal.connect(target) { $0.two($1, $2) }

    await stage.isExact(keeping: target)
  }

  @Test func `closures written on an actor run there if they use it`() async {
    let stage = Stage()
    let owner = Owner(stage)

    await owner.connectClosures()

    await stage.isExact(keeping: owner)
  }

  @Test func `target closures written on an actor run there`() async {
    // In a process of its own: a slot that runs elsewhere stops the program.
    await #expect(processExitsWith: .success) {
      let stage = Stage()
      let owner = Owner(stage)

      await owner.connectTargetClosures()

      await stage.isExact(keeping: owner)
    }
  }

  @Test func `async target closures run where they were written for`() async {
    let stage = Stage()
    let main = OfMain(stage.direct)
    let background = OfBackground(stage.direct)

    stage.void.signal.connect(main) { @MainActor main in await main.asyncNothing() }
    stage.one.signal.connect(background) { @Background in await $0.asyncOne($1) }
    stage.two.signal.connect(main) { @MainActor in await $0.asyncTwo($1, $2) }

    await stage.isExact(keeping: main, background)
  }

  @Test func `a function without an isolation runs where its target is connected`() async {
    // In a process of its own: a slot that runs elsewhere stops the program.
    await #expect(processExitsWith: .success) {
      let stage = Stage()
      let owner = Owner(stage)

      await owner.connectFunctions()

      await stage.isExact(keeping: owner)
    }
  }

  @Test func `a closure of another actor runs there if its target is Sendable`() async {
    let stage = Stage()
    let (owner, target) = (Owner(stage), OfMain(stage.direct))

    await owner.connectClosures(of: target)

    await stage.isExact(keeping: target)
  }

  @Test func `a closure of another actor stops if its target must stay`() async {
    await #expect(processExitsWith: .failure) { await Owner(Stage()).lendTarget(0) }
    await #expect(processExitsWith: .failure) { await Owner(Stage()).lendTarget(1) }
    await #expect(processExitsWith: .failure) { await Owner(Stage()).lendTarget(2) }
  }

  // MARK: - Called from no actor

  private func connectPlain(_ stage: Stage, _ direct: Plain, _ mapped: Plain) {
    stage.void.signal.connect(direct, Plain.nothing)
    stage.one.signal.connect(direct, Plain.one)
    stage.two.signal.connect(direct, Plain.two)
    stage.one.signal.map { _ in onMainQueue() }.connect(mapped, Plain.nothing)
    stage.one.signal.map(mapped, Plain.one, { $0.at(onMainQueue) })
    stage.one.signal.map(mapped, Plain.two, { $0.pair(onMainQueue) })
  }

  private func connectClosures(_ stage: Stage) {
    let direct = stage.direct
    stage.void.signal.connect {
      onMainQueue()
      direct.nothing()
    }
    stage.one.signal.connect { stamp in
      onMainQueue()
      direct.one(stamp)
    }
    stage.two.signal.connect { thread, index in
      onMainQueue()
      direct.two(thread, index)
    }
  }

  private func connectTargetClosures(_ stage: Stage, _ target: Plain) {
    stage.void.signal.connect(target) { $0.nothing() }
    stage.one.signal.connect(target) { $0.one($1) }
    stage.two.signal.connect(target) { $0.two($1, $2) }
  }
}

// MARK: - The stage

private func onMainQueue() { dispatchPrecondition(condition: .onQueue(.main)) }
private func onMainActor() { MainActor.preconditionIsolated() }
private func onBackground() { Background.preconditionIsolated() }

extension Stamp {
  /// Checks where a transform runs, and returns itself.
  fileprivate func at(_ check: () -> Void) -> Stamp {
    check()
    return self
  }

  fileprivate func pair(_ check: () -> Void) -> (Int, Int) {
    check()
    return (thread, index)
  }
}

/// A signal for each number of arguments, and what their slots receive.
private struct Stage {
  let void = EmitterVoid()
  let one = EmitterArg<Stamp>()
  let two = EmitterArg2<Int, Int>()
  let direct = Receipts()
  let mapped = Receipts()

  func targets<Target>(_ make: (Receipts) -> Target) -> (direct: Target, mapped: Target) {
    (make(direct), make(mapped))
  }

  /// Emits from 8 threads and expects that all arrived at connected slots, and at mapped ones if
  /// there are any.
  nonisolated(nonsending) func isExact(
    keeping direct: AnyObject? = nil, _ mapped: AnyObject? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let isMapped = one.signal.slotCount > 1
    let connections = void.signal.connections + one.signal.connections + two.signal.connections
    #expect(connections.allSatisfy { $0.fileID == #fileID }, sourceLocation: sourceLocation)
    Threads.emit { [void, one, two] stamp in
      void.invoke()
      one.invoke(stamp)
      two.invoke(stamp.thread, stamp.index)
    }
    await self.direct.complete()
    #expect(self.direct.isExact, sourceLocation: sourceLocation)
    if isMapped {
      await self.mapped.complete()
      #expect(self.mapped.isExact, sourceLocation: sourceLocation)
    }
    withExtendedLifetime((direct, mapped)) {}
  }
}

// MARK: - Targets

private final class Plain {
  private let receipts: Receipts
  private let check: @Sendable () -> Void

  init(_ receipts: Receipts, at check: @escaping @Sendable () -> Void) {
    self.receipts = receipts
    self.check = check
  }

  func nothing() {
    check()
    receipts.nothing()
  }

  func one(_ stamp: Stamp) {
    check()
    receipts.one(stamp)
  }

  func two(_ thread: Int, _ index: Int) {
    check()
    receipts.two(thread, index)
  }

  func asyncNothing() async { nothing() }
  func asyncOne(_ stamp: Stamp) async { one(stamp) }
  func asyncTwo(_ thread: Int, _ index: Int) async { two(thread, index) }
}

@MainActor
private final class OfMain {
  private let receipts: Receipts

  nonisolated init(_ receipts: Receipts) { self.receipts = receipts }

  func nothing() {
    onMainActor()
    receipts.nothing()
  }

  func one(_ stamp: Stamp) {
    onMainActor()
    receipts.one(stamp)
  }

  func two(_ thread: Int, _ index: Int) {
    onMainActor()
    receipts.two(thread, index)
  }

  func asyncNothing() async { nothing() }
  func asyncOne(_ stamp: Stamp) async { one(stamp) }
  func asyncTwo(_ thread: Int, _ index: Int) async { two(thread, index) }
}

@Background
private final class OfBackground {
  private let receipts: Receipts

  nonisolated init(_ receipts: Receipts) { self.receipts = receipts }

  func nothing() {
    onBackground()
    receipts.nothing()
  }

  func one(_ stamp: Stamp) {
    onBackground()
    receipts.one(stamp)
  }

  func two(_ thread: Int, _ index: Int) {
    onBackground()
    receipts.two(thread, index)
  }

  func asyncNothing() async { nothing() }
  func asyncOne(_ stamp: Stamp) async { one(stamp) }
  func asyncTwo(_ thread: Int, _ index: Int) async { two(thread, index) }
}

private actor Store {
  private let receipts: Receipts

  init(_ receipts: Receipts) { self.receipts = receipts }

  func nothing() {
    preconditionIsolated()
    receipts.nothing()
  }

  func one(_ stamp: Stamp) {
    preconditionIsolated()
    receipts.one(stamp)
  }

  func two(_ thread: Int, _ index: Int) {
    preconditionIsolated()
    receipts.two(thread, index)
  }

  func asyncNothing() async { nothing() }
  func asyncOne(_ stamp: Stamp) async { one(stamp) }
  func asyncTwo(_ thread: Int, _ index: Int) async { two(thread, index) }
}

/// An actor that connects objects of its own, and closures, to signals of others.
private actor Owner {
  private let stage: Stage
  private var targets: [Plain] = []

  init(_ stage: Stage) { self.stage = stage }

  func connectPlain() {
    let onOwner = { @Sendable [unowned self] in self.preconditionIsolated() }
    let (direct, mapped) = stage.targets { Plain($0, at: onOwner) }
    targets = [direct, mapped]
    stage.void.signal.connect(direct, Plain.nothing)
    stage.one.signal.connect(direct, Plain.one)
    stage.two.signal.connect(direct, Plain.two)
    stage.one.signal.map { _ in onOwner() }.connect(mapped, Plain.nothing)
    stage.one.signal.map(mapped, Plain.one, { $0.at(onOwner) })
    stage.one.signal.map(mapped, Plain.two, { $0.pair(onOwner) })
  }

  func connectClosures() {
    stage.void.signal.connect { [self] in
      preconditionIsolated()
      stage.direct.nothing()
    }
    stage.one.signal.connect { [self] stamp in
      preconditionIsolated()
      stage.direct.one(stamp)
    }
    stage.two.signal.connect { [self] thread, index in
      preconditionIsolated()
      stage.direct.two(thread, index)
    }
  }

  func connectTargetClosures() {
    let target = Plain(stage.direct) { [unowned self] in self.preconditionIsolated() }
    targets = [target]
    stage.void.signal.connect(target) { $0.nothing() }
    stage.one.signal.connect(target) { $0.one($1) }
    stage.two.signal.connect(target) { $0.two($1, $2) }
  }

  func connectFunctions() {
    let target = Plain(stage.direct) { [unowned self] in self.preconditionIsolated() }
    targets = [target]
    let nothing: @Sendable (Plain) -> Void = { $0.nothing() }
    let one: @Sendable (Plain, Stamp) -> Void = { $0.one($1) }
    let two: @Sendable (Plain, Int, Int) -> Void = { $0.two($1, $2) }
    stage.void.signal.connect(target, nothing)
    stage.one.signal.connect(target, one)
    stage.two.signal.connect(target, two)
  }

  func connectClosures(of target: OfMain) {
    stage.void.signal.connect(target) { @MainActor in $0.nothing() }
    stage.one.signal.connect(target) { @MainActor in $0.one($1) }
    stage.two.signal.connect(target) { @MainActor in $0.two($1, $2) }
  }

  /// Connects a target of this actor to a closure of another one.
  func lendTarget(_ form: Int) {
    let target = Plain(stage.direct) {}
    targets = [target]
    switch form {
    case 0: stage.void.signal.connect(target) { @MainActor in $0.nothing() }
    case 1: stage.one.signal.connect(target) { @MainActor in $0.one($1) }
    default: stage.two.signal.connect(target) { @MainActor in $0.two($1, $2) }
    }
  }
}

/// A payload that is not Sendable.
private final class Receipt {}

/// Its methods say that they are called one at a time.
private final class Worker: Sendable {
  private let receipts: Receipts
  private let turn = [Turn(), Turn(), Turn()]

  init(_ receipts: Receipts) { self.receipts = receipts }

  @concurrent func nothing() async { await turn[0].take { receipts.nothing() } }
  @concurrent func one(_ stamp: Stamp) async { await turn[1].take { receipts.one(stamp) } }
  @concurrent func two(_ thread: Int, _ index: Int) async {
    await turn[2].take { receipts.two(thread, index) }
  }
}
