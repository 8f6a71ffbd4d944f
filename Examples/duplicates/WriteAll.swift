#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes all of `bytes`, with as many calls as necessary.
func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) throws(SystemError) {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno != EINTR { throw .last }
    rest = rest.dropFirst(max(count, 0))
  }
}
