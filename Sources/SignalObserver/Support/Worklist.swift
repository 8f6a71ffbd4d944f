import CSignalObserver
import Dispatch

/// A source that does its items one at a time, in the order in which they were added, on the
/// threads that add them.
///
/// The thread that adds an item while no other is in progress does it, and then the items that
/// other threads have added meanwhile. No thread waits. Items are done outside the lock.
///
/// An item that is added from inside an item of the same thread is *nested*: the thread does it at
/// once, behind the items that other threads have added before it.
///
/// A thread does a limited number of items for other threads. It hands the rest to a global queue,
/// or to the next thread that adds an item, if that is earlier. A queue alone could stay behind for
/// ever, because adding an item is faster than doing one. The limit counts for all sources that one
/// emission of the thread reaches, so that they do not multiply it.
///
/// It is inlinable, like all code that uses it. Otherwise the runtime would look up the layout of
/// the model and of the items at each step: 12,700 instructions for a set of a value, instead of
/// 409 (`set-value-1` of `Benchmarks/gate`).
@usableFromInline
protocol Worker: AnyObject, SendableMetatype {
  associatedtype Model
  associatedtype Item

  var worklist: Worklist<Model, Item> { get }

  /// Does an item on `isolation`, if that is known.
  ///
  /// `isOwn` says whether this thread has added it.
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?)

  /// Whether a global queue may do pending items.
  var mayHandOver: Bool { get }
}

extension Worker {
  @inlinable var mayHandOver: Bool { true }

  /// Changes the model, and does the item that `change` returns, if it returns one.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller; nil if it is unknown.
  ///   - nests: Whether the item may be done inside the one in progress.
  ///   - changed: A function that runs after `change`, outside the lock, before any item is done.
  ///   - change: See ``Worklist/begin(nests:_:_:item:)``.
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
  ///   - change: A function that says whether there is something to do.
  ///   - item: A function that makes the item, under the lock, if it has to wait.
  ///   - now: A function that does what is to be done.
  @inlinable
  func add(
    from isolation: ObjectIdentifier?, nests: Bool = true, changed: () -> Void = {},
    _ change: (inout Worklist<Model, Item>.State, _ waits: Bool) -> Bool,
    item: () -> Item, now: () -> Void
  ) {
    var last: UInt64 = .max
    let step = worklist.begin(nests: nests, &last, change, item: item)
    changed()
    switch step {
    case .first:
      now()
      finish(from: isolation)
    case .nested: worklist.nest(now)
    case .pending where last == .max: goOn(last, from: isolation)
    case .pending: worklist.nest { goOn(last, from: isolation) }
    case .nothing: break
    }
  }

  /// Does the items that were added during the first one.
  @inlinable
  func finish(from isolation: ObjectIdentifier?) {
    plain(.write, worklist, "the item in progress")
    if worklist.unfinished.wrappingAdd(-1, ordering: .releasing).newValue > 0 {
      goOn(.max, from: isolation)
    }
  }

  /// Does pending items, of which there is at least one, up to the one with number `last`.
  ///
  /// If that is no number of an item, it does all of them, or hands the rest over.
  @inlinable
  func goOn(_ last: UInt64, from isolation: ObjectIdentifier?) {
    var lent = Lent()
    while let (item, isOwn) = worklist.take(last, &lent) {
      plain(.write, worklist, "the item in progress")
      work(item, isOwn: isOwn, from: isolation)
      plain(.write, worklist, "the item in progress")
      if worklist.unfinished.wrappingAdd(-1, ordering: .releasing).newValue == 0 { return }
    }
    if last < .max { return }
    if !mayHandOver { return takeOver() }
    // This is safe: only items of other threads are handed on. See the comment of `Worklist`.
    nonisolated(unsafe) let worker = self
    onGlobalQueue { unsafe worker.takeOver() }
  }

