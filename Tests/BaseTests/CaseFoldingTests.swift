import Testing

@testable import GQLBase

@Suite struct CaseFoldingTests {
  @Test(arguments: [
    ("", ""), ("Hello, WORLD 1", "hello, world 1"), ("Straße", "strasse"), ("STRAẞE", "strasse"), ("ΣΑΣσς", "σασσσ"),
    ("İ", "i\u{307}"), ("I", "i"), ("ı", "ı"), ("\u{212A}elvin", "kelvin"), ("\u{212B}", "å"), ("ﬃ", "ffi"),
    ("ǅ", "ǆ"), ("\u{AB70}", "\u{13A0}"), ("\u{13F8}", "\u{13F0}"), ("\u{10400}", "\u{10428}"),
    ("ÀÉÎ", "àéî"), ("ЖЩЯЁ", "жщяё"), ("Ā\u{100}ā", "ā\u{101}ā"), ("ΐ", "ι\u{308}\u{301}"), ("ᾳ", "αι"), ("日本😀", "日本😀"),
    ("µ", "μ"), ("ſ", "s"), ("Ÿ", "ÿ"), ("\u{1E9E}", "ss"), ("@[`{", "@[`{"),
  ])
  func folding(_ text: String, _ expected: String) {
    #expect(CaseFolding.fold(Text(text)) == Text(expected))
  }

  @Test func asciiAtEveryPlace() {
    for byte in UInt8(0)..<0x80 {
      for place in 0..<11 {
        var text = [UInt8](repeating: 0x7A, count: 11)
        text[place] = byte
        var expected = text
        if (0x41...0x5A).contains(byte) { expected[place] = byte + 0x20 }
        if CaseFolding.fold(Text(text)) != Text(expected) { Issue.record("\(byte) at \(place)") }
      }
    }
  }

  @Test func illFormedBytesStay() {
    #expect(CaseFolding.fold(Text([0x41, 0xFF, 0xC3, 0x42])) == Text([0x61, 0xFF, 0xC3, 0x62]))
  }

  /// Folding is a projection, and joins each letter with its simple lower and upper case where those are mutual.
  @Test func everyScalar() {
    var changed = 0
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = Text(String(scalar))
      let folded = CaseFolding.fold(text)
      if folded != text { changed += 1 }
      if CaseFolding.fold(folded) != folded { Issue.record("\(value) does not fold to a fixed point") }
      let isFolded = text.bytes.withUnsafeBufferPointer(CaseFolding.isFolded)
      if isFolded != (folded == text) { Issue.record("\(value)") }
      let lower = scalar.properties.lowercaseMapping
      if folded != text, lower != String(scalar), value != 0x130, scalar.properties.isUppercase,
        CaseFolding.fold(Text(lower)) != folded
      {
        Issue.record("\(value) folds apart from its lower case")
      }
    }
    // Statuses C and F of Unicode 14: 1400 + 26 of ASCII, and 104.
    #expect(changed == 1530)
    #expect(CaseFolding.unicodeVersion == "14.0.0")
  }
}
