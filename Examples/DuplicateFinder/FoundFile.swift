/// A regular file that a walk has found.
struct FoundFile {
  /// The first of its names, in the order of their bytes.
  var path: Path
  let identity: FileIdentity
  let size: Int
}
