/// Observers that are cancelled when the bag is dropped.
///
/// A bag ties connections to the life of an object that is not their target. Keep the bag in a
/// property of that object. When the object dies, the bag dies with it, and cancels its observers.
/// A connection whose target is that object needs no bag, because it ends with its target.
///
/// A bag holds its observers, which hold neither targets nor signals. Any thread may use it. For a
/// connection that ends on its own, ``SignalObserver/SignalObserver/scoped()`` makes a bag of one.
///
/// ```swift
/// final class Scoreboard {
///   private let observers = ObserverBag()
///
///   func follow(_ player: Player) {
///     player.scoreChanged.connect { score in print(score) }.store(in: observers)
///   }
/// }
/// ```
///
/// > Important: Swift may drop a local variable after its last use. Keep a bag in a property, or
/// call `withExtendedLifetime` with it.
public final class ObserverBag: Sendable {
  private struct Contents {
    var observers: [SignalObserver] = []
    /// The number of observers at which the bag removes those that have ended.
    ///
    /// This keeps the memory of the bag in proportion to its live connections.
    var limit = 32
  }

  private let contents = Lock(Contents())

  /// Creates an empty bag.
  public init() {}

  deinit { cancelAll() }

  /// Adds `observer` to those that the bag cancels.
  ///
  /// The bag forgets observers that have ended, so it may live long.
  ///
  /// - Parameter observer: The observer, which the bag holds until the connection has ended.
  ///
  /// - Complexity: O(1), amortised.
  public func insert(_ observer: SignalObserver) {
    let all = contents.withLock { contents -> [SignalObserver] in
      contents.observers.append(observer)
      guard contents.observers.count > contents.limit else { return [] }
      let all = contents.observers
      contents.observers.removeAll(where: \.isOver)
      contents.limit = max(32, contents.observers.count * 2)
      return all
    }
    // Those that have ended are released after the lock.
    holdUntilHere(all)
  }

  /// Cancels every observer in the bag, in the order in which they were added, and empties the bag.
  ///
  /// It does not wait for calls in progress ([guarantee 4](doc:Guarantees)). The bag can be filled
  /// again.
  ///
  /// - Complexity: O(*n*) in the number of observers.
  public func cancelAll() { removeAll { $0.cancel() } }

  /// Ends the connection of every observer in the bag, in the same order, and empties the bag.
  ///
  /// Confined connections end at once, too. So if there are any, only the domain of their signals
  /// may call this.
  @usableFromInline
  func endAll() { removeAll { $0.end() } }

  private func removeAll(_ body: (SignalObserver) -> Void) {
    var old = Contents()
    contents.withLock { swap(&$0, &old) }
    old.observers.forEach(body)
  }
}

extension SignalObserver {
  /// Returns a bag of this observer alone, which cancels it when the bag is dropped.
  ///
  /// ```swift
  /// var whilePlaying: ObserverBag? = player.scoreChanged.connect(label, Label.show).scoped()
  /// whilePlaying = nil  // the label is no longer called
  /// ```
  ///
  /// Keep the bag in a property. If you assign another bag to the property, the connection of the
  /// old one ends. For several connections that end together, use ``store(in:)``. Of several bags
  /// with one observer, the first that is dropped ends its connection.
  ///
  /// - Returns: The bag, which holds this observer.
  /// - Complexity: O(1).
  public func scoped() -> ObserverBag {
    let bag = ObserverBag()
    bag.insert(self)
    return bag
  }

  /// Adds the observer to `bag`, which cancels it when the bag dies.
  ///
  /// See ``ObserverBag`` for an example, and ``scoped()`` for a single connection.
  ///
  /// - Parameter bag: The bag, usually a property of the object with which the connection ends.
  /// - Complexity: O(1), amortised.
  public func store(in bag: ObserverBag) {
    bag.insert(self)
  }
}
