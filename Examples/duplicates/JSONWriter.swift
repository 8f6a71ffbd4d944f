import Dispatch
import DuplicateFinder
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
