// An actor that emits, and slots on the main actor and on another actor.
//
//     swift run thermometer

import SignalObserver

/// Measures. Everyone may connect; only the actor can send.
actor Thermometer {
  @EmitterArg<Double> nonisolated var measured

  /// Returns when every slot has handled every measurement.
  func run(_ degrees: [Double]) async {
    for degree in degrees { await _measured.invokeAndWait(degree) }
  }
}

/// Belongs to the main actor, like a view.
@MainActor final class Display {
  private var text = "" {
    didSet { print(text) }
  }

  func show(_ degrees: Double) {
    MainActor.assertIsolated()  // wherever the thermometer measures
    text = "\(degrees) degrees"
  }
}

/// Counts on an actor of its own.
actor Statistics {
  private(set) var highest = -Double.infinity
  private var sum = 0.0
  private var count = 0.0

  var average: Double { sum / count }

  func add(_ degrees: Double) {
    highest = max(highest, degrees)
    sum += degrees
    count += 1
  }
}

let thermometer = Thermometer()
let display = Display()
let statistics = Statistics()

thermometer.measured.connect(display, Display.show)  // on the main actor
thermometer.measured.connect(statistics) { statistics, degrees in  // on the actor
  statistics.add(degrees)
}

await thermometer.run([18.5, 21, 23.5])
print("highest \(await statistics.highest), average \(await statistics.average)")
