import Dispatch
import SignalObserver
import Testing

/// An operator as a user writes it.
private struct Celsius<Base: SignalSource<Double>>: SignalSource {
  let fahrenheit: Base

  func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
    fahrenheit.attach(slot.adapted { ($0 - 32) / 1.8 })
  }
}

private enum Request {
  @TaskLocal static var trace = "none"
}

/// A source that hands on what belongs to each payload.
private struct Traced<Base: SignalSource<Double>>: SignalSource {
  let base: Base

  func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
    base.attach(slot.running(with: Request.$trace) { "trace \($0)" })
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalSourceTests {
  let log = Log()
  let emitter = EmitterArg<Double>()

  @Test func `an operator of the user's has the connect forms`() {
    let queue = DispatchQueue(label: "operator")
    let celsius = Celsius(fahrenheit: emitter.signal)
    let target = Target("target", log)
    celsius.connect(on: .inline) { [log] in log.add("closure \($0)") }
    celsius.connect(target, on: .inline) { target, value in target.log.add("target \(value)") }
    celsius.connect(target, Target.called, .inline)
    celsius.map(target, Target.show, { Int($0) }, queue)

    emitter.invoke(212)
    queue.sync {}

    #expect(log.entries == ["closure 100.0", "target 100.0", "target", "target 100"])
  }

  @Test func `operators stack, and the one observer ends the chain`() {
    let observer = Celsius(fahrenheit: Celsius(fahrenheit: emitter.signal))
      .connect(on: .inline) { [log] in log.add("\(Int($0))") }

    emitter.invoke(392)
    observer.cancel()
    emitter.invoke(392)

    #expect(log.entries == ["93"])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `an operator that drops payloads has asynchronous slots, too`() async {
    emitter.signal.compactMap { $0 > 1 ? $0 * 10 : nil }
      .connect { [log] (value: Double) async in log.add("\(value)") }

    for value in [1.0, 2, 3] { emitter.invoke(value) }

    #expect(await log.entries(2) == ["20.0", "30.0"])
  }

  @Test func `behind prefix, no more payloads wait for a source with a context than it takes`() {
    let queue = DispatchQueue(label: "prefix")
    queue.suspend()
    Traced(base: emitter.signal).prefix(1).connect(on: queue) { [log] in log.add("\($0)") }

    for number in 0..<100 { emitter.invoke(Double(number)) }

    #expect(emitter.signal.debugDescription.contains("1 pending"))
    queue.resume()
    queue.sync {}
    #expect(log.entries == ["0.0"])
  }

  @Test func `a source can be kept as any source of its payload`() {
    let sources: [any SignalSource<Double>] = [emitter.signal, Celsius(fahrenheit: emitter.signal)]
    for source in sources { source.connect(on: .inline) { [log] in log.add("\($0)") } }

    emitter.invoke(32)

    #expect(log.entries == ["32.0", "0.0"])
  }

  @Test func `a slot runs with a task-local value, in whichever place`() async {
    let queue = DispatchQueue(label: "task-local value")
    let traced = Traced(base: emitter.signal)
    traced.map { $0 + 1 }.connect(on: .inline) { [log] in log.add("\($0) \(Request.trace)") }
    traced.connect(on: queue) { [log] _ in log.add("queue \(Request.trace)") }

    emitter.invoke(1)
    queue.sync {}

    #expect(log.entries == ["2.0 trace 1.0", "queue trace 1.0"])
    #expect(Request.trace == "none")
  }

  @Test func `an operator before an asynchronous slot has the task-local value, too`() async {
    let traced = Traced(base: emitter.signal)
    traced.map { [log] value in log.add("map \(Request.trace)") }.connect { () async in }

    emitter.invoke(1)

    #expect(await log.entries(1) == ["map trace 1.0"])
  }

  @Test func `a label of the other end hides no target behind a replay`() {
    struct Leaving: SignalSource {
      let base: Signal<Double>
      func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
        base.attach(slot.leaving(for: "elsewhere"))
      }
    }
    let target = Target("target", log)
    let replay = Leaving(base: emitter.signal).replay(1)
    replay.connect(target, Target.called, .inline)
    #expect(emitter.signal.isConnected(to: target))

    emitter.signal.cancelObservers(of: target)
    emitter.invoke(1)

    #expect(log.entries.isEmpty)
  }

  @Test func `an asynchronous slot has its task-local value until it has returned`() async {
    Traced(base: emitter.signal).filter { $0 > 1 }.connect { [log] (_: Double) async in
      await Task.yield()
      log.add(Request.trace)
    }
    Traced(base: emitter.signal).compactMap { $0 > 2 ? $0 : nil }
      .connect { [log] (_: Double) async in log.add(Request.trace) }

    for value in [1.0, 2, 3] { emitter.invoke(value) }

    #expect(await log.entries(3).sorted() == ["trace 2.0", "trace 3.0", "trace 3.0"])
  }
}
