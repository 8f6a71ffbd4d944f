import DuplicateFinder

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
