import DuplicateFinder
import Testing

@Suite struct PathTests {
  @Test(arguments: [
    ("plain name", "plain name"), ("caf\u{E9}", "caf\u{E9}"), ("it's", "it's"),
    ("", "''"), ("a\nb", #"$'a\x0ab'"#), ("\u{1B}[31m'\\", #"$'\x1b[31m\'\\'"#),
    ("é\u{7F}\u{85}", #"$'é\x7f\xc2\x85'"#),
    ("a\u{202E}gpj.exe", #"$'a\xe2\x80\xaegpj.exe'"#), ("\u{61C}", #"$'\xd8\x9c'"#),
    ("\u{200E}\u{200F}", #"$'\xe2\x80\x8e\xe2\x80\x8f'"#),
    ("\u{2066}\u{2069}", #"$'\xe2\x81\xa6\xe2\x81\xa9'"#), ("\u{5D0}\u{5D1}", "\u{5D0}\u{5D1}"),
  ])
  func `a path is described in one line`(text: String, description: String) {
    #expect(Path(text).description == description)
    #expect(Path(text).text == text)
    #expect(Path(text).plainText == text)
  }

  @Test(
    arguments: [
      ([0x63, 0xE9], #"$'c\xe9'"#), ([0xE9, 0x63], #"$'\xe9c'"#), ([0xFF, 0xFE], #"$'\xff\xfe'"#),
      ([0xE2, 0x82, 0x63], #"$'\xe2\x82c'"#), ([0xC3, 0xA9, 0x80], #"$'é\x80'"#),
      ([0xED, 0xA0, 0x80], #"$'\xed\xa0\x80'"#), ([0x27, 0xFF], #"$'\'\xff'"#),
    ] as [([UInt8], String)])
  func `bytes that are no text are described by their numbers`(
    bytes: [UInt8], description: String
  ) {
    #expect(Path(bytes: bytes).description == description)
    #expect(Path(bytes: bytes).text == nil)
    #expect(Path(bytes: bytes).plainText == description)
    #expect(Array(Path(bytes: bytes).bytes) == bytes)
  }

  @Test func `paths are ordered by their bytes`() {
    let ordered = [Path(""), Path("A"), Path("a"), Path("a/b"), Path("ab"), Path(bytes: [0xFF])]

    #expect(ordered.reversed().sorted() == ordered)
  }

  @Test func `a path exists if something is there`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "file")

    #expect(
      ["", "file", "none", "file/none"].map { folder[$0].exists } == [true, true, false, false])
  }
}
