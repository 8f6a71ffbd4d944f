import CSanitizers
import Synchronization
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

/// That no race is reported says something only if one would be, and if what is none is not.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .enabled(if: built_with_thread_sanitizer()))
struct ThreadSanitizerTests {
  @Test func `a race is reported`() async {
    // 66 is what the sanitizer exits with when it has reported something.
    await #expect(processExitsWith: .exitCode(66)) {
      let racing = Racing()
      onThreads(2) { _ in
        for _ in 0..<1000 { racing.count += 1 }
      }
    }
  }

  @Test func `what a contended mutex guards is not reported`() async {
    await #expect(processExitsWith: .success) {
      let mutex = Mutex(0)
      onThreads(2) { _ in
        for _ in 0..<10_000 { mutex.withLock { $0 += 1 } }
      }
    }
  }
}

/// `@unchecked Sendable`: it is not, which is the point.
private final class Racing: @unchecked Sendable {
  var count = 0
}
