import Foundation
import Synchronization

/// One step of a random run.
///
/// A number that names a slot, a target or a queue is taken modulo the number of those. Any part of
/// a run is therefore a valid run.
///
/// At any time, there are two emitters and two values: the *sides* 0 and 1.
enum Operation {
  case connect(Form, Place, Source, side: Int, target: Int)
  /// Bonds the two values, beginning with the value of one side.
  case bond(from: Int)
  case cancel(Int)
  case suspend(Int)
  case resume(Int)
  case emit(Int, side: Int)
  /// Emits on the isolation of a slot's actor.
  case emitOnActor(slot: Int, Int, side: Int)
  case emitMany(Int, side: Int)
  case set(Int, side: Int)
  /// Changes the value with `modify`.
  case modify(Int, side: Int)
  /// Sets the value on the isolation of a slot's actor.
  case setOnActor(slot: Int, Int, side: Int)
  case drain(queue: Int)
  /// Moves the clock by so many seconds.
  case advance(Int)
  case drainMain
  case drainActor(slot: Int)
  case kill(target: Int)
  case cancelAll(side: Int)
  case destroyEmitter(side: Int)
  case cancelAllOfValue(side: Int)
  case destroyValue(side: Int)

  /// The form of a connection.
  enum Form: Int, CaseIterable {
    case closure
    case method
    case methodWithoutArguments
    case targetClosure
    case map
    /// A binding of the source to an emitter or a value.
    case binding
    /// A binding to a property of the target.
    case property

    /// Whether the slot is a closure, which captures an object.
    var captures: Bool { self == .closure || self == .targetClosure || self == .map }
  }

  /// The place where a slot runs.
  enum Place: Int, CaseIterable {
    case inline
    case firstQueue
    case secondQueue
    case main
    /// An actor that only this slot uses.
    case actor
    /// Such an actor, which is the target, too.
    case target
  }

  /// The source of a connection.
  enum Source: Int, CaseIterable {
    case event
    /// The events of the emitter of this side that was destroyed last.
    case gone
    /// The current value first, then every new one.
    case value
    /// Old and new values, as one number.
    case changes
    /// The last two events first, then every new one; or two events for the first slot alone.
    case replay
    /// The events of both sides.
    case merged
    /// The values of both sides, as one number.
    case latest
    /// The events or the values of one side, by the time.
    case debounced
    case throttled
    case delayed
    /// Of a burst, the first one alone.
    case leading
    /// Two at a time, or those of one period, as one number.
    case collected
    /// The events or the values of both sides in pairs, each as one number.
    case zipped
    /// The numbers so far, as one number: by `scan` and by `reductions(into:)`.
    case scanned
    case reduced
    /// Each with the one before, as one number.
    case paired
    /// Without the first one, or the first two alone.
    case dropped
    case first
    /// Without those that equal the last one.
    case distinct
    /// Those before the other side's next event.
    case until

    /// For how many seconds the operators of time wait.
    static let period = 10

    var isTimed: Bool {
      [.debounced, .throttled, .delayed, .leading, .collected].contains(self)
    }
  }

  /// Operations in slots are chosen so that runs end.
  static func random(_ random: inout Random, isNested: Bool) -> Operation {
    let bits = random.below(8)
    let isOfValue = bits % 2 == 0
    let side = bits < 2 ? 1 : 0
    let number = random.below(256)
    switch random.below(100) {
    case 0..<20:
      let isPlain = random.below(4) > 0
      let source = random.element(
        Source.allCases.filter {
          $0 != .event && $0 != .value && isPlain == ($0.rawValue < Source.leading.rawValue)
        } + Array(repeating: isOfValue ? .value : .event, count: isPlain ? 4 : 0))
      let form = random.element(Form.allCases)
      // Bindings are rare, because many of them multiply emissions.
      if form == .binding, random.below(3) > 0 { return .bond(from: side) }
      return .connect(form, random.element(Place.allCases), source, side: side, target: number)
    case 20..<34: return .cancel(number)
    case 34..<42: return .suspend(number)
    case 42..<52: return .resume(number)
    case 52..<55:
      let value = random.below(256)
      return isOfValue
        ? .setOnActor(slot: number, value, side: side)
        : .emitOnActor(slot: number, value, side: side)
    case 55..<(isNested ? 64 : 72):
      if isOfValue, random.below(4) == 0 { return .modify(number, side: side) }
      return isOfValue ? .set(number, side: side) : .emit(number, side: side)
    case 60..<83:
      if !isNested, number < 50 { return .advance(number % 12 + 1) }
      return .drain(queue: random.below(2))
    case 83..<88: return .drainMain
    case 88..<93: return .drainActor(slot: number)
    case 93..<(isNested ? 96 : 98): return .kill(target: number)
    case 98 where !isNested:
      if random.below(3) > 0 {
        return isOfValue ? .set(number, side: side) : .emit(number, side: side)
      }
      fallthrough
    case 98: return isOfValue ? .cancelAllOfValue(side: side) : .cancelAll(side: side)
    default:
      if random.below(2) > 0 { return .emitMany(number, side: side) }
      return isOfValue ? .destroyValue(side: side) : .destroyEmitter(side: side)
    }
  }

