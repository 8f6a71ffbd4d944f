// A tool that runs in a process of its own, with signals in place of closure properties.

import Foundation
import SignalObserver

// snippet.after
final class Tool: Sendable {
  private let output = EmitterArg<String>()
  private let exit = EmitterArg<Int32>()
  var received: SignalArg<String> { output.signal }
  var exited: SignalArg<Int32> { exit.signal }

  func run(_ path: String, _ arguments: [String]) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = pipe
    process.terminationHandler = { [output, exit] process in
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      output.invoke(String(decoding: data, as: UTF8.self))
      exit.invoke(process.terminationStatus)
    }
    try process.run()
  }
}

@MainActor final class Console {
  private(set) var lines: [String] = []
  private let tool = Tool()

  func start() throws {
    tool.received.connect(self, Console.show)
    tool.exited.connect(self) { console, status in
      console.lines.append("exit \(status)")
    }
    try tool.run("/bin/echo", ["hello"])
  }

  private func show(_ text: String) { lines.append(text) }
}
// snippet.end

@MainActor func check() async throws {
  let tool = Tool()
  // snippet.once
  let exit = tool.exited.values
  try tool.run("/bin/echo", ["hello"])
  for await status in exit.prefix(1) { print("exit", status) }
  // snippet.end
}

try await check()
let console = Console()
try console.start()
while console.lines.count < 2 { await Task.yield() }
precondition(console.lines == ["hello\n", "exit 0"])
