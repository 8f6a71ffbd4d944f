import Dispatch
import DuplicateFinder
import Foundation
import SignalObserver

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes the result to a file, on a queue of its own.
///
/// The file is created at once, so that a wrong name is reported before the search.
final class JSONWriter {
  /// Sends nil when the document is in the file, or the error that prevents it.
  @EmitterArg<SystemError?> var written

  let file: Path
  let queue = DispatchQueue(label: "duplicates.json", qos: .utility)
  private let descriptor: Int32

  init(_ file: Path) throws(SystemError) {
    self.file = file
    descriptor = unsafe file.withCString {
      unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    if descriptor < 0 { throw .last }
  }

  deinit { close(descriptor) }

  func write(_ result: ScanResult) {
    do {
      try writeAll(JSONDocument(result).encoded(), to: descriptor)
      _written.invoke(nil)
    } catch {
      // Encoding cannot fail: the document has only strings and numbers.
      _written.invoke(error as? SystemError ?? SystemError(code: EINVAL))
    }
  }
}

/// The document that `--json` writes.
struct JSONDocument: Encodable {
  struct Name: Encodable {
    /// The name as text, or as in the report if it is not valid UTF-8.
    let path: String
    /// The exact bytes of a name that is not valid UTF-8; JSON cannot write such a name as text.
    let base64: Data?

    init(_ path: Path) {
      self.path = path.plainText
      base64 = path.text == nil ? Data(path.bytes) : nil
    }
  }

  struct Group: Encodable {
    let size: Int
    let files: [Name]
  }

  struct Failure: Encodable {
    let file: Name
    let reason: String
  }

  let groups: [Group]
  let unreadable: [Failure]
  let redundantFiles: Int
  let redundantBytes: Int
  /// False if the search was stopped.
  let complete: Bool

  init(_ result: ScanResult) {
    groups = result.groups.map { Group(size: $0.size, files: $0.paths.map(Name.init)) }
    unreadable = result.unreadable.sorted { $0.path < $1.path }
      .map { Failure(file: Name($0.path), reason: $0.reason) }
    redundantFiles = result.redundantFiles
    redundantBytes = result.redundantBytes
    complete = result.isComplete
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