  /// Does what was handed over, unless a thread that has added an item does.
  @inlinable
  func takeOver() {
    let isTaken = worklist.state.withLock { state in
      if state.worker != 0 || worklist.unfinished.load(ordering: .relaxed) == 0 { return false }
      state.worker = currentThread()
      return true
    }
    if isTaken { goOn(.max, from: nil) }
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
    @usableFromInline var model: Model
    @usableFromInline var pending = Fifo<Entry>()
    /// The items that a change adds behind the one that it returns.
    @usableFromInline var moreItems: ContiguousArray<Item> = []
    /// The number of the item that was appended last.
    @usableFromInline var appended: UInt64 = 0
    /// How many pending items are void, since those were removed.
    @usableFromInline var voidCount = 0
    /// The thread that works, if an item is in progress; zero, which is the number of no thread,
    /// if the items were handed over.
    @usableFromInline var worker: UInt = 0

    @inlinable
    init(_ model: Model) { self.model = model }
  }

  @usableFromInline let state: Lock<State>
  /// The number of items that are pending or in progress, except nested ones.
  ///
  /// It grows only under the lock.
  ///
  /// The thread that raises it from zero begins to work, and the thread that lowers it to zero is
  /// done. Raising it acquires, and lowering it releases, so each item happens after the one before
  /// it, whichever threads do them. Other accesses are relaxed, because the lock orders them.
  @usableFromInline let unfinished = Atomic(0)
  /// How many nested items are in progress.
  ///
  /// This is safe, and needs no check of exclusivity: only the thread that works uses it. Using it
  /// elsewhere would be a race.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var nesting = 0
  /// Whether what is added waits, also inside the item in progress.
  ///
  /// Safe, as above.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isClosed = false

  @inlinable
  init(_ model: Model) {
    state = Lock(State(model))
    plain(.begin, self, "the item in progress")
  }

  /// The result of `look` for the model, under the lock.
  @inlinable
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// Whether this thread does the item in progress.
  ///
  /// Call it under the lock.
  @inlinable
  func isWorking(_ state: State) -> Bool {
    state.worker == currentThread() && unfinished.load(ordering: .relaxed) > 0
  }

  /// What a thread does that has changed the model.
  ///
  /// It has no payload: Swift destroys enumerations of generic payloads through the runtime.
  @usableFromInline
  enum Step {
    /// What it has to do, and then what others have added: nothing else is in progress.
    case first
    /// What it has to do, inside its own item in progress.
    case nested
    /// The pending items.
    case pending
    case nothing
  }

  /// Changes the model under the lock, and says what the caller does now.
  ///
  /// - Parameters:
  ///   - nests: Whether the item may be done inside the one in progress.
  ///   - last: Gets the number of the last pending item to do; stays, if that is all of them.
  ///   - change: A function that changes the model, and says whether there is something to do. It
  ///     is told whether that may have to wait. If it replaces parts of the model, it hands the old
  ///     parts out, because a release could run a `deinit` under the lock.
  ///   - item: A function that makes the item if it has to wait; `moreItems` follow it.
  /// - Returns: What the caller does now.
  @inlinable
  func begin(
    nests: Bool = true, _ last: inout UInt64, _ change: (inout State, _ waits: Bool) -> Bool,
    item: () -> Item
  ) -> Step {
    let step = state.withLock { state -> Step in
      let mayNest = unsafe isWorking(state) && nests && !isClosed
      let isNested = mayNest && state.pending.isEmpty
      // Acquires, so that `change` finds what the last item has done.
      let waits = !isNested && unfinished.load(ordering: .acquiring) > 0
      if !change(&state, waits) { return .nothing }
      if isNested, state.moreItems.isEmpty { return .nested }
      let isFirst = unfinished.wrappingAdd(1, ordering: .acquiring).oldValue == 0
      let isHandedOver = !isFirst && state.worker == 0
      if isFirst || isHandedOver { state.worker = currentThread() }
      if !isFirst { append(item(), &state) }
      if !state.moreItems.isEmpty { appendMoreItems(&state) }
      if isFirst { return .first }
      if isHandedOver { return .pending }
      if !mayNest { return .nothing }
      last = state.appended
      return .pending
    }
    if step == .first { plain(.write, self, "the item in progress") }
    return step
  }

  /// Appends an item that has been counted.
  @inlinable
  @inline(never)  // To keep the stack of nested sets small.
  func append(_ item: Item, _ state: inout State) {
    state.appended += 1
    state.pending.append((item, currentThread(), state.appended))
  }

