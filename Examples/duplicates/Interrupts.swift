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
  @EmitterVoid var received

  private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)

  init() {
    signal(SIGINT, SIG_IGN)
    source.setEventHandler { [_received] in _received.invoke() }
    source.resume()
  }
}
