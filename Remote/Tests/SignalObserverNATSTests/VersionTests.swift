import Foundation
import NATSServer
import SignalObserverNATS
import Testing

/// The oldest libnats and the oldest server are checked, and the error is a sentence that names
/// them.
@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(8))) struct VersionTests {
  /// So that a busy machine is no server that is mute.
  private var patient: BusOptions {
    var options = BusOptions()
    options.timeout = .seconds(20)
    return options
  }

  @Test(arguments: ["2.8.4", "1.10.0", "0.9.6"])
  func `a server that is too old is an error that says so`(version: String) async throws {
    let server = try server(of: version)

    await #expect(
      throws: BusError.connection(
        reason: "the server \(server.url) is too old; 2.9.0 or newer is needed")
    ) {
      try await Bus(server.url, options: patient)
    }
  }

  @Test(arguments: ["2.9.0", "2.14.1-beta.2", "3.0.0"])
  func `the oldest server that fits is taken, and newer ones are`(version: String) async throws {
    let server = try server(of: version)

    let bus = try await Bus(server.url, options: patient)

    try await bus.flush()
  }

  @Test func `a package built with an older libnats is an error that says so`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "nats"), withIntermediateDirectories: true)
      try "#define NATS_VERSION_NUMBER 0x030400\n".write(
        to: folder.appending(path: "nats/nats.h"), atomically: true, encoding: .utf8)
      let shim = URL(fileURLWithPath: #filePath).appending(path: "../../../Sources/CNats/shim.h")

      let errors = try compile(
        ["-fsyntax-only", "-I", folder.path, "-x", "c", shim.standardized.path], in: folder)

      #expect(errors.contains("SignalObserverNATS needs libnats 3.4.1 or newer"))
    }
  }

  // A sanitizer does not let another library be loaded first.
  @Test(.disabled(if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil))
  func `a program that is started with an older libnats says so`() async throws {
    try await withFolder { folder in
      let (source, library) = (folder.appending(path: "old.c"), folder.appending(path: "old.so"))
      try #"""
      unsigned nats_GetVersionNumber(void) { return 0x030400; }
      const char *nats_GetVersion(void) { return "3.4.0"; }
      """#.write(to: source, atomically: true, encoding: .utf8)
      _ = try compile(["-shared", "-fPIC", "-o", library.path, source.path], in: folder)

      let peer = try Peer(
        ["emit", "nats://127.0.0.1:1", "n", "1"], environment: ["LD_PRELOAD": library.path])

      let reason = "libnats 3.4.0 is too old; 3.4.1 or newer is needed"
      #expect(await peer.hasPrinted("error \(BusError.connection(reason: reason))"))
      #expect(peer.status == 1)
    }
  }

  /// A server that answers pings, and announces a version.
  private func server(of version: String) throws -> FakeServer {
    try FakeServer(greeting: FakeServer.info.replacing("2.9.10", with: version)) { line, answer in
      if line == "PING" { answer("PONG\r\n") }
    }
  }

  /// Runs the C compiler, and returns what it complains about.
  private func compile(_ arguments: [String], in folder: URL) throws -> String {
    let errors = folder.appending(path: "errors")
    let file = open(errors.path, O_WRONLY | O_CREAT, 0o644)
    defer { close(file) }
    let compiler = try ChildProcess(
      URL(fileURLWithPath: "/usr/bin/env"), ["clang"] + arguments, errors: file)
    _ = compiler.status
    return try String(contentsOf: errors, encoding: .utf8)
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = try Watchdog.makeFolder()
    defer { Watchdog.removeFolder(folder) }
    try await body(folder)
  }
}
