import SignalObserver
import Testing

/// An operator of a chain, which may read a second signal.
private enum Stage: CaseIterable {
  case map, filter, removeDuplicates, scan, pairwise, dropFirst, prefix, prefixWhile
  case mergeTwo, combineTwo, combineThree, combineFour, combineMany, replay

  /// Whether the operator has a list of its own, so that suspending what follows does not reach it.
  var isSource: Bool {
    switch self {
    case .mergeTwo, .combineTwo, .combineThree, .combineFour, .combineMany, .replay: true
    default: false
    }
  }

  /// How many times the operator reads the second signal, to combine it.
  var combinedCount: Int {
    switch self {
    case .combineTwo, .combineMany: 1
    case .combineThree: 2
    case .combineFour: 3
    default: 0
    }
  }

  func apply(_ first: some SignalSource<Int>, _ second: Signal<Int>) -> any SignalSource<Int> {
    switch self {
    case .map: first.map { $0 + 1 }
    case .filter: first.filter { $0 % 3 != 0 }
    case .removeDuplicates: first.removeDuplicates()
    case .scan: first.scan(0) { ($0 + $1) % 100 }
    case .pairwise: first.pairwise().map { $0 + $1 }
    case .dropFirst: first.dropFirst(2)
    case .prefix: first.prefix(3)
    case .prefixWhile: first.prefix { $0 % 7 != 6 }
    case .mergeTwo: merge(first, second)
    case .combineTwo: combineLatest(first, second).map { $0 * 2 + $1 }
    case .combineThree: combineLatest(first, second, second).map { $0 * 2 + $1 - $2 }
    case .combineFour: combineLatest(first, second, second, second).map { $0 * 2 + $1 - $2 + $3 }
    case .combineMany:
      combineLatest([first, second] as [any SignalSource<Int>]).map { $0[0] * 2 + $0[1] }
    case .replay: first.replay(1)
    }
  }
}

/// What a chain of operators sends, by the sentences of their documentation.
private struct ChainModel {
  let stages: [Stage]
  var isSuspended = false
  private(set) var sent: [Int] = []
  /// What each operator remembers: its last payload, or the latest one of each source.
  private var kept: [[Int?]]
  private var counts: [Int]
  private var endedCount = 0
  private let lastSource: Int

  init(_ stages: [Stage]) {
    self.stages = stages
    kept = stages.map { Array(repeating: nil, count: 1 + $0.combinedCount) }
    counts = stages.map { _ in 0 }
    lastSource = stages.lastIndex { $0.isSource } ?? -1
  }

  mutating func sendFirst(_ number: Int) { send(number, from: -1) }

  /// Each operator that reads the second signal gets the number, the first operator first.
  mutating func sendSecond(_ number: Int) {
    for (index, stage) in stages.enumerated() where index >= endedCount {
      if stage == .mergeTwo { send(number, from: index) }
      for source in 0..<stage.combinedCount where index >= endedCount {
        kept[index][1 + source] = number
        combine(index)
      }
    }
  }

  private mutating func combine(_ index: Int) {
    let latest = kept[index].compactMap(\.self)
    guard latest.count == kept[index].count else { return }
    let signs = [2, 1, -1, 1]
    send(zip(latest, signs).map { $0 * $1 }.reduce(0, +), from: index)
  }

  /// Passes on what the operator at `index` sends, or the first signal, which is before all.
  private mutating func send(_ number: Int, from index: Int) {
    // A suspended observer drops what the last source sends (guarantee 11).
    if index == lastSource, isSuspended { return }
    if index + 1 == stages.count { sent.append(number) } else { receive(number, index + 1) }
  }

  private mutating func receive(_ number: Int, _ index: Int) {
    if index < endedCount { return }
    let last = kept[index][0]
    switch stages[index] {
    case .map: send(number + 1, from: index)
    case .filter: if number % 3 != 0 { send(number, from: index) }
    case .removeDuplicates:
      kept[index][0] = number
      if number != last { send(number, from: index) }
    case .scan:
      let sum = ((last ?? 0) + number) % 100
      kept[index][0] = sum
      send(sum, from: index)
    case .pairwise:
      kept[index][0] = number
      if let last { send(last + number, from: index) }
    case .dropFirst:
      counts[index] += 1
      if counts[index] > 2 { send(number, from: index) }
    case .prefix:
      counts[index] += 1
      if counts[index] <= 3 { send(number, from: index) }
      if counts[index] >= 3 { end(index) }
    case .prefixWhile: if number % 7 != 6 { send(number, from: index) } else { end(index) }
    case .mergeTwo, .replay: send(number, from: index)
    case .combineTwo, .combineThree, .combineFour, .combineMany:
      kept[index][0] = number
      combine(index)
    }
  }

  /// Ends the operator at `index`, and all that only feed it.
  private mutating func end(_ index: Int) { endedCount = max(endedCount, index + 1) }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorChainTests {
  @Test(arguments: 1...8)
  func `a chain of operators sends what each of them says`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    for _ in 0..<2000 {
      let stages = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
        Stage.allCases[Int.random(in: 0..<Stage.allCases.count, using: &numbers)]
      }
      let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
      var source: any SignalSource<Int> = first.signal
      for stage in stages { source = stage.apply(source, second.signal) }
      let (trace, observer) = source.traced()
      var (model, steps) = (ChainModel(stages), [String]())
      for _ in 0..<14 {
        let number = Int.random(in: 0...9, using: &numbers)
        switch Int.random(in: 0...7, using: &numbers) {
        case 0...2:
          steps.append("first \(number)")
          first.invoke(number)
          model.sendFirst(number)
        case 3...5:
          steps.append("second \(number)")
          second.invoke(number)
          model.sendSecond(number)
        case 6:
          steps.append("suspend")
          observer.suspend()
          model.isSuspended = true
        default:
          steps.append("resume")
          observer.resume()
          model.isSuspended = false
        }
        #expect(trace.entries == model.sent, "\(stages), \(steps)")
      }
      observer.cancel()
      // A replay records until nobody holds it.
      source = first.signal
      #expect(first.signal.slotCount + second.signal.slotCount == 0, "\(stages)")
    }
  }
}
