#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The status with which the program ends.
///
/// The numbers are those of `sysexits.h`. A program that ends because of a system signal adds 128 to the
/// number of that signal.
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
