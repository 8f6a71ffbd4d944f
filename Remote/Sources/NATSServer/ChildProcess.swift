package import Foundation
import Synchronization

/// Another process, which ends with its object.
///
/// Foundation's `Process` leaks memory for each process that it starts, and the checks for leaks
/// overlook nothing of this package.
package final class ChildProcess: Sendable {
  package struct Failure: Error { let code: Int32 }

  package let processID: pid_t
  /// What `waitpid` has returned; nil as long as it has returned nothing.
  private let ending = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Its environment.
  ///   - output: The descriptor to which it prints; nil if nobody reads that.
  ///   - errors: The descriptor to which it prints errors; nil if nobody reads them.
  /// - Throws: ``Failure``.
  package init(
    _ program: URL, _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    output: Int32? = 1, errors: Int32? = 2
  ) throws {
    processID = try spawn(
      program, arguments, environment: environment, output: output, errors: errors)
    Watchdog.add("process", "\(processID)")
  }

  deinit { kill() }

  package var isRunning: Bool { end == nil }

  /// The exit code, or a negative number for the signal that ended the process.
  ///
  /// It waits for the end.
  package var status: Int32 {
    wait(for: WEXITED)
    // If the process cannot be waited for, nobody knows that it ended well.
    let status = end ?? 127 << 8
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }

  /// Kills the process with `kill -9`, and waits for its end.
  package func kill() {
    guard isRunning else { return }
    Foundation.kill(processID, SIGKILL)
    wait(for: WEXITED)
    _ = end
  }

  /// Stops the process until ``resume()``, and waits until all of its threads have stopped.
  package func pause() {
    guard isRunning else { return }
    Foundation.kill(processID, SIGSTOP)
    wait(for: WEXITED | WSTOPPED)
  }

  package func resume() { Foundation.kill(processID, SIGCONT) }

  /// Waits for a change of the process, without the lock, so that others can ask meanwhile.
  private func wait(for changes: Int32) {
    var info = siginfo_t()
    // The change remains to be taken by `end`.
    while waitid(P_PID, id_t(processID), &info, changes | WNOWAIT) != 0, errno == EINTR {}
  }

  /// What `waitpid` says about the end of the process; nil if it has not ended.
  private var end: Int32? {
    ending.withLock { ending in
      var status: Int32 = 0
      if ending == nil, waitpid(processID, &status, WNOHANG) == processID {
        ending = status
        Watchdog.remove("process", "\(processID)")
      }
      return ending
    }
  }
}

/// Starts a program, and returns the number of its process.
///
/// It reads from `input`, or nothing; this process may have no input that it could share. With
/// `isApart`, a signal to the group of this process does not reach it.
private func spawn(
  _ program: URL, _ arguments: [String], environment: [String: String], input: Int32? = nil,
  output: Int32?, errors: Int32?, isApart: Bool = false
) throws(ChildProcess.Failure) -> pid_t {
  #if canImport(Darwin)
    var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
    let apart = POSIX_SPAWN_SETSID
  #else
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    let flags = Int32(POSIX_SPAWN_SETSIGMASK)
    let apart: Int32 = 0x80  // POSIX_SPAWN_SETSID, which Swift does not see.
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  for (descriptor, target) in [(input, 0), (output, 1), (errors, 2)] as [(Int32?, Int32)] {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, target)
    } else {
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
    }
  }
  #if !canImport(Darwin)
    // The sockets and pipes of this process are its own. A number without one is no error.
    for descriptor in 3..<min(getdtablesize(), 4096) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  #endif
  // The threads of Dispatch block signals, and a process inherits that.
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(isApart ? flags | apart : flags))

  let texts = [program.path] + arguments
  var argv = texts.map { strdup($0) } + [nil]
  var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
  defer { for text in argv + variables { free(text) } }
  var processID: pid_t = 0
  let code = posix_spawn(&processID, program.path, &actions, &attributes, &argv, &variables)
  if code != 0 { throw ChildProcess.Failure(code: code) }
  return processID
}

/// A process that waits for the end of this one, and then kills what this one has started and removes
/// its folders.
///
/// Nothing stays behind, even if this process is killed.
package enum Watchdog {
  /// The end of a pipe to the watchdog, which nobody else has; nil if there is no watchdog.
  private static let pipe: Int32? = {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    // No other process may keep it open.
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    let script = """
      trap '' INT TERM
      items=' '
      while read -r verb kind item; do
        if [ "$verb" = add ]; then items="$items$kind:$item "
        else items="${items%% "$kind:$item" *} ${items#* "$kind:$item" }"; fi
      done
      for item in $items; do case $item in process:*) kill -9 "${item#*:}"; esac; done
      for item in $items; do case $item in folder:*)
        umount -l "${item#*:}"
        rm -rf "${item#*:}"
      esac; done
      """
    let watchdog = try? spawn(
      URL(fileURLWithPath: "/bin/sh"), ["-c", script], environment: ["PATH": "/bin:/usr/bin"],
      input: ends[0], output: nil, errors: nil, isApart: true)
    return watchdog == nil ? nil : ends[1]
  }()

  static func add(_ kind: String, _ item: String) { tell("add \(kind) \(item)\n") }
  static func remove(_ kind: String, _ item: String) { tell("remove \(kind) \(item)\n") }

  /// Makes a folder for temporary files, which is removed when this process ends, or before.
  package static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "signalobserver-nats-\(UUID().uuidString)")
    add("folder", folder.path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  package static func removeFolder(_ folder: URL) {
    try? FileManager.default.removeItem(at: folder)
    remove("folder", folder.path)
  }

  private static func tell(_ line: String) {
    // A pipe takes a line in one piece, because lines are short.
    if let pipe { _ = Array(line.utf8).withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) } }
  }
}
