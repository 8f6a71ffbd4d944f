import Benchmark
import Peers

// The classic view, a peer at a time: distributions of time for each benchmark. For ratios, use
// `Benchmarks/run`, which lets all peers take turns.
let benchmarks: @Sendable () -> Void = {
  for type in subjects {
    for slots in [1, 100] {
      Benchmark("emit, \(slots) slots: \(type.name)", configuration: configuration) { benchmark in
        let subject = type.init()
        let targets = (0..<slots).map { _ in Counter() }
        subject.connect(targets)
        benchmark.startMeasurement()
        subject.emit(benchmark.scaledIterations.count)
        benchmark.stopMeasurement()
        withExtendedLifetime(targets) {}
      }
    }
    Benchmark("connect: \(type.name)", configuration: configuration) { benchmark in
      let subject = type.init()
      let targets = benchmark.scaledIterations.map { _ in Counter() }
      benchmark.startMeasurement()
      subject.connect(targets)
      benchmark.stopMeasurement()
    }
  }
  // The main queue is busy with the benchmarks themselves.
  for type in hops where type.place == "queue" || type.place == "actor" {
    Benchmark("flood, \(type.place): \(type.name)", configuration: configuration) { benchmark in
      let receiver = Receiver()
      let hop = type.init(receiver)
      receiver.expect(benchmark.scaledIterations.count)
      benchmark.startMeasurement()
      hop.flood(benchmark.scaledIterations.count)
      _ = receiver.wait()
      benchmark.stopMeasurement()
      hop.end()
    }
  }
}

private var configuration: Benchmark.Configuration {
  Benchmark.Configuration(
    metrics: [.wallClock], scalingFactor: .kilo, maxDuration: .milliseconds(300))
}
