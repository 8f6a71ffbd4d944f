import DuplicateFinder
import Foundation
import LivePage
import ServiceLifecycle
import SignalObserver

// From sysexits.h, and so the same everywhere.
private let (wrongUsage, noInput, unavailable): (Int32, Int32, Int32) = (64, 66, 69)

private func end(_ code: Int32, _ message: String) -> Never {
  FileHandle.standardError.write(Data("live: \(message)\n".utf8))
  exit(code)
}

let options: Options
do {
  options = try Options(CommandLine.paths)
} catch {
  end(wrongUsage, "\(error.message)\n\n\(Options.usage)")
}
if options.wantsHelp {
  print(Options.usage, terminator: "")
  exit(0)
}
for path in options.paths where !path.exists { end(noInput, "\(path): no such file or folder") }

let live = Live(
  Board(options.paths), address: options.address, port: options.port, hosts: options.hosts,
  clientLimit: options.clientLimit)
live.port.connect(on: .inline) { port in
  guard let port else { return }
  let host = options.address.contains(":") ? "[\(options.address)]" : options.address
  // At once, also when it is read by another program.
  FileHandle.standardOutput.write(Data("http://\(host):\(port)/\n".utf8))
}
do {
  try await live.group().run()
} catch is CancellationError {
  // A client that did not read was cut off.
} catch {
  end(unavailable, "\(error)")
}
