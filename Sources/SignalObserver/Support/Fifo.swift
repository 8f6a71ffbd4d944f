/// Elements that are taken out in the order in which they were added.
///
/// It is safe under a lock: it hands out each element that it removes, and releases none.
@usableFromInline
struct Fifo<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @inlinable
  var count: Int { elements.count - head }
  @inlinable
  var isEmpty: Bool { head == elements.count }
  @inlinable
  var first: Element? { isEmpty ? nil : elements[head] }

  /// The results of `transform` for the elements, in order, without those that are nil.
  @inlinable
  func compactMap<Value>(_ transform: (Element) -> Value?) -> [Value] {
    elements[head...].compactMap { $0.flatMap(transform) }
  }

  @inlinable
  mutating func append(_ element: Element) {
    elements.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.capacity <= 1024)
      head = 0
    } else if head > 32, head * 2 > elements.count {
      // Moves at most as many elements as were taken out since the last move: O(1), amortised.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}