  @inlinable
  func appendMoreItems(_ state: inout State) {
    unfinished.wrappingAdd(state.moreItems.count, ordering: .relaxed)
    for item in state.moreItems { append(item, &state) }
    state.moreItems = []
  }

  /// Does nested items.
  @inlinable
  func nest(_ body: () -> Void) {
    unsafe nesting += 1
    body()
    unsafe nesting -= 1
  }

  /// Does a part of the item in progress, inside which nothing is nested.
  @inlinable
  func close<Result>(during body: () -> Result) -> Result {
    unsafe isClosed = true
    defer { unsafe isClosed = false }
    return body()
  }

  /// The next item, and whether this thread has added it.
  ///
  /// Nil if there is none before `last`, or if this thread has done its share for others. In the
  /// second case, the items are handed over, unless the caller is inside an item.
  @inlinable
  func take(_ last: UInt64, _ lent: inout Lent) -> (Item, isOwn: Bool)? {
    state.withLock { state in
      guard let next = state.pending.first, next.number <= last else { return nil }
      let isOwn = next.thread == currentThread()
      if isOwn {
        lent.takeOwn(next.number, of: state.appended)
      } else if !lent.take() {
        if last == .max { state.worker = 0 }
        return nil
      }
      return state.pending.popFirst().map { ($0.item, isOwn) }
    }
  }

  /// Notes that so many more pending items are void, and removes those once they are most of them.
  ///
  /// If a thread works, one item stays in any case, because it expects what it has counted.
  @usableFromInline
  func noteVoid(_ count: Int, _ isVoid: (Item) -> Bool) {
    if count == 0 { return }
    let removed = state.withLock { state -> [Entry] in
      state.voidCount += count
      guard state.voidCount * 2 > state.pending.count else { return [] }
      var (kept, removed): (Fifo<Entry>, [Entry]) = (Fifo(), [])
      while let entry = state.pending.popFirst() {
        if isVoid(entry.item), !(kept.isEmpty && state.pending.isEmpty && state.worker != 0) {
          removed.append(entry)
        } else {
          kept.append(entry)
        }
      }
      (state.pending, state.voidCount) = (kept, 0)
      unfinished.wrappingAdd(-removed.count, ordering: .relaxed)
      return removed
    }
    // After the lock: this may run anybody's `deinit`.
    holdUntilHere(removed)
  }

  /// Releases the pending items, because nobody gets them any more.
  @usableFromInline
  func drop() { noteVoid(.max / 4) { _ in true } }
}

extension Worklist: Sendable where Model: Sendable, Item: Sendable {}
extension Worklist.State: Sendable where Model: Sendable, Item: Sendable {}

/// How many items this thread has done for other threads, in one emission and in what that emission
/// causes; and how many rounds of its own items it has done.
///
/// It lasts no longer than the call that makes it, during which that emission lasts.
@usableFromInline
struct Lent {
  /// The outermost emission in progress on this thread, which counts; nil if there is none.
  private let emission = Emission.outermost
  private var count: Int32 = 0
  private var rounds: Int32 = 0
  /// The number of the last item of this round: what is added during the round is the next one.
  private var roundEnd: UInt64 = 0

  @usableFromInline
  init() {}

  /// Counts an item, unless the thread has done its share.
  @usableFromInline
  mutating func take() -> Bool {
    let count = emission?.pointee.lent ?? count
    if count == Self.limit { return false }
    self.count = count + 1
    emission?.pointee.lent = count + 1
    return true
  }

  /// Counts an item that this thread has added, while item `appended` is the newest one.
  ///
  /// A closure that emits to its own operator whenever it is called would be called for ever: a
  /// million rounds, which take a fraction of a second, stop the program.
  @usableFromInline
  mutating func takeOwn(_ number: UInt64, of appended: UInt64) {
    if number <= roundEnd { return }
    (rounds, roundEnd) = (rounds + 1, appended)
    if rounds == 1_000_000 { stopCircle() }
  }

  #if SO_EXPLORE
    // A small number, which a scenario of the explorer reaches.
    private static let limit: Int32 = 2
  #else
    private static let limit: Int32 = 128
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
