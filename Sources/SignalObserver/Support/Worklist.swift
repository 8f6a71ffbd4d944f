import CSignalObserver
import Dispatch
public import Synchronization

/// Work that is done one item at a time, in the order in which it was added, by the threads that
/// add it.
///
/// The thread that adds an item while nobody works does it, and what is added meanwhile. Nobody
/// waits: an item that is added during another one, by a slot or by another thread, is done after
/// that one. What an item does runs outside the lock.
///
/// A thread does all of its own items, which are the one that it began with and what is added while it
/// does one of its own. Of what others add, it does what comes before those, and some more; then a
/// global queue goes on, where nobody waits for the end (guarantee 16).
///
/// Inlinable, like all that uses it: the runtime would look up the layout of the model and of the
/// items at each step (12,700 instructions for a set of a value, against 247).
///
/// `@unchecked Sendable`: the state is guarded by the lock, and the count is atomic. Items of what is
/// not `Sendable` stay in one isolation domain with the source that they belong to, where all that is
/// added during an item is the thread's own: they do not get to another thread.
@usableFromInline
final class Worklist<Model, Item>: @unchecked Sendable {
  /// An item that waits for its turn.
  @usableFromInline typealias Entry = (item: Item, isOwn: Bool)

  @usableFromInline
  struct State {
    @usableFromInline var model: Model
    /// In front, unless it is the first of all: the item in progress.
    @usableFromInline var pending = Fifo<Entry>()
    /// How many of the pending items are the working thread's own.
    @usableFromInline var ownCount = 0
    /// The thread that works; zero, which is none, if a global queue does.
    @usableFromInline var worker: UInt = 0
    /// Whether the item in progress is that thread's own.
    @usableFromInline var isOwn = true

    @inlinable
    init(_ model: Model) { self.model = model }
  }

  /// What is to be done after an item, with the one that was done, to be released after the lock.
  @usableFromInline
  enum Step {
    case work(Item)
    /// Others go on.
    case handOn
    case end
  }

  @usableFromInline let state: Lock<State>
  /// How many items are pending or in progress; grows under the lock, with `pending`.
  ///
  /// The thread that makes it one works, and the one that makes it zero has no more to do. Acquiring at
  /// one, and releasing where it falls without the lock, so that an item comes after the one before, on
  /// whichever thread. Relaxed under the lock, which orders it.
  @usableFromInline let unfinished = Atomic(0)

  @inlinable
  init(_ model: Model) {
    state = Lock(State(model))
    plainBegin(self, "the item in progress")
  }

  /// What `look` sees of the model, under the lock.
  @inlinable
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// What `look` sees in the items that wait for their turn or are having it.
  @inlinable
  func pending<Value>(_ look: (Item) -> Value?) -> [Value] {
    state.withLock { state in state.pending.compactMap { look($0.item) } }
  }

  /// Changes the model under the lock and adds the item that `change` returns, if any.
  ///
  /// - Parameters:
  ///   - change: Is also told whether the item has to wait for others. Replaces parts of the model, and hands out with the item what it takes from there,
  ///     since a release could run a `deinit` under the lock.
  ///   - changed: Called after `change`, and not under the lock, before any work.
  ///   - work: Does an item, whoever added it.
  ///   - elsewhere: Makes what does an item on a global queue.
  @inlinable
  func add(
    _ change: (inout Model, _ mustWait: Bool) -> Item?, changed: () -> Void = {},
    work: (Item) -> Void,
    elsewhere: () -> (Item) -> Void
  ) {
    let first = state.withLock { state -> Item? in
      // Zero remains zero here: it grows under the lock only.
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

  /// Does what is pending, of which there is something, up to the end or until others shall go on.
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
        // There is one: who has counted an item adds it before leaving the lock.
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
    // Sent to another thread as another thread has sent what it does: see the type's own comment.
    nonisolated(unsafe) let work = work
    onGlobalQueue { unsafe self.goOn(0, work) { unsafe work } }
  }
}

/// How many items a thread does before it thinks of handing on what others have added.
#if SO_EXPLORE
  // So few that a scenario gets there.
  @usableFromInline let worklistTurn = 2
#else
  @usableFromInline let worklistTurn = 128
#endif

@usableFromInline
func onGlobalQueue(_ work: @escaping @Sendable () -> Void) {
  DispatchQueue.global().async { work() }
}

/// The identity of the calling thread, among those that run.
@usableFromInline
func currentThread() -> UInt { unsafe UInt(bitPattern: signal_observer_thread()) }
