import Dispatch
import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Announces each Ctrl-C, and keeps it from ending the process.
@MainActor
final class Interrupts {
  /// Sent once, when every later Ctrl-C will be announced.
  ///
  /// An earlier one ends the process.
  @EmitterVoid var ready
  @EmitterVoid var received

  private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)

  init() {
    source.setRegistrationHandler { [_ready] in
      // Here, the source only watches the system signal. On Linux, the source itself catches it.
      #if canImport(Darwin)
        signal(SIGINT, SIG_IGN)
      #endif
      _ready.invoke()
    }
    source.setEventHandler { [_received] in _received.invoke() }
    source.resume()
  }
}
