import Foundation
import SignalObserver

final class Antenna {
  @EmitterArg<Signal> var received
  @EmitterVoid var lost

  // Here `Signal` is the program's. The aliases name the library's in every compiler.
  var receivedToo: SignalArg<Signal> { received }
  #if compiler(>=6.3)
    var receivedOnceMore: SignalObserver::Signal<Signal> { received }
  #endif

  func listen() {
    _received.invoke(Signal(strength: 5))
    _lost.invoke()
  }
}

final class Display {
  func show(_ signal: Signal) { print("strength", signal.strength) }
  func clear() { print("lost", Date(timeIntervalSince1970: 0).timeIntervalSince1970) }
}

let (antenna, display) = (Antenna(), Display())
let observer: SignalObserver = antenna.received.connect(display, Display.show, .inline)
antenna.lost.connect(display, Display.clear, .inline)
antenna.listen()
observer.cancel()
print(merge([1], [2]), observer.isCancelled, antenna.receivedToo.slotCount)
