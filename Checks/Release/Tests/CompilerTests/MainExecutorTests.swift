import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct MainExecutorTests {
  @Test func `a main actor with an executor of its own is told when a slot of it is connected`()
    throws
  {
    let process = Process()
    let errors = Pipe()
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("custom-main")
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice

    try process.run()
    let printed = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()

    #expect(process.terminationReason == .uncaughtSignal)
    #expect(
      String(decoding: printed, as: UTF8.self).contains(
        "the main actor has an executor of its own, and its slots run on the main queue"))
  }
}
