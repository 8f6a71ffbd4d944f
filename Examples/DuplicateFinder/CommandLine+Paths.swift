extension CommandLine {
  /// The arguments as bytes, without the name of the command.
  ///
  /// `arguments` repairs bytes that are not valid UTF-8, and no file has the repaired name.
  public static var paths: [Path] {
    // The vector has `argc` strings, which live as long as the process.
    unsafe UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap {
      unsafe $0.map { unsafe Path(cString: $0) }
    }
  }
}
