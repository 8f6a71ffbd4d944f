import CSignalObserver
import Dispatch
public import Synchronization

/// Items of work, which are done one at a time, in the order in which they were added, by the
/// threads that add them.
///
/// A thread that adds an item while no other item is in progress does it, and then the items that
/// were added meanwhile. No thread waits. An item that a slot or another thread adds during another
/// item is done after that one. Items are done outside the lock.
///
/// A thread does all of its own items: the one with which it began, and those that it adds while it
/// does one of its own. Of the items of others, it does those before its own, and some more. Then a
/// global queue goes on, where no caller waits for the end (guarantee 16).
///
/// It is inlinable, like all code that uses it. Otherwise the runtime would look up the layout of
/// the model and of the items at each step: 12,700 instructions for a set of a value, instead of
/// 247 (`set-value-1` in `Benchmarks/results.json`).
///
/// `@unchecked Sendable`: the lock guards the state, and the count is atomic. Items that are not
/// `Sendable` stay in the isolation domain of their source. There, each item that is added during
/// another one is the thread's own, so that no other thread gets it.
@usableFromInline
final class Worklist<Model, Item>: @unchecked Sendable {
  /// An item that waits for its turn.
  @usableFromInline typealias Entry = (item: Item, isOwn: Bool)

  @usableFromInline
  struct State {
    @usableFromInline var model: Model
    /// The waiting items, behind the item in progress unless that is the first of all.
    @usableFromInline var pending = Fifo<Entry>()
    /// The number of pending items that are the working thread's own.
    @usableFromInline var ownCount = 0
    /// The thread that works; zero, which is no thread, if a global queue works.
    @usableFromInline var worker: UInt = 0
    /// Whether the item in progress is that thread's own.
    @usableFromInline var isOwn = true

    @inlinable
    init(_ model: Model) { self.model = model }
  }

  /// The step that follows an item.
  @usableFromInline
  enum Step {
    case work(Item)
    /// A global queue goes on.
    case handOn
    case end
  }

  @usableFromInline let state: Lock<State>
  /// The number of items that are pending or in progress, which grows only under the lock.
  ///
  /// The thread that raises it to one works, and the thread that lowers it to zero has no more to
  /// do. Raising it acquires, and lowering it without the lock releases, so that each item comes
  /// after the one before it, whichever threads do them. Other accesses are relaxed, because the
  /// lock orders them.
  @usableFromInline let unfinished = Atomic(0)

  @inlinable
  init(_ model: Model) {
    state = Lock(State(model))
    plainBegin(self, "the item in progress")
  }

  /// The result of `look` for the model, under the lock.
  @inlinable
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// The results of `look` for the items in `pending`, under the lock, without those that are nil.
  @inlinable
  func pending<Value>(_ look: (Item) -> Value?) -> [Value] {
    state.withLock { state in state.pending.compactMap { look($0.item) } }
  }

  /// Changes the model under the lock, and adds the item that `change` returns, if there is one.
  ///
  /// - Parameters:
  ///   - change: A function that changes the model. Its second argument says whether the item has
  ///     to wait for others. It replaces parts of the model, and hands the old ones out with the
  ///     item, because a release could run a `deinit` under the lock.
  ///   - changed: A function that runs after `change`, outside the lock, before any item is done.
  ///   - work: A function that does an item, whichever thread has added it.
  ///   - elsewhere: A function that makes the function that does an item on a global queue.
  @inlinable
  func add(
    _ change: (inout Model, _ mustWait: Bool) -> Item?, changed: () -> Void = {},
    work: (Item) -> Void,
    elsewhere: () -> (Item) -> Void
  ) {
    let first = state.withLock { state -> Item? in
      // Zero remains zero here, because the count grows only under the lock.
      let mustWait = unfinished.load(ordering: .relaxed) > 0
      guard let item = change(&state.model, mustWait) else { return nil }
      let thread = currentThread()
      if unfinished.wrappingAdd(1, ordering: .acquiring).oldValue == 0 {
        state.worker = thread
        state.isOwn = true
        return item
      }
      let isOwn = state.isOwn && state.worker == thread
      state.pending.append((item, isOwn))
      if isOwn { state.ownCount += 1 }
      return nil
    }
    changed()
    guard let first else { return }
    plainWrite(self, "the item in progress")
    work(first)
    plainWrite(self, "the item in progress")
    if unfinished.wrappingAdd(-1, ordering: .releasing).newValue > 0 {
      goOn(1, work, elsewhere)
    }
  }

  /// Does pending items, of which there is at least one, until none is left or a global queue goes
  /// on.
  ///
  /// This thread has done `count` items already.
  @inlinable
  func goOn(_ count: Int, _ work: (Item) -> Void, _ elsewhere: () -> (Item) -> Void) {
    var count = count
    var isInProgress = false
    while true {
      let (done, step) = state.withLock { state -> (Entry?, Step) in
        var done: Entry?
        if isInProgress {
          done = state.pending.popFirst()
          if done?.isOwn == true { state.ownCount -= 1 }
          if unfinished.wrappingAdd(-1, ordering: .relaxed).newValue == 0 {
            return (done, .end)
          }
        }
        // There is one: a thread that counts an item appends it before it leaves the lock.
        guard let next = state.pending.first, count < worklistTurn || state.ownCount > 0 else {
          state.worker = 0
          return (done, .handOn)
        }
        state.isOwn = next.isOwn
        return (done, .work(next.item))
      }
      holdUntilHere(done)
      switch step {
      case .work(let item):
        plainWrite(self, "the item in progress")
        work(item)
        plainWrite(self, "the item in progress")
      case .handOn: return handOn(elsewhere())
      case .end: return
      }
      isInProgress = true
      count += 1
    }
  }

  @inlinable
  func handOn(_ work: @escaping (Item) -> Void) {
    // This is safe: only items of other threads are handed on. See the comment of the type.
    nonisolated(unsafe) let work = work
    onGlobalQueue { unsafe self.goOn(0, work) { unsafe work } }
  }
}

/// The number of items that a thread does before it may hand on the items of others.
#if SO_EXPLORE
  // A small number, which a scenario of the explorer reaches.
  @usableFromInline let worklistTurn = 2
#else
  @usableFromInline let worklistTurn = 128
#endif

@usableFromInline
func onGlobalQueue(_ work: @escaping @Sendable () -> Void) {
  DispatchQueue.global().async { work() }
}

/// The identity of the calling thread, unique among the threads that are running.
@usableFromInline
func currentThread() -> UInt { unsafe UInt(bitPattern: signal_observer_thread()) }
