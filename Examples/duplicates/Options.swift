import DuplicateFinder

/// The options of the command line.
struct Options {
  /// A sentence that names the mistake in the arguments.
  struct UsageError: Error {
    let message: String
  }

  static let usage = """
    usage: duplicates [OPTION]… PATH…

    Finds files with the same content below each PATH, and reports them, the largest first.
    Symbolic links are not followed, except a PATH that is one.

      --min-size SIZE  leave out smaller files; 10k, 5M and 1G are thousands, millions and
                       billions of bytes. 1 if not given
      --empty          report empty files too: the same as --min-size 0
      --exclude NAME   leave out files and folders of this name, below each PATH; as often as there
                       are names. NAME is a pattern: --exclude .git --exclude '*.tmp'
      --print0         print names only, for programs: each ends with a zero byte, and each group
                       with one more
      --json FILE      write what was found to FILE as well
      --help           show this
      --               what follows is a PATH, whatever it looks like

    A name that no line can show is printed as a shell reads it: $'caf\\xe9'.

    Exit codes: 0 done, 1 some files could not be read, 64 wrong arguments, 66 no such PATH,
    73 FILE cannot be written, 74 the report cannot be written, 130 interrupted by Ctrl-C.

    """

  private(set) var paths: [Path] = []
  private(set) var minimumSize = 1
  private(set) var exclusions: [Path] = []
  private(set) var format = Report.Format.lines
  private(set) var jsonFile: Path?
  private(set) var wantsHelp = false

  /// Parses the arguments of the command, without its name.
  init(_ arguments: [Path]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument.text {
      case "--help", "-h": wantsHelp = true
      case "--empty": minimumSize = 0
      case "--min-size": minimumSize = try Self.size(rest.popFirst())
      case "--exclude": exclusions.append(try Self.name(rest.popFirst()))
      case "--print0": format = .zeros
      case "--json": jsonFile = try Self.file(rest.popFirst())
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

  private static func file(_ argument: Path?) throws(UsageError) -> Path {
    guard let argument, !isOption(argument) else {
      throw UsageError(message: "--json needs a FILE")
    }
    return argument
  }

  /// A name may begin as an option does, and has no slash, which no name has.
  private static func name(_ argument: Path?) throws(UsageError) -> Path {
    guard let argument, !argument.bytes.isEmpty, !argument.bytes.contains(UInt8(ascii: "/")) else {
      throw UsageError(message: "--exclude needs a NAME without a slash")
    }
    return argument
  }

  private static func size(_ argument: Path?) throws(UsageError) -> Int {
    let units: [Character: Int] = ["k": 1000, "M": 1_000_000, "G": 1_000_000_000]
    let text = argument?.text ?? ""
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text : String(text.dropLast())
    let number = digits.allSatisfy { "0"..."9" ~= $0 } ? Int(digits) : nil
    guard let (size, overflows) = number?.multipliedReportingOverflow(by: unit ?? 1), !overflows
    else {
      throw UsageError(message: "--min-size needs a SIZE, such as 4096, 10k, 5M or 1G")
    }
    return size
  }

  private static func isOption(_ argument: Path) -> Bool {
    argument.bytes.first == UInt8(ascii: "-") && argument.bytes.count > 1
  }
}
