import DuplicateFinder
import Foundation
import Testing

@Suite struct EqualityTests {
  @Test func `files whose bytes are all equal are a group and the others are in none`() throws {
    let folder = try TemporaryFolder()
    try folder.write("one", to: "a", "sub/b", "sub/deeper/c")
    try folder.write("two", to: "d", "sub/e")
    try folder.write("six", to: "f")
    try folder.write("seven", to: "g")

    #expect(folder.groups() == [["a", "sub/b", "sub/deeper/c"], ["d", "sub/e"]])
  }

  static let size = 300_000
  // The edges of what is read at first, and of the blocks that are compared.
  static let positions = [0, 4095, 4096, 131_071, 131_072, 262_143, 262_144, size - 1]

  @Test(arguments: positions)
  func `one byte tells two files apart`(position: Int) throws {
    let folder = try TemporaryFolder()
    var content = Data(count: Self.size)
    try folder.write(content, to: "a")
    content[position] = 1
    try folder.write(content, to: "b")

    #expect(folder.groups() == [])
  }

  @Test(arguments: positions)
  func `one byte tells a file apart from two equal ones`(position: Int) throws {
    let folder = try TemporaryFolder()
    var content = Data(count: Self.size)
    try folder.write(content, to: "a")
    try folder.write(content, to: "b")
    content[position] = 1
    try folder.write(content, to: "c")

    #expect(folder.groups() == [["a", "b"]])
  }

  @Test(arguments: [1, 4096, 4097, 131_072, 131_073, 262_144, 300_000])
  func `equal files of every size are found`(size: Int) throws {
    let folder = try TemporaryFolder()
    let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try folder.write(content, to: "a")
    try folder.write(content, to: "b")
    try folder.write(content, to: "c")

    #expect(folder.groups() == [["a", "b", "c"]])
  }

  @Test func `many files that begin alike are told apart by their ends`() throws {
    let folder = try TemporaryFolder()
    for number in 0..<200 {
      let end = String(format: "%02d", number % 50)
      try folder.write(
        String(repeating: "x", count: 5000) + end, to: end + "-" + String(number / 50))
    }

    let expected = (0..<50).map { end in
      (0..<4).map { String(format: "%02d-%d", end, $0) }
    }
    #expect(folder.groups() == expected)
  }

  @Test func `groups are sorted by size and then by name`() throws {
    let folder = try TemporaryFolder()
    try folder.write("bb", to: "a", "z")
    try folder.write("aa", to: "m", "B")
    try folder.write("longest", to: "x", "y")

    #expect(folder.groups() == [["x", "y"], ["B", "m"], ["a", "z"]])
  }
}
