import CSignalObserver
import Dispatch

/// A source that does its items one at a time, in the order in which they were added, on the
/// threads that add them.
///
/// The thread that adds an item while no other is in progress does it, and then the items that
/// other threads have added meanwhile. No thread waits. Items are done outside the lock.
///
/// An item that is added from inside an item of the same thread is *nested*: the thread does it at
/// once, behind the items that other threads have added before it. While the worklist is closed, it
/// waits like any other.
///
/// A thread does a limited number of items for other threads. It hands the rest to a global queue,
/// or to the next thread that adds an item, if that is earlier. A queue alone could stay behind for
/// ever, because adding an item is faster than doing one. The limit counts for all sources that one
/// emission of the thread reaches, so that they do not multiply it.
///
/// It is inlinable, like all code that uses it. Otherwise the runtime would look up the layout of
/// the model and of the items at each step: 12,700 instructions for a set of a value, instead of
/// 450 (`set-value-1` of `Benchmarks/gate`).
@usableFromInline
protocol Worker: AnyObject, SendableMetatype {
  associatedtype Model
  associatedtype Item

  var worklist: Worklist<Model, Item> { get }

  /// Does an item on `isolation`, if that is known.
  ///
  /// `isOwn` says whether this thread has added it.
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?)
}

extension Worker {
  /// Changes the model, and does the item that `change` returns, if it returns one.
  ///
  /// Everything else is as below.
  @inlinable @inline(__always)
  func add(
    from isolation: ObjectIdentifier?, nests: Bool = true, changed: () -> Void = {},
    _ change: (inout Worklist<Model, Item>.State, _ waits: Bool) -> Item?
  ) {
    var item: Item?
    add(from: isolation, nests: nests, changed: changed) { state, waits in
      item = change(&state, waits)
      return item != nil
    } item: {
      // `change` has just returned it.
      unsafe item.unsafelyUnwrapped
    } now: {
      if let item { work(item, isOwn: true, from: isolation) }
    }
  }

  /// Changes the model, and does at once what is to be done, or adds an item.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller; nil if it is unknown.
  ///   - nests: Whether it may be done inside the item in progress.
  ///   - changed: A function that runs after `change`, outside the lock, before anything is done.
  ///     If something is done at once, what the function adds waits for it.
  ///   - change: A function that changes the model under the lock, and says whether there is
  ///     something to do. It is told whether that may have to wait. If it replaces parts of the
  ///     model, it hands the old parts out, because a release could run a `deinit` under the lock.
  ///   - item: A function that makes the item, under the lock, if it has to wait; `moreItems`
  ///     follow it.
  ///   - now: A function that does what is to be done.
  @inlinable
  func add(
    from isolation: ObjectIdentifier?, nests: Bool = true, changed: () -> Void = {},
    _ change: (inout Worklist<Model, Item>.State, _ waits: Bool) -> Bool,
    item: () -> Item, now: () -> Void
  ) {
    // Whether it is done now, and the number of the last pending item to do after that: zero for
    // none, and the largest number if this thread works until nothing is left.
    var (isNow, last): (Bool, UInt64) = (false, 0)
    worklist.state.withLock { state in
      let thread = workingThread()
      let isFree = state.worker == 0
      let mayNest = state.worker == thread && nests && !worklist.isClosed
      let waits = state.pendingCount > 0 || !isFree && !mayNest
      if !change(&state, waits) { return }
      isNow = !waits && (isFree || state.moreItems.isEmpty)
      if !isNow { state.append(item()) }
      if !state.moreItems.isEmpty { state.appendMoreItems() }
      if isFree {
        (state.worker, last) = (thread, .max)
      } else if mayNest, !isNow {
        last = state.appended
      }
    }
    if isNow {
      worklist.close(during: changed)
      now()
    } else {
      changed()
    }
    if last == 0 || last == .max && worklist.isDone() { return }
    goOn(last, from: isolation)
  }

