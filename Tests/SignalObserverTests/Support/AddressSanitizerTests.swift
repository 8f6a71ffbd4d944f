import CSanitizers
import Testing

/// That no leak and no use of freed memory is reported says something only if they would be.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: built_with_address_sanitizer()))
struct AddressSanitizerTests {
  @Test func `memory that is used after it was freed is reported`() async {
    // 66 is what the options of Scripts/sanitize say; 1 without them.
    await #expect(processExitsWith: .failure) {
      let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      unsafe memory.initialize(to: 1)
      unsafe memory.deallocate()
      print(unsafe memory.pointee)
    }
  }

  @Test func `objects that hold each other are reported as leaked`() async {
    await #expect(processExitsWith: .failure) {
      // Many, since the stack may still show the last.
      for _ in 0..<100 {
        let node = Node()
        node.next = node
      }
    }
  }
}

private final class Node {
  var next: Node?
}
