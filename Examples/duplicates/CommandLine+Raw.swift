import DuplicateFinder

extension CommandLine {
  /// The arguments as the bytes they are, without the name of the command.
  ///
  /// `arguments` repairs what is not valid UTF-8, and then there is no such file.
  static var rawArguments: [Path] {
    // The vector has `argc` strings, which live as long as the process.
    unsafe UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap {
      unsafe $0.map { unsafe Path(cString: $0) }
    }
  }
}