  /// Does pending items, up to the one with number `last`.
  ///
  /// If that is no number of an item, this thread works, and does all of them, or hands the rest
  /// over.
  @inlinable
  func goOn(_ last: UInt64, from isolation: ObjectIdentifier?) {
    var lent = Lent(isLimited: worklist.mayHandOver)
    // All items together count as one emission.
    insideAnyEmission {
      while let (item, isOwn) = worklist.take(last, &lent) {
        work(item, isOwn: isOwn, from: isolation)
      }
    }
    if last < .max || !lent.isOver { return }
    // This is safe: the share is used up only where other threads add items, which are `Sendable`
    // then. See the comment of `Worklist`.
    nonisolated(unsafe) let worker = self
    onGlobalQueue { if unsafe worker.worklist.takeOver() { unsafe worker.goOn(.max, from: nil) } }
  }
}

/// The items of a ``Worker``, and its model.
///
/// Items that are not `Sendable` stay in the isolation domain of their source. There, each item
/// that is added during another one is of the same thread, so that no other thread gets it.
@usableFromInline
final class Worklist<Model, Item> {
  /// An item that waits for its turn, the thread that has added it, and its number.
  @usableFromInline typealias Entry = (item: Item, thread: UInt, number: UInt64)

  @usableFromInline
  struct State {
    /// The thread that works; zero, which is the number of no thread, if none does.
    ///
    /// Items that are pending then were handed over.
    @usableFromInline var worker: UInt = 0
    /// How many items are pending.
    ///
    /// The numbers are the first fields: code that does not know the types finds them at once.
    @usableFromInline var pendingCount = 0
    /// How many pending items are void, since those were removed.
    @usableFromInline var voidCount = 0
    /// The number of the item that was appended last.
    @usableFromInline var appended: UInt64 = 0
    @usableFromInline var model: Model
    @usableFromInline var pending = Fifo<Entry>()
    /// The items that a change adds behind the one that it returns.
    @usableFromInline var moreItems: ContiguousArray<Item> = []

    @inlinable
    init(_ model: Model) { self.model = model }

    @inlinable
    @inline(never)  // To keep the stack of nested sets small.
    mutating func append(_ item: Item) {
      appended += 1
      pendingCount += 1
      pending.append((item, currentThread(), appended))
    }

    @inlinable @inline(never)
    mutating func appendMoreItems() {
      for item in moreItems { append(item) }
      moreItems = []
    }
  }

  /// The lock, which orders the items, too: each happens after the one before it.
  @usableFromInline let state: Lock<State>
  /// Whether what is added waits, also inside the item in progress.
  ///
  /// This is safe, and needs no check of exclusivity: only the thread that works uses it. Using it
  /// elsewhere would be a race.
  @safe @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isClosed = false

  /// Whether a global queue may do pending items.
  @usableFromInline let mayHandOver: Bool

  @inlinable
  init(_ model: Model, mayHandOver: Bool = true) {
    state = Lock(State(model))
    self.mayHandOver = mayHandOver
    plain(.begin, self, "the item in progress")
  }

  /// The result of `look` for the model, under the lock.
  @inlinable
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// Does a part of the item in progress, inside which nothing is nested.
  @inlinable
  func close<Result>(during body: () -> Result) -> Result {
    isClosed = true
    defer { isClosed = false }
    return body()
  }

  /// Whether nothing is pending; if so, the thread works no more.
  ///
  /// `take` would find that, too. But a call that returns no item costs as much as one that does,
  /// about 400 instructions.
  @inlinable
  func isDone() -> Bool {
    plain(.write, self, "the item in progress")
    return state.withLock { state in
      if state.pendingCount == 0 { state.worker = 0 }
      return state.worker == 0
    }
  }

  /// The next item, and whether this thread has added it.
  ///
  /// Nil if there is none up to `last`, or if this thread has done its share for others. The
  /// thread then works no more, unless it is inside an item.
  @inlinable
  func take(_ last: UInt64, _ lent: inout Lent) -> (Item, isOwn: Bool)? {
    plain(.write, self, "the item in progress")
    return state.withLock { state in
      let thread = currentThread()
      guard let next = state.pending.first, next.number <= last,
        lent.take(next.number, isOwn: next.thread == thread, of: state.appended)
      else {
        if last == .max { state.worker = 0 }
        return nil
      }
      state.pendingCount -= 1
      return state.pending.popFirst().map { ($0.item, $0.thread == thread) }
    }
  }

