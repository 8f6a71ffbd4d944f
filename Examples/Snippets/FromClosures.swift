// A tool that runs in a process of its own, first with closure properties, then with signals.

import Dispatch
import Foundation
import SignalObserver
import Synchronization

enum Before {
  // snippet.before
  final class Tool: @unchecked Sendable {
    var onOutput: (@Sendable (String) -> Void)?
    var onExit: (@Sendable (Int32) -> Void)?
    private let process = Process()
    private let output = Pipe()

    func run(_ path: String, _ arguments: [String]) throws {
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = arguments
      process.standardOutput = output
      process.terminationHandler = { [weak self] process in
        guard let self else { return }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let text = String(decoding: data, as: UTF8.self)
        DispatchQueue.main.async {
          self.onOutput?(text)
          self.onExit?(process.terminationStatus)
        }
      }
      try process.run()
    }
  }

  @MainActor final class Console {
    private(set) var lines: [String] = []
    private let tool = Tool()

    func start() throws {
      tool.onOutput = { [weak self] text in
        MainActor.assumeIsolated { self?.lines.append(text) }
      }
      tool.onExit = { [weak self] status in
        MainActor.assumeIsolated { self?.lines.append("exit \(status)") }
      }
      try tool.run("/bin/echo", ["hello"])
    }
  }
  // snippet.end
}

enum After {
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

  @MainActor static func check() async throws {
    let tool = Tool()
    // snippet.once
    let exit = tool.exited.values
    try tool.run("/bin/echo", ["hello"])
    for await status in exit.prefix(1) { print("exit", status) }
    // snippet.end
  }
}

try await After.check()
let oldConsole = Before.Console()
let newConsole = After.Console()
try oldConsole.start()
try newConsole.start()
while oldConsole.lines.count < 2 || newConsole.lines.count < 2 { await Task.yield() }
precondition(oldConsole.lines == newConsole.lines)
