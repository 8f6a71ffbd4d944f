// The model-based test with operations that libFuzzer makes up: see `Proof/README.md`. Scripts/fuzz
// compiles it together with `Proof/model`.

/// A deliberate fault of the model, as for `model`.
private let fault = CommandLine.arguments.last { $0.hasPrefix("--fault=") }
  .map { String($0.dropFirst("--fault=".count)) }

/// Runs once, before the first stream.
@_cdecl("LLVMFuzzerInitialize")
public func begin(_: UnsafeRawPointer, _: UnsafeRawPointer) -> CInt {
  Tasks.shared.takeOver()
  return 0
}

/// Plays the operations that `count` bytes at `bytes` stand for, and stops at a difference.
@_cdecl("LLVMFuzzerTestOneInput")
public func play(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var choices = unsafe Random(bytes: UnsafeBufferPointer(start: bytes, count: count))
  let seed = UInt64(choices.below(256))
  var operations: [Operation] = []
  while choices.bytes?.isEmpty == false {
    operations.append(.random(&choices, isNested: false))
  }
  guard difference(operations, seed, fault).message == nil else {
    fatalError(report(operations, seed, fault))
  }
  return 0
}