  /// The operation as Swift writes it.
  var text: String {
    String(reflecting: self).replacingOccurrences(
      of: #"\w+\.Operation\.((Form|Place|Source)\.)?"#, with: ".", options: .regularExpression)
  }
}

/// Random numbers that are the same for the same seed, or that a fuzzer chooses.
struct Random {
  private var state: UInt64 = 0
  /// What the fuzzer has chosen, and nobody has drawn.
  private(set) var bytes: ArraySlice<UInt8>?

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

  /// A number below `limit`, which is at most 256.
  mutating func below(_ limit: Int) -> Int {
    if bytes != nil { return Int(bytes?.popFirst() ?? 0) % limit }
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % limit
  }

  mutating func element<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}

/// The common part of the model and the library: the calls that they record, and the operations
/// that calls of slots make, which are the same for the same call.
///
/// `@unchecked Sendable`: one thread at a time uses it, and the queues that it waits for order
/// those threads.
class System: @unchecked Sendable {
  /// The calls of slots, each with the number of the slot and the payload.
  var calls: [Call] = []
  /// The closures' captures and the payloads that are alive.
  let captures = Counter()
  let payloads = Counter()
  private let seed: UInt64
  private(set) var callCount = 0
  private var depth = 0
  private var callsInStep = 0

  init(seed: UInt64) { self.seed = seed }

  func payload(_ number: Int) -> Counted { Counted(number, payloads) }

  /// Whether the values of this side are kept elsewhere, behind a getter and a setter.
  func isCustom(_ side: Int) -> Bool { seed >> side & 1 == 1 }

  /// The side of the values that the property with this number reads and sets; nil for a property
  /// that is stored.
  ///
  /// Few are over a value, because many bindings of values multiply emissions.
  func side(ofProperty number: Int) -> Int? { number / 4 % 8 < 2 ? number / 4 % 8 : nil }

  /// Whether the replays of this side keep events for the first slot alone, and if so, whether
  /// these are the oldest.
  func isOnce(_ side: Int) -> Bool { seed >> (2 + side) & 1 == 1 }
  var keepsOldest: Bool { seed >> 4 & 1 == 1 }

  /// Whether the operator that a connection with this number uses is one of a value.
  func isOfValue(_ number: Int) -> Bool { number / 32 % 2 == 0 }

  struct Call: Equatable, CustomStringConvertible {
    let who: Int
    let value: Int

    var description: String { "\(who): \(value)" }
  }

  /// From now on, calls of slots make no operations.
  func calmDown() { depth = .max }

  func step(_ operation: Operation) {
    callsInStep = 0
    calls.removeAll(keepingCapacity: true)
    perform(operation)
    look()
  }

  /// Records a call of a slot, which may perform another operation.
  func call(_ who: Int, _ value: Int) {
    calls.append(Call(who: who, value: value))
    callCount += 1
    callsInStep += 1
    guard depth < 3, callsInStep < 200 else { return }
    // The choice depends only on what stays the same when other operations are left out.
    let cause = UInt64(bitPattern: Int64(value &* 211 &+ callsInStep))
    var random = Random(seed: seed ^ cause &* 0xD1B5_4A32_D192_ED03)
    _ = random.below(2)
    guard random.below(5) == 0 else { return }
    depth += 1
    perform(.random(&random, isNested: true))
    look()
    depth -= 1
  }

  func perform(_ operation: Operation) { fatalError("a subclass performs it") }

  /// Ends the connections of dead targets.
  ///
  /// What waits for them delays others until somebody notices, and whether the growth of a list
  /// notices is not defined.
  func look() { fatalError("a subclass looks") }
}

/// A payload, or what a closure captures.
///
/// It counts how many of its kind are alive.
final class Counted: Equatable, Sendable {
  static let none = Counted(0)

  let number: Int
  private let counter: Counter?
  private let parts: [Counted]

  /// The same without its parts.
  var alone: Counted { parts.isEmpty ? self : Counted(number) }

  init(_ number: Int, _ counter: Counter? = nil, of parts: [Counted] = []) {
    self.number = number
    self.counter = counter
    self.parts = parts
    counter?.add(1)
  }

  deinit { counter?.add(-1) }

  /// One number in four equals nothing, as NaN does.
  static func == (first: Counted, second: Counted) -> Bool {
    first.number == second.number && first.number % 4 != 3
  }
}

/// A number that threads change.
final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  var number: Int { value.load(ordering: .acquiring) }

  func add(_ number: Int) { value.add(number, ordering: .acquiringAndReleasing) }
}
