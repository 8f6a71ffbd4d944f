import DuplicateFinder

/// What the user asks for.
struct Options {
  /// A sentence that says what is wrong with the arguments.
  struct UsageError: Error {
    let message: String
  }

  static let usage = """
    usage: live [--address ADDRESS] [--port PORT] PATH…

    Shows a web page that finds files with the same content below each PATH, and nowhere else.
    Ctrl-C ends it.

      --address ADDRESS  listen there; 127.0.0.1 if not given, which only this machine reaches.
                         Whoever reaches another address may see the names of the files.
      --port PORT        listen there; 8080 if not given, any free port if 0
      --help             show this
      --                 what follows is a PATH, whatever it looks like

    Exit codes: 0 ended by Ctrl-C, 64 wrong arguments, 66 no such PATH, 69 cannot listen.

    """

  private(set) var paths: [Path] = []
  private(set) var address = "127.0.0.1"
  private(set) var port = 8080
  private(set) var wantsHelp = false

  /// Understands the arguments of a command, without its name.
  init(_ arguments: [Path]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument.text {
      case "--help", "-h": wantsHelp = true
      case "--address":
        guard let address = rest.popFirst()?.text else {
          throw UsageError(message: "--address needs an ADDRESS")
        }
        self.address = address
      case "--port":
        guard let port = rest.popFirst()?.text.flatMap(UInt16.init) else {
          throw UsageError(message: "--port needs a PORT, a number from 0 to 65535")
        }
        self.port = Int(port)
      case "--":
        paths += rest
        rest = []
      case .some(let text) where text.hasPrefix("-") && text != "-":
        throw UsageError(message: "unknown option \(text)")
      default: paths.append(argument)
      }
    }
    if paths.isEmpty && !wantsHelp { throw UsageError(message: "no PATH given") }
  }
}
