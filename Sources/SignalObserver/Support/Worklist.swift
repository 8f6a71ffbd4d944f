import CSignalObserver
import Dispatch

/// An object that does items of work one at a time, in the order in which they were added, on the
/// threads that add them.
///
/// If no item is in progress, the thread that adds an item does it, and then the items that were
/// added meanwhile. If an item is in progress, the new one is done after it. No thread waits. Items
/// are done outside the lock.
///
/// An item is a thread's *own* if the thread began with it, or if it was added from inside an own
/// item. A thread does all of its own items itself. It also does items of other threads: those
/// before its own, and some more. Then the others are handed over: a global queue continues, where
/// no caller waits for the end (guarantee 16), or the next thread that adds an item, if that is
/// earlier. A queue alone could stay behind for ever, because adding an item is faster than doing
/// one. The item with which a thread takes over is not its own: any number of others may precede
/// it.
///
/// It is inlinable, like all code that uses it. Otherwise the runtime would look up the layout of
/// the model and of the items at each step: 12,700 instructions for a set of a value, instead of
/// 490 (`set-value-1` of `Benchmarks/gate`).
@usableFromInline
protocol Worker: AnyObject, SendableMetatype {
  associatedtype Model
  associatedtype Item

  var worklist: Worklist<Model, Item> { get }

  /// Does an item on `isolation`, if that is known.
  func work(_ item: Item, from isolation: ObjectIdentifier?)
}

extension Worker {
  /// Changes the model, and does the item that `change` returns, if it returns one.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller; nil if it is unknown.
  ///   - changed: A function that runs after `change`, outside the lock, before any item is done.
  ///   - change: See ``Worklist/begin(_:)``.
  @inlinable
  func add(
    from isolation: ObjectIdentifier?, changed: () -> Void = {},
    _ change: (inout Worklist<Model, Item>.State) -> Item?
  ) {
    let step = worklist.begin(change)
    changed()
    switch step {
    case .first(let item):
      work(item, from: isolation)
      finish(from: isolation)
    case .others: goOn(0, from: isolation)
    case .nothing: break
    }
  }

  /// Does the items that were added during the first one.
  @inlinable
  func finish(from isolation: ObjectIdentifier?) {
    plain(.write, worklist, "the item in progress")
    if worklist.unfinished.wrappingAdd(-1, ordering: .releasing).newValue > 0 {
      goOn(1, from: isolation)
    }
  }

  /// Does pending items, of which there is at least one, until none is left or the rest is handed
  /// over.
  ///
  /// This thread has done `count` items already.
  @inlinable
  func goOn(_ count: Int, from isolation: ObjectIdentifier?) {
    var count = count
    while true {
      guard let item = worklist.take(after: count) else {
        // This is safe: only items of other threads are handed on. See the comment of `Worklist`.
        nonisolated(unsafe) let worker = self
        return onGlobalQueue {
          if unsafe worker.worklist.takeOver() { unsafe worker.goOn(0, from: nil) }
        }
      }
      plain(.write, worklist, "the item in progress")
      work(item, from: isolation)
      plain(.write, worklist, "the item in progress")
      if worklist.drop() { return }
      count += 1
    }
  }
}

/// The items of a ``Worker``, and its model.
///
/// Items that are not `Sendable` stay in the isolation domain of their source. There, each item
/// that is added during another one is the thread's own, so that no other thread gets it.
@usableFromInline
final class Worklist<Model, Item> {
  /// An item that waits for its turn.
  @usableFromInline typealias Entry = (item: Item, isOwn: Bool)

  @usableFromInline
  struct State {
    @usableFromInline var model: Model
    /// The waiting items.
    ///
    /// The item in progress is at their front, unless it is the first of all.
    @usableFromInline var pending = Fifo<Entry>()
    /// The items that a change adds behind the one that it returns.
    @usableFromInline var moreItems: ContiguousArray<Item> = []
    /// The number of pending items that belong to the working thread.
    @usableFromInline var ownCount = 0
    /// The thread that works; zero, which is the identity of no thread, if a global queue works.
    @usableFromInline var worker: UInt = 0
    /// Whether the item in progress belongs to that thread.
    @usableFromInline var isOwn = true
    /// Whether nobody works, although items are pending.
    @usableFromInline var isHandedOver = false

    @inlinable
    init(_ model: Model) { self.model = model }
  }

  @usableFromInline let state: Lock<State>
  /// The number of items that are pending or in progress, which grows only under the lock.
  ///
  /// The thread that raises it from zero begins to work, and the thread that lowers it to zero is
  /// done. Raising it acquires, and lowering it without the lock releases, so each item happens
  /// after the one before it, whichever threads do them. Other accesses are relaxed, because the
  /// lock orders them.
  @usableFromInline let unfinished = Atomic(0)

