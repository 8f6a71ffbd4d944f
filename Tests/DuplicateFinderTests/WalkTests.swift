import DuplicateFinder
import Foundation
import Testing

@Suite struct WalkTests {
  @Test func `hard links are one file under its first name`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "m", "x")
    for name in ["a", "z"] {
      try FileManager.default.linkItem(at: folder.file("m"), to: folder.file(name))
    }

    #expect(folder.groups() == [["a", "x"]])
  }

  @Test func `hard links alone are no duplicates`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a")
    try FileManager.default.linkItem(at: folder.file("a"), to: folder.file("b"))

    #expect(folder.groups() == [])
  }

  @Test func `symbolic links are not followed`() throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    try folder.write("same", to: "a")
    try other.write("same", to: "b")
    for (name, target) in [
      ("file", folder.file("a")), ("copy", other.file("b")), ("folder", other.url),
      ("loop", folder.url), ("nowhere", folder.file("none")),
    ] {
      try FileManager.default.createSymbolicLink(at: folder.file(name), withDestinationURL: target)
    }

    let result = DuplicateFinder().find(in: [folder.path])

    #expect(result.groups == [])
    #expect(result.unreadable == [])
  }

  @Test func `a symbolic link that the user names is followed`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "real/a", "real/b")
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("real"))

    let result = DuplicateFinder().find(in: [folder["link"]])

    #expect(folder.names(result) == [["link/a", "link/b"]])
  }

  @Test func `pipes and sockets are not opened`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b")
    let socket = try makePipeAndSocket(folder["pipe"], folder["socket"])
    defer { close(socket) }

    let result = DuplicateFinder(minimumSize: 0).find(in: [
      folder.path, folder["pipe"], folder["socket"],
    ])

    #expect(folder.names(result) == [["a", "b"]])
    #expect(result.unreadable == [])
  }

  @Test func `empty files are found only if wanted`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "a", "b")
    try folder.write("same", to: "c", "d")

    #expect(folder.groups() == [["c", "d"]])
    #expect(folder.groups(minimumSize: 0) == [["c", "d"], ["a", "b"]])
  }

  @Test func `smaller files than wanted are left out`() throws {
    let folder = try TemporaryFolder()
    try folder.write("four", to: "a", "b")
    try folder.write("five5", to: "c", "d")

    #expect(folder.groups(minimumSize: 4) == [["c", "d"], ["a", "b"]])
    #expect(folder.groups(minimumSize: 5) == [["c", "d"]])
    #expect(folder.groups(minimumSize: 6) == [])
  }

  @Test(arguments: [
    (["c"], ["a", "b1", "sub/b/d"]), (["b"], ["a", "b1"]), (["sub", "b?"], []), (["*"], []),
    (["[ab]*"], []), (["A", "a*b", "sub/b", "./a", ""], ["a", "b1", "sub/b/c", "sub/b/d"]),
  ])
  func `files and folders whose names fit a pattern are left out`(
    patterns: [String], found: [String]
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b1", "sub/b/c", "sub/b/d")

    #expect(
      folder.groups(excluding: patterns.map { Path($0) }) == (found.isEmpty ? [] : [found]))
  }

  @Test func `what the user names is searched whatever patterns it fits`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "sub/a", "b")

    let finder = DuplicateFinder(excluding: [Path("sub"), Path("b")])
    let result = finder.find(in: [folder["sub"], folder["b"]])

    #expect(folder.names(result) == [["b", "sub/a"]])
  }

  @Test func `places that overlap do not make a file its own duplicate`() throws {
    let folder = try TemporaryFolder()
    try folder.write("one", to: "a", "sub/b")
    try folder.write("only", to: "sub/c")

    let result = DuplicateFinder().find(in: [
      folder["sub/c"], folder["sub"], folder.path, folder.path, folder["sub/../sub"],
      folder["sub/c"],
    ])

    #expect(folder.names(result) == [["a", "sub/b"]])
  }

  @Test func `files may be named alone`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a", "b", "c")

    let result = DuplicateFinder().find(in: [folder["a"], folder["c"]])

    #expect(folder.names(result) == [["a", "c"]])
  }

  @Test func `paths may be longer than the system takes at once`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "a")
    let names = try folder.writeDeep("same", levels: 30, to: "b")

    let deep = (names + ["b"]).joined(separator: "/")
    #expect(deep.utf8.count > 6000)
    #expect(folder.groups() == [["a", deep]])
    let result = DuplicateFinder().find(in: [folder["a"], folder[deep]])
    #expect(folder.names(result) == [["a", deep]])
    #expect(folder[deep].exists)
    #expect(!folder[deep + "x"].exists)
  }

  @Test func `a folder that ends with a slash adds none`() throws {
    let folder = try TemporaryFolder()
    try folder.write("same", to: "sub/a", "sub/b")

    let result = DuplicateFinder().find(in: [folder["sub/"]])

    #expect(folder.names(result) == [["sub/a", "sub/b"]])
  }
}
