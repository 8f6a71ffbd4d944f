// Telling the library's names from others of the same spelling.

import SignalObserver

// snippet.own
/// A type of the program's own, which the compiler prefers to the library's.
struct Signal { var strength = 0 }

final class Antenna {
  @EmitterArg<Signal> var received

  // The library's type, in every compiler.
  var alias: SignalArg<Signal> { received }
}
// snippet.end

extension Antenna {
  #if compiler(>=6.3)
    var selected: SignalObserver::Signal<Signal> { received }
  #endif
}