  @inlinable
  init(_ model: Model) {
    state = Lock(State(model))
    plain(.begin, self, "the item in progress")
  }

  /// Whether an item may be pending or in progress.
  ///
  /// Read it under the lock. If it is false, it stays false there, because the count grows only
  /// there.
  @inlinable
  var isBusy: Bool { unfinished.load(ordering: .relaxed) > 0 }

  /// The result of `look` for the model, under the lock.
  @inlinable
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// What a thread does that has changed the model.
  @usableFromInline
  enum Step {
    /// The item that it has added: no other one is in progress.
    case first(Item)
    /// The pending items, which were handed over.
    case others
    case nothing
  }

  /// Changes the model under the lock, and says what the caller does now.
  ///
  /// - Parameter change: A function that changes the model, and returns an item to add; `moreItems`
  ///   follow it. If it replaces parts of the model, it hands the old parts out with the item,
  ///   because a release could run a `deinit` under the lock.
  /// - Returns: The item, if no other one is in progress; it otherwise follows those.
  @inlinable
  func begin(_ change: (inout State) -> Item?) -> Step {
    let step = state.withLock { state -> Step in
      guard let item = change(&state) else { return .nothing }
      let isFirst = unfinished.wrappingAdd(1, ordering: .acquiring).oldValue == 0
      if isFirst {
        (state.worker, state.isOwn) = (currentThread(), true)
      } else {
        append(item, &state)
      }
      if !state.moreItems.isEmpty { appendMoreItems(&state) }
      if isFirst { return .first(item) }
      guard state.isHandedOver else { return .nothing }
      (state.isHandedOver, state.worker, state.isOwn) = (false, currentThread(), false)
      return .others
    }
    if case .first = step { plain(.write, self, "the item in progress") }
    return step
  }

  /// Adds an item that has been counted.
  @inlinable
  func append(_ item: Item, _ state: inout State) {
    let isOwn = state.isOwn && state.worker == currentThread()
    state.pending.append((item, isOwn))
    if isOwn { state.ownCount += 1 }
  }

  @inlinable
  func appendMoreItems(_ state: inout State) {
    unfinished.wrappingAdd(state.moreItems.count, ordering: .relaxed)
    for item in state.moreItems { append(item, &state) }
    state.moreItems = []
  }

  /// The next item; nil if it is handed over, because this thread has done `count` items.
  ///
  /// There is a next item: a thread that counts an item appends it before it leaves the lock.
  @inlinable
  func take(after count: Int) -> Item? {
    state.withLock { state in
      guard let next = state.pending.first, count < worklistLimit || state.ownCount > 0 else {
        (state.worker, state.isHandedOver) = (0, true)
        return nil
      }
      state.isOwn = next.isOwn
      return next.item
    }
  }

  /// Whether a global queue does what was handed over: no thread that has added an item does.
  @inlinable
  func takeOver() -> Bool {
    state.withLock { state in
      defer { state.isHandedOver = false }
      return state.isHandedOver
    }
  }

  /// Removes the item that has been done, and returns whether it was the last one.
  @inlinable
  func drop() -> Bool {
    let (done, isLast) = state.withLock { state in
      let done = state.pending.popFirst()
      if done?.isOwn == true { state.ownCount -= 1 }
      return (done, unfinished.wrappingAdd(-1, ordering: .relaxed).newValue == 0)
    }
    holdUntilHere(done)
    return isLast
  }
}

extension Worklist: Sendable where Model: Sendable, Item: Sendable {}
extension Worklist.State: Sendable where Model: Sendable, Item: Sendable {}

/// The number of items that a thread does before it may hand the items of others on.
#if SO_EXPLORE
  // A small number, which a scenario of the explorer reaches.
  @usableFromInline let worklistLimit = 2
#else
  @usableFromInline let worklistLimit = 128
#endif

/// Runs `work` on a global queue, at the priority of the calling task, or else at the default.
@usableFromInline
func onGlobalQueue(_ work: @escaping @Sendable () -> Void) {
  let priority = Task.currentPriority
  let quality: DispatchQoS.QoSClass =
    switch priority {
    case .high...: .userInitiated
    case .medium...: .default
    case .low...: .utility
    case .background...: .background
    // The caller is in no task, on a system where threads have no priority.
    default: .default
    }
  DispatchQueue.global(qos: quality).async { work() }
}

/// The identity of the calling thread, unique among the threads that are running.
@usableFromInline
func currentThread() -> UInt { unsafe UInt(bitPattern: signal_observer_thread()) }
