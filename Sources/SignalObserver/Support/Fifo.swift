/// Elements in the order in which they were added, taken out at the front.
///
/// A value without surprises under a lock: nothing is released but by whoever was handed it.
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

  /// What `transform` makes of the elements, in order, unless that is nil.
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
      // What is moved is at most what was taken out since the last time: O(1), amortised.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension Fifo: Sendable where Element: Sendable {}
