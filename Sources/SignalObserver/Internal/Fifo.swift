/// Elements in the order in which they were added, taken out at the front.
///
/// A value without surprises under a lock: nothing is released but by whoever was handed it.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: head <= 1024)
      head = 0
    } else if head > 32, head * 2 > elements.count {
      // What is moved is at most what was taken out since the last time: O(1), amortised.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
