#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How the program ends: the numbers of `sysexits.h`, and 128 plus the signal that other tools would
/// have died of.
enum ExitCode: Int32 {
  case success = 0
  case someUnreadable = 1
  case usage = 64
  case noSuchPath = 66
  case cannotWriteJSON = 73
  case cannotWriteReport = 74
  case interrupted = 130
  case brokenPipe = 141
}

/// Ends the process.
func exit(_ code: ExitCode) -> Never {
  exit(code.rawValue)
}
