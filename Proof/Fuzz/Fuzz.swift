/// Plays `count` bytes at `bytes` to the library and to a model of it, and stops if they differ.
///
/// Scripts/fuzz compiles this together with the library's sources.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  let real = Player(input, Real())
  let model = Player(input, Model())
  while true {
    let isOver = real.step()
    guard model.step() == isOver, real.trace == model.trace, real.world.state == model.world.state
    else {
      fatalError("\(real.trace) \(real.world.state) instead of \(model.trace) \(model.world.state)")
    }
    if isOver { return 0 }
  }
}

/// The library or the model, on which operations are carried out.
protocol World: AnyObject {
  /// Called by each delivery.
  var onDelivery: (_ slot: Int, _ value: Int) -> Void { get set }
  /// The state that can be compared when nothing is in progress.
  var state: WorldState { get }

  /// Connects the next slot. The world holds its target until the target is killed.
  func connect(signal: Int, target: Int?, queue: Int?)
  func cancel(_ slot: Int)
  func suspend(_ slot: Int)
  func resume(_ slot: Int)
  func cancelAll(_ signal: Int)
  func emit(_ signal: Int, _ value: Int)
  func drain(_ queue: Int)
  func kill(_ target: Int)
  func destroyEmitter(_ signal: Int)
}

struct WorldState: Equatable {
  /// For each signal.
  var slotCounts: [Int]
  /// For each slot ever connected.
  var cancelled: [Bool]
  var suspended: [Bool]
  /// The number of captures and of payloads that are alive.
  var captures: Int
  var payloads: Int
}

enum Limits {
  static let signals = 2
  static let targets = 4
  static let queues = 2
  static let slots = 24
  static let depth = 4
  static let deliveries = 3000
}

/// Reads bytes as operations and carries them out on a world, some of them from inside slots.
///
/// `@unchecked Sendable`: slots call this on the threads of queues, but one at a time, because a
/// thread that drains a queue waits until it is empty.
final class Player<Played: World>: @unchecked Sendable {
  let world: Played
  private(set) var trace: [Int] = []
  private var input: ArraySlice<UInt8>
  private var draining: Set<Int> = []
  private var slotCount = 0
  private var emissions = 0
  private var depth = 0
  private var hasFlooded = false

  init(_ input: [UInt8], _ world: Played) {
    self.input = input[...]
    self.world = world
    world.onDelivery = { [unowned self] slot, value in delivered(slot, value) }
  }

  /// Carries out the next operation, and returns true if it was the last.
  func step() -> Bool {
    guard let byte = input.popFirst() else {
      // This destroys everything that is left, in order. Nothing may be alive after that.
      for signal in 0..<Limits.signals { world.destroyEmitter(signal) }
      for queue in 0..<Limits.queues { world.drain(queue) }
      return true
    }
    perform(Int(byte & 15), Int(byte >> 4))
    return false
  }

  private func perform(_ operation: Int, _ argument: Int) {
    let signal = argument & 1
    switch operation {
    case 0: connect(signal, nil, nil)
    case 1, 2: connect(signal, argument >> 1 & 3, nil)
    case 3: connect(signal, nil, argument >> 1 & 1)
    case 4: connect(signal, argument >> 1 & 1, argument >> 2 & 1)
    case 5: if let slot = pick() { world.cancel(slot) }
    case 6: if let slot = pick() { world.suspend(slot) }
    case 7: if let slot = pick() { world.resume(slot) }
    case 8, 9, 10: emit(signal)
    case 11: drain(argument & 1)
    case 12: world.kill(argument & 3)
    case 13: flood(signal)
    case 14: if argument == 7 { world.destroyEmitter(signal) } else { emit(signal) }
    default: if argument == 7 { world.cancelAll(signal) } else { drain(argument & 1) }
    }
  }

  private func pick() -> Int? {
    guard slotCount > 0, let byte = input.popFirst() else { return nil }
    return Int(byte) % slotCount
  }

  private func connect(_ signal: Int, _ target: Int?, _ queue: Int?) {
    guard slotCount < Limits.slots else { return }
    slotCount += 1
    world.connect(signal: signal, target: target, queue: queue)
  }

  private func emit(_ signal: Int) {
    emissions += 1
    world.emit(signal, emissions)
  }

  /// Emits more payloads than a drain delivers before it lets other work run.
  private func flood(_ signal: Int) {
    if hasFlooded { return }
    hasFlooded = true
    for _ in 0..<150 { emit(signal) }
  }

  private func drain(_ queue: Int) {
    // Inside a slot of the same queue, the drain would wait for itself.
    guard draining.insert(queue).inserted else { return }
    world.drain(queue)
    draining.remove(queue)
  }

  private func delivered(_ slot: Int, _ value: Int) {
    trace.append(slot << 16 | value)
    guard depth < Limits.depth, trace.count < Limits.deliveries, let byte = input.popFirst(),
      byte >= 64
    else { return }
    depth += 1
    perform(Int(byte & 15), Int(byte >> 4 & 7))
    depth -= 1
  }
}
