import DuplicateFinder

/// The options of the command line.
struct Options {
  /// A sentence that names the mistake in the arguments.
  struct UsageError: Error {
    let message: String
  }

  static let usage = """
    usage: duplicates [--empty] [--json FILE] PATH…

    Finds files with the same content below each PATH, and reports them, the largest first.
    Symbolic links are not followed, except a PATH that is one.

      --empty      report empty files too
      --json FILE  write what was found to FILE as well
      --help       show this
      --           what follows is a PATH, whatever it looks like

    Exit codes: 0 done, 1 some files could not be read, 64 wrong arguments, 66 no such PATH,
    73 FILE cannot be written, 74 the report cannot be written, 130 interrupted by Ctrl-C.

    """

  private(set) var paths: [Path] = []
  private(set) var includesEmptyFiles = false
  private(set) var jsonFile: Path?
  private(set) var wantsHelp = false

  /// Parses the arguments of the command, without its name.
  init(_ arguments: [Path]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument.text {
      case "--help", "-h": wantsHelp = true
      case "--empty": includesEmptyFiles = true
      case "--json": jsonFile = try Self.file(of: "--json", rest.popFirst())
      case "--":
        paths += rest
        rest = []
      default:
        if Self.isOption(argument) { throw UsageError(message: "unknown option \(argument)") }
        paths.append(argument)
      }
    }
    if paths.isEmpty && !wantsHelp { throw UsageError(message: "no PATH given") }
  }

  private static func file(of option: String, _ argument: Path?) throws(UsageError) -> Path {
    guard let argument, !isOption(argument) else {
      throw UsageError(message: "\(option) needs a FILE")
    }
    return argument
  }

  private static func isOption(_ argument: Path) -> Bool {
    argument.bytes.first == UInt8(ascii: "-") && argument.bytes.count > 1
  }
}
