import SignalObserver
import Testing
import Turns

/// A synchronous slot of an actor is called by a cast that the language does not promise.
///
/// Every size and kind of payload, result and capture must pass through it unharmed, in debug and
/// in release: these tests say when a compiler changes it.
@Suite(.serialized, .inTurn) struct IsolatedCallTests {
  // MARK: - Payloads, by methods and closures of the main actor and of another

  @MainActor @Test func `a payload of any kind reaches a slot of the main actor`() {
    expectOnMain(0x0123_4567_89ab_cdef)
    expectOnMain(Large.sample)
    expectOnMain("a string that is too long to be stored in sixteen bytes")
    expectOnMain(Optional("some") as String?)
    expectOnMain(nil as String?)
    expectOnMain(nil as Large?)
    expectOnMain(Box(7))
    expectOnMain(Tuple(value: (1, "two", 3.0)).value.1)
    expectOnMain(Failure.second("reason") as any Error, by: { "\($0)" == "\($1)" })
    expectOnMain(Box(8) as any Labelled, by: { $0.label == $1.label })
    expectOnMain(Double.pi)
    expectOnMain(Empty())
    expectOnMain([1, 2, 3])
  }

  @Background @Test func `a payload of any kind reaches a slot of a global actor`() {
    expectInBackground(0x0123_4567_89ab_cdef)
    expectInBackground(Large.sample)
    expectInBackground("a string that is too long to be stored in sixteen bytes")
    expectInBackground(Optional("some") as String?)
    expectInBackground(nil as Large?)
    expectInBackground(Box(7))
    expectInBackground(Failure.second("reason") as any Error, by: { "\($0)" == "\($1)" })
    expectInBackground(Box(8) as any Labelled, by: { $0.label == $1.label })
    expectInBackground(Double.pi)
    expectInBackground(Empty())
    expectInBackground([1, 2, 3])
  }

  // MARK: - Types known where it is connected

  @Background @Test func `payloads of known type reach methods of a global actor`() {
    let (number, large, text, optional, failure, closure, pair) = (
      EmitterArg<Int>(), EmitterArg<Large>(), EmitterArg<String>(), EmitterArg<Int?>(),
      EmitterArg<any Error>(), EmitterArg<@Sendable (Int) -> Int>(), EmitterArg2<Large, String>()
    )
    let sink = Sink()

    number.signal.connect(sink, Sink.number)
    large.signal.connect(sink, Sink.large)
    text.signal.connect(sink, Sink.text)
    optional.signal.connect(sink, Sink.optional)
    failure.signal.connect(sink, Sink.failure)
    closure.signal.connect(sink, Sink.closure)
    pair.signal.connect(sink, Sink.pair)

    number.invoke(-1)
    large.invoke(.sample)
    text.invoke("text")
    optional.invoke(nil)
    optional.invoke(4)
    failure.invoke(Failure.second("reason"))
    closure.invoke { $0 * 2 }
    pair.invoke(.sample, "south")

    #expect(
      sink.lines == [
        "-1", "[1, 2, 3, 4, 5]", "text", "nil", "4", "second(\"reason\")", "42",
        "[1, 2, 3, 4, 5] south",
      ])
  }

  @Background @Test func `tuples of three reach a closure and a method of a global actor`() {
    let emitter = EmitterArg<(Int, String, Large)>()
    let sink = Sink()

    emitter.signal.connect(sink, Sink.triple)
    emitter.signal.connect { @Background triple in sink.triple(triple) }
    emitter.signal.connect(sink) { sink, triple in sink.triple(triple) }
    emitter.invoke((1, "two", .sample))

    #expect(sink.lines == Array(repeating: "1 two [1, 2, 3, 4, 5]", count: 3))
  }

  // MARK: - Results

  @Background @Test func `results of any size are dropped`() {
    let emitter = EmitterArg<Int>()
    let sink = Sink()

    emitter.signal.connect(sink, Sink.returningInt)
    emitter.signal.connect(sink, Sink.returningLarge)
    emitter.signal.connect(sink, Sink.returningString)
    emitter.signal.connect(sink, Sink.returningOptional)
    emitter.signal.connect(sink, Sink.returningError)
    emitter.signal.connect(sink, Sink.returningGeneric as (Sink) -> @Background (Int) -> [Large])
    for number in 1...3 { emitter.invoke(number) }

    #expect(sink.lines == (1...3).flatMap { Array(repeating: "\($0)", count: 6) })
  }

  @Background @Test func `an object that a method returns is released`() {
    let emitter = EmitterArg<Int>()
    let sink = Sink()

    emitter.signal.connect(sink, Sink.returningObject)
    emitter.invoke(1)

    #expect(sink.lines == ["1"])
    #expect(sink.returned == nil)
  }

  // MARK: - Owned captures

  @MainActor @Test func `captures of a closure live as long as its connection`() {
    let emitter = EmitterArg<Int>()
    var box: Box? = Box(1)
    @Weakly var weakBox = box
    var seen: [Int] = []

    let observer = emitter.signal.connect { @MainActor [box] number in
      seen.append(number + (box?.number ?? 0))
    }
    box = nil
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(seen == [2, 3])
    #expect(weakBox != nil)
    observer.cancel()

    #expect(weakBox == nil)
  }

  @MainActor @Test func `a payload is released when the slot has had it`() {
    let emitter = EmitterArg<Box>()
    let main = MainSink<Box>()
    emitter.signal.connect(main, MainSink.count)
    var box: Box? = Box(1)
    @Weakly var weakBox = box

    if let box { emitter.invoke(box) }
    box = nil

    #expect(main.calls == 1)
    #expect(weakBox == nil)
  }
}

