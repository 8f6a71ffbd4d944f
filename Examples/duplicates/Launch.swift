import Dispatch
import DuplicateFinder
import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Opens the null device as standard input, output and error, where they are closed.
///
/// Otherwise the next file that is opened would be what the report is written to. The system gives the
/// lowest number that is free, so this comes before anything is opened.
func openStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    _ = unsafe open("/dev/null", O_RDWR)
  }
}

/// Understands the arguments and begins; exits if there is nothing to search.
@MainActor
func launch(_ arguments: [Path]) -> Program {
  // A pipe that nobody reads is an error of `write` then, and does not end the process.
  signal(SIGPIPE, SIG_IGN)
  let standardError = Output(STDERR_FILENO)

  let options: Options
  do {
    options = try Options(arguments)
  } catch {
    standardError.write("duplicates: \(error.message)\n\n\(Options.usage)")
    exit(.usage)
  }
  if options.wantsHelp {
    Output(STDOUT_FILENO).write(Options.usage)
    exit(.success)
  }

  let missing = options.paths.filter { !$0.exists }
  for path in missing { standardError.write("duplicates: \(path): No such file or directory\n") }
  if !missing.isEmpty { exit(.noSuchPath) }

  let program: Program
  do {
    let json = try options.jsonFile.map { file throws(SystemError) in try JSONWriter(file) }
    program = Program(options, json: json)
  } catch {
    standardError.write("duplicates: \(options.jsonFile?.description ?? ""): \(error)\n")
    exit(.cannotWriteJSON)
  }
  program.start()
  return program
}

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
