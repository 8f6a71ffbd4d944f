import DuplicateFinder

/// What the user asks for.
struct Options {
  /// A sentence that says what is wrong with the arguments.
  struct UsageError: Error {
    let message: String
  }

  static let usage = """
    usage: live [--address ADDRESS] [--port PORT] [--host NAME]… [--clients COUNT] PATH…

    Shows a web page that finds files with the same content below each PATH, and nowhere else.
    Ctrl-C ends it.

      --address ADDRESS  listen there; 127.0.0.1 if not given, which only this machine reaches.
                         Whoever reaches another address may see the names of the files.
      --port PORT        listen there; 8080 if not given, any free port if 0
      --host NAME        a name by which browsers may ask for the page, besides the address; as often
                         as there are names. Requests by other names are refused. --address 0.0.0.0
                         or :: needs one.
      --clients COUNT    serve so many pages at once; 1000 if not given
      --help             show this
      --                 what follows is a PATH, whatever it looks like

    Exit codes: 0 ended by Ctrl-C, 64 wrong arguments, 66 no such PATH, 69 cannot listen.

    """

  private(set) var paths: [Path] = []
  private(set) var address = "127.0.0.1"
  private(set) var port = 8080
  private(set) var hosts: [String] = []
  private(set) var clientLimit = 1000
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
      case "--host":
        guard let host = rest.popFirst()?.text else {
          throw UsageError(message: "--host needs a NAME")
        }
        hosts.append(host)
      case "--clients":
        guard let count = rest.popFirst()?.text.flatMap({ Int($0) }), count > 0 else {
          throw UsageError(message: "--clients needs a COUNT of 1 at least")
        }
        clientLimit = count
      case "--":
        paths += rest
        rest = []
      case .some(let text) where text.hasPrefix("-") && text != "-":
        throw UsageError(message: "unknown option \(text)")
      default: paths.append(argument)
      }
    }
    if wantsHelp { return }
    if paths.isEmpty { throw UsageError(message: "no PATH given") }
    if ["0.0.0.0", "::"].contains(address) && hosts.isEmpty {
      throw UsageError(message: "--address \(address) needs a --host")
    }
  }
}