// MARK: - Generic expectations

@MainActor
private func expectOnMain<Payload: Sendable & Equatable>(
  _ payload: Payload, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectOnMain(payload, by: ==, sourceLocation: sourceLocation)
}

@MainActor
private func expectOnMain<Payload: Sendable>(
  _ payload: Payload, by isEqual: (Payload, Payload) -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let emitter = Emitter<Payload>()
  let sink = MainSink<Payload>()
  emitter.signal.connect(sink, MainSink.take)
  emitter.signal.connect { @MainActor in sink.take($0) }
  emitter.signal.connect(sink) { $0.take($1) }
  emitter.signal.map(sink, MainSink.take, { $0 })

  emitter.invoke(payload)

  #expect(sink.payloads.count == 4, sourceLocation: sourceLocation)
  #expect(sink.payloads.allSatisfy { isEqual($0, payload) }, sourceLocation: sourceLocation)
}

@Background
private func expectInBackground<Payload: Sendable & Equatable>(
  _ payload: Payload, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectInBackground(payload, by: ==, sourceLocation: sourceLocation)
}

@Background
private func expectInBackground<Payload: Sendable>(
  _ payload: Payload, by isEqual: (Payload, Payload) -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let emitter = Emitter<Payload>()
  let sink = BackgroundSink<Payload>()
  emitter.signal.connect(sink, BackgroundSink.take)
  emitter.signal.connect { @Background in sink.take($0) }
  emitter.signal.connect(sink) { $0.take($1) }
  emitter.signal.map(sink, BackgroundSink.take, { $0 })

  emitter.invoke(payload)

  #expect(sink.payloads.count == 4, sourceLocation: sourceLocation)
  #expect(sink.payloads.allSatisfy { isEqual($0, payload) }, sourceLocation: sourceLocation)
}

@MainActor
private final class MainSink<Payload: Sendable> {
  private(set) var payloads: [Payload] = []
  private(set) var calls = 0

  func take(_ payload: Payload) { payloads.append(payload) }
  func count(_ payload: Payload) { calls += 1 }
}

@Background
private final class BackgroundSink<Payload: Sendable> {
  private(set) var payloads: [Payload] = []

  func take(_ payload: Payload) { payloads.append(payload) }
}

@Background
private final class Sink {
  private(set) var lines: [String] = []
  private(set) weak var returned: Box?

  func number(_ number: Int) { note(number) }
  func large(_ large: Large) { note(large) }
  func text(_ text: String) { note(text) }
  func optional(_ number: Int?) { note(number.map { "\($0)" } ?? "nil") }
  func failure(_ failure: any Error) { note(failure) }
  func closure(_ closure: @Sendable (Int) -> Int) { note(closure(21)) }
  func pair(_ large: Large, _ text: String) { note("\(large) \(text)") }
  func triple(_ triple: (Int, String, Large)) { note("\(triple.0) \(triple.1) \(triple.2)") }

  func returningInt(_ number: Int) -> Int {
    note(number)
    return number
  }

  func returningLarge(_ number: Int) -> Large {
    note(number)
    return .sample
  }

  func returningString(_ number: Int) -> String {
    note(number)
    return "a result that is too long to be stored in sixteen bytes \(number)"
  }

  func returningOptional(_ number: Int) -> Large? {
    note(number)
    return number == 1 ? nil : .sample
  }

  func returningError(_ number: Int) -> any Error {
    note(number)
    return Failure.second("\(number)")
  }

  func returningGeneric<Element: Sampled>(_ number: Int) -> [Element] {
    note(number)
    return [.sample, .sample]
  }

  func returningObject(_ number: Int) -> Box {
    note(number)
    let box = Box(number)
    returned = box
    return box
  }

  private func note(_ line: some Any) { lines.append("\(line)") }
}

// MARK: - Payloads

private protocol Sampled {
  static var sample: Self { get }
}

private protocol Labelled: Sendable {
  var label: String { get }
}

/// 40 bytes: passed indirectly, returned indirectly.
private struct Large: Sendable, Equatable, Sampled, CustomStringConvertible {
  let numbers: (Int, Int, Int, Int, Int)

  static var sample: Large { Large(numbers: (1, 2, 3, 4, 5)) }

  var description: String {
    "[\(numbers.0), \(numbers.1), \(numbers.2), \(numbers.3), \(numbers.4)]"
  }

  static func == (left: Large, right: Large) -> Bool { left.numbers == right.numbers }
}

private struct Empty: Sendable, Equatable {}

private struct Tuple: Sendable {
  let value: (Int, String, Double)
}

private final class Box: Sendable, Equatable, Labelled {
  let number: Int

  init(_ number: Int) { self.number = number }

  var label: String { "box \(number)" }

  static func == (left: Box, right: Box) -> Bool { left === right }
}

private enum Failure: Error {
  case first
  case second(String)
}
