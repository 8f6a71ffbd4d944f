import SignalObserver
import Weather

/// A slot of the program, for a signal of the library.
final class Screen {
  func show(_ name: String, _ celsius: Double) { print(name, celsius) }
}

let (station, screen) = (Station(), Screen())
station.warned.connect(screen, Screen.show, .inline)
station.fahrenheit.connect(on: .inline) { print("fahrenheit", $0) }
station.$wind.connect(on: .inline) { print("wind", $0) }
let alarm = whenever(station.measured, isAbove: 40) { print("alarm", $0) }
station.stopped.connect(on: .inline) { print("stopped") }
let relay = Station()
relay.follow(station.measured)
station.measure(45)
print(relay.wind, alarm.isCancelled)
