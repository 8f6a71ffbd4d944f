/// The calls that wait until something reaches a bound, which is a time or a number.
///
/// They are sorted by bound, and those with the same bound by their numbers. A binary search finds
/// each of them. To insert or remove one, the list moves those behind it. That is a move of memory,
/// which is quick even when tens of thousands wait.
///
/// The owner keeps the list under a lock, and resolves what it takes out after the lock.
struct Waiters<Bound: Comparable & Sendable>: Sendable {
  struct Waiter: Sendable {
    let bound: Bound
    let number: Int
    let wake = OneShot<Void>()
  }

  private var all: [Waiter] = []
  private var made = 0

  var count: Int { all.count }

  /// Makes a waiter, which is behind those with its bound that were made before.
  ///
  /// It does not wait until it is inserted. Others may be inserted first, because the number alone
  /// decides the order.
  mutating func make(_ bound: Bound) -> Waiter {
    made += 1
    return Waiter(bound: bound, number: made)
  }

  mutating func insert(_ waiter: Waiter) {
    all.insert(waiter, at: index { ($0.bound, $0.number) < (waiter.bound, waiter.number) })
  }

  /// Removes a waiter, if it waits.
  ///
  /// The caller holds it, so nothing is released under the lock.
  mutating func remove(_ waiter: Waiter) {
    let index = index { ($0.bound, $0.number) < (waiter.bound, waiter.number) }
    // A waiter that was taken or not inserted is not there. No two have the same number.
    if index < all.count, all[index].number == waiter.number { all.remove(at: index) }
  }

  /// Removes the waiters whose bounds are at most `bound`, and returns them in order.
  mutating func takeAll(through bound: Bound) -> [Waiter] {
    let end = index { $0.bound <= bound }
    // A slice would share the memory of the list, and the removal would copy the rest of it.
    let due = Array(all[..<end])
    all.removeFirst(end)
    return due
  }

  /// The index of the first waiter for which `isBefore` is false: it is true for those in front.
  private func index(_ isBefore: (Waiter) -> Bool) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(all[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
