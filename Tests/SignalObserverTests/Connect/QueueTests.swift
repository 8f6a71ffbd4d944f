import Dispatch
import Foundation
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct QueueTests {
  let log = Log()
  let made = Made.current
  let queue = DispatchQueue(label: "cases")

  @Test func `Q9 a slot that emits to a slot on its own queue has returned before that is called`()
  {
    let (first, second) = (made.emitter(Int.self), made.emitter(Int.self))
    first.signal.connect(on: queue) { [log] in
      log.add("begin \($0)")
      second.invoke($0)
      log.add("end \($0)")
    }
    second.signal.connect(on: queue) { [log] in log.add("second \($0)") }

    first.invoke(1)
    queue.sync {}
    queue.sync {}

    #expect(log.entries == ["begin 1", "end 1", "second 1"])
  }

  @Test func `closures with a target run on their queue, whatever the payload`() {
    let (none, one, two) = (
      made.emitter(Void.self), made.emitter(Int.self), made.emitter((Int, Int).self)
    )
    let target = Target("target", log)
    none.signal.connect(target, on: queue) { $0.log.add("none") }
    one.signal.connect(target, on: queue) { $0.log.add("\($1)") }
    two.signal.connect(target, on: queue) { $0.log.add("\($1) \($2)") }
    queue.suspend()
    none.invoke()
    one.invoke(1)
    two.invoke(2, 3)
    #expect(log.entries == [])
    queue.resume()
    queue.sync {}

    #expect(log.entries == ["none", "1", "2 3"])
  }

  @Test func `Q11 the library never waits for a queue`() throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var read = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      read += 1
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      // A task that awaits blocks nobody.
      let code = lines.filter { !$0.contains("await ") }.joined(separator: "\n")
      // A value that is being changed in place is a lock: others wait for the thread that changes it.
      let isOfValues = file.lastPathComponent == "SignalValue.swift"
      let semaphores = isOfValues ? [] : ["DispatchSemaphore", ".wait("]
      for waiting in ["ueue.sync", "main.sync", "asyncAndWait", "DispatchGroup"] + semaphores {
        let isThere = code.contains(waiting)
        #expect(!isThere, "\(file.lastPathComponent) says \(waiting)")
      }
    }
    #expect(read > 20)
  }

  @Test func `Q11 a queue that waits for another one whose slot runs gets what it waits for`() {
    let emitter = made.emitter(Int.self)
    let other = DispatchQueue(label: "other")
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: queue) { [log] in
      entered.open()
      leave.pass()
      log.add("slot \($0)")
    }
    emitter.invoke(1)
    entered.pass()
    other.async { [log, queue] in
      queue.sync { log.add("waited") }
    }

    emitter.invoke(2)
    leave.open()
    leave.open()
    other.sync {}
    queue.sync {}

    #expect(log.entries.first == "slot 1")
    #expect(Set(log.entries) == ["slot 1", "waited", "slot 2"])
  }

  @Test func `Q13 a slot on a queue of low quality is not starved by an emission of high quality`()
  {
    let emitter = made.emitter(Int.self)
    let low = DispatchQueue(label: "low", qos: .utility)
    let high = DispatchQueue(label: "high", qos: .userInteractive)
    let done = Gate()
    let calls = Calls()
    emitter.signal.connect(on: low) {
      calls.add()
      if $0 == 1000 { done.open() }
    }

    high.sync { for value in 1...1000 { emitter.invoke(value) } }
    done.pass()

    #expect(calls.count == 1000)
  }

  @Test(arguments: [false, true])
  func `Q15 a queue is not kept by an observer whose connection has ended`(isUsed: Bool) {
    let emitter = made.emitter(Int.self)
    let own = Box(DispatchQueue(label: "own"))
    @Weakly var reference = own.value
    let observer = own.value.map { emitter.signal.connect(on: $0) { _ in } }
    if isUsed {
      emitter.invoke(1)
      own.value?.sync {}
      own.value?.sync {}
    }
    #expect(reference != nil)

    own.value = nil
    #expect(reference != nil, "the connection keeps its queue")
    observer?.cancel()
    let deadline = ContinuousClock.now + .seconds(60)
    while reference != nil, ContinuousClock.now < deadline { sched_yield() }

    #expect(reference == nil)
  }
}
