import Dispatch
import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Announces each Ctrl-C, which no longer ends the process by itself.
@MainActor
final class Interrupts {
  /// Sent once, when no Ctrl-C can be missed any more; until then, it ends the process.
  @EmitterVoid var ready
  @EmitterVoid var received

  private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)

  init() {
    source.setRegistrationHandler { [_ready] in
      // Here the source only watches the signal. On Linux it catches it, and must be left to.
      #if canImport(Darwin)
        signal(SIGINT, SIG_IGN)
      #endif
      _ready.invoke()
    }
    source.setEventHandler { [_received] in _received.invoke() }
    source.resume()
  }
}