  /// Makes this thread work on what was handed over, unless one that has added an item works.
  @inlinable
  func takeOver() -> Bool {
    state.withLock { state in
      if state.worker != 0 || state.pendingCount == 0 { return false }
      state.worker = workingThread()
      return true
    }
  }

  /// Counts so many more pending items as void, and removes those once they are most of them.
  @usableFromInline
  func countVoid(_ count: Int, _ isVoid: (Item) -> Bool) {
    if count == 0 { return }
    let removed = state.withLock { state -> [Entry] in
      state.voidCount += count
      guard state.voidCount * 2 > state.pendingCount else { return [] }
      var (kept, removed): (Fifo<Entry>, [Entry]) = (Fifo(), [])
      while let entry = state.pending.popFirst() {
        if isVoid(entry.item) { removed.append(entry) } else { kept.append(entry) }
      }
      (state.pending, state.pendingCount, state.voidCount) = (kept, kept.count, 0)
      return removed
    }
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(removed)
  }

  /// Releases the pending items, because nobody gets them any more.
  @usableFromInline
  func drop() { countVoid(.max / 4) { _ in true } }
}

extension Worklist: Sendable where Model: Sendable, Item: Sendable {}
extension Worklist.State: Sendable where Model: Sendable, Item: Sendable {}

/// Which pending items one call does: its thread's own, and a share of those of other threads.
///
/// `Emission.lent` counts that share, in the outermost emission and all that it causes.
@usableFromInline
struct Lent {
  private let isLimited: Bool
  /// Whether the thread has done its share.
  @usableFromInline private(set) var isOver = false
  private var rounds: Int32 = 0
  /// The number of the last item of this round: what is added during the round is the next one.
  private var roundEnd: UInt64 = 0

  @usableFromInline
  init(isLimited: Bool) { self.isLimited = isLimited }

  /// Counts the item with this number, while item `appended` is the newest one, and returns whether
  /// the thread does it.
  ///
  /// A closure that emits to its own operator whenever it is called would be called for ever: a
  /// million rounds, which take a fraction of a second, stop the program.
  @usableFromInline
  mutating func take(_ number: UInt64, isOwn: Bool, of appended: UInt64) -> Bool {
    if isOwn {
      if number <= roundEnd { return true }
      (rounds, roundEnd) = (rounds + 1, appended)
      if rounds == 1_000_000 { stopCircle() }
      return true
    }
    if !isLimited { return true }
    isOver = Emission.lent >= Self.limit
    if isOver { return false }
    Emission.lent += 1
    return true
  }

  #if SO_EXPLORE
    // A small number, which a scenario of the explorer reaches.
    private static var limit: UInt { 2 }
  #else
    private static var limit: UInt { 128 }
  #endif
}

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

/// The number of the calling thread, which no other thread has, before or after it.
///
/// An address would not do: the system gives that of a thread that has ended to a new one.
@usableFromInline
func currentThread() -> UInt {
  let thread = unsafe signal_observer_this_thread()
  if unsafe thread.pointee.number == 0 { unsafe thread.pointee.number = nextNumber() }
  return unsafe thread.pointee.number
}

/// The number of the calling thread, which begins to work: outside of any emission, it has done
/// nothing for others yet.
@usableFromInline
func workingThread() -> UInt {
  if Emission.innermost == nil { Emission.lent = 0 }
  return currentThread()
}

/// A number that nobody else gets.
func nextNumber() -> UInt {
  // Relaxed: it orders nothing.
  unsafe UInt(bitPattern: signal_observer_add_relaxed(numberCount, 1) &+ 1)
}

// Not an `Atomic`: the schedule explorer keeps its threads and would meet this word in the first
// schedule of each alone. It is safe: never written, and only an atomic access uses the memory.
nonisolated(unsafe) private let numberCount = {
  let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  unsafe count.initialize(to: 0)
  return unsafe count
}()
