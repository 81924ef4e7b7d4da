import Testing

@testable import GQLBase

@Suite struct JSONScannerTests {
  private typealias Problem = JSONScanner.Problem

  private func problem(_ bytes: [UInt8]) -> JSONScanner.Failure? {
    do throws(JSONScanner.Failure) {
      _ = try JSONValue.parse(bytes)
      // Skipping must agree with reading.
      return skipping(bytes)
    } catch {
      #expect(skipping(bytes) == error)
      return error
    }
  }

  private func skipping(_ bytes: [UInt8]) -> JSONScanner.Failure? {
    bytes.withUnsafeBufferPointer { bytes in
      do throws(JSONScanner.Failure) {
        var scanner = JSONScanner(bytes)
        try scanner.skipValue()
        try scanner.finish()
        return nil
      } catch {
        return error
      }
    }
  }

  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1.5e+10", "\"\"", "\"abc\"", "[]", "{}", "[1,2,[3,{}]]",
    #"{"a":1,"b":{"c":[null,true]},"a":2}"#, #""é😀€""#, "123456789012345678901234567890",
  ])
  func compactTextComesBack(_ text: String) throws {
    #expect(try JSONValue.parse(Array(text.utf8)).json == text)
    #expect(skipping(Array(text.utf8)) == nil)
  }

  @Test func spaceAndEscapes() throws {
    let text = " \t\r\n{ \"a\\u0041\" : [ 1 , \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\\u0000\" ] } "
    let value = try JSONValue.parse(Array(text.utf8))
    #expect(
      value
        == .object([.init("aA", .array([.number("1"), .string(Text("\"\\/\u{8}\u{C}\n\r\té😀\0"))]))]))
    #expect(value["aA"] != nil)
    #expect(value["b"] == nil)
    #expect(JSONValue.null["a"] == nil)
    #expect(value.json == "{\"aA\":[1,\"\\\"\\\\/\\b\\f\\n\\r\\té😀\\u0000\"]}")
  }

  @Test(
    arguments: [
      ("", 0, .unexpectedEnd), ("  ", 2, .unexpectedEnd), ("nul", 0, .expectedNull), ("tru", 0, .expectedBoolean),
      ("nullx", 4, .trailingContent), ("[1,]", 3, .expectedValue), ("[,1]", 1, .expectedValue),
      ("[1 2]", 3, .expectedCommaOrBracket), ("[1", 2, .unexpectedEnd), ("{\"a\" 1}", 5, .expectedColon),
      ("{\"a\":1,}", 7, .expectedKey), ("{a:1}", 1, .expectedKey), ("{\"a\":1 \"b\":2}", 7, .expectedCommaOrBrace),
      ("{\"a\"", 4, .unexpectedEnd), ("{\"a\":}", 5, .expectedValue), ("'a'", 0, .expectedValue),
      ("01", 0, .invalidNumber), ("-", 1, .unexpectedEnd), ("-a", 0, .invalidNumber), ("1.", 2, .unexpectedEnd),
      ("1.a", 0, .invalidNumber), ("1e", 2, .unexpectedEnd), ("1e+x", 0, .invalidNumber), (".5", 0, .expectedValue),
      ("+1", 0, .expectedValue), ("NaN", 0, .expectedValue), ("-Infinity", 0, .invalidNumber),
      ("1 1", 2, .trailingContent),
      ("\"a", 2, .unexpectedEnd), ("\"\\", 2, .unexpectedEnd), ("\"\\x\"", 1, .invalidEscape),
      ("\"\\u12\"", 6, .unexpectedEnd), ("\"\\u12G4\"", 1, .invalidEscape), ("\"\\uD800\"", 1, .invalidSurrogate),
      ("\"\\uDC00\\uD800\"", 1, .invalidSurrogate), ("\"\\uD800\\u0041\"", 1, .invalidSurrogate),
      ("\"a\nb\"", 2, .controlCharacter), ("\"abcdefghij\u{1}\"", 11, .controlCharacter), ("]", 0, .expectedValue),
      ("//a\n1", 0, .expectedValue),
    ] as [(String, Int, JSONScanner.Problem)])
  func refused(_ text: String, _ offset: Int, _ expected: JSONScanner.Problem) {
    #expect(problem(Array(text.utf8)) == JSONScanner.Failure(offset: offset, problem: expected))
    #expect(!expected.message.isEmpty)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xFF], [0xF0, 0x9F, 0x98], [0xC3, 0x28],
    ] as [[UInt8]])
  func illFormedUTF8(_ bytes: [UInt8]) {
    for lead in [0, 3, 8, 11] {
      let text = [UInt8](repeating: 0x61, count: lead) + bytes
      #expect(problem([0x22] + text + [0x22]) == .init(offset: 1 + lead, problem: .invalidUTF8))
      #expect(text.withUnsafeBufferPointer(UTF8Validation.firstError) == lead)
    }
  }

  @Test func everyScalarIsWellFormed() {
    var buffer = ByteBuffer(capacity: 5_000_000)
    for value in UInt32(0)...0x10FFFF where !(0xD800...0xDFFF).contains(value) { buffer.append(scalar: value) }
    let bytes = buffer.takeArray()
    #expect(bytes.withUnsafeBufferPointer(UTF8Validation.firstError) == nil)
    #expect(String(decoding: bytes, as: UTF8.self).unicodeScalars.count == 0x110000 - 0x800)
  }

  @Test func integers() throws {
    func int(_ text: String) throws -> Int64? {
      try Array(text.utf8).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        return try scanner.scanNumber().int64
      }
    }
    #expect(try int("9223372036854775807") == .max)
    #expect(try int("9223372036854775808") == nil)
    #expect(try int("-9223372036854775808") == .min)
    #expect(try int("-9223372036854775809") == nil)
    #expect(try int("18446744073709551616") == nil)
    #expect(try int("99999999999999999999") == nil)
    #expect(try int("1.0") == nil)
    #expect(try int("1e2") == nil)
    #expect(try int("-0") == 0)
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("123456789012345678", 123_456_789_012_345_678.0),
      ("-2.5e-3", -2.5e-3),
      ("1e-400", 0), ("0.30000000000000004", 0.30000000000000004),
      ("179769313486231570000e288", 1.7976931348623157e308),
      ("4.9e-324", .leastNonzeroMagnitude), ("9007199254740993", 9_007_199_254_740_992),
      ("0.000000000000000000000000000001", 1e-30),
      ("1" + String(repeating: "0", count: 300) + "e-300", 1),
    ] as [(String, Double)])
  func doubles(_ text: String, _ expected: Double) throws {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      let number = try scanner.scanNumber()
      #expect(number.double == expected)
    }
  }

  @Test func doublesBeyondTheLargest() {
    for text in ["1e400", "-1e400", "1e99999999999999999999", "", "-", "1.", "e5", "1e", "abc", "1 "] {
      #expect(Array(text.utf8).withUnsafeBufferPointer(FloatParsing.parse) == nil, "\(text)")
    }
  }

  @Test func pulling() throws {
    let text =
      #"{"id": 7, "na\u006De": "B\tob", "tags": ["x", "y"], "skip": {"a": [1, {"b": "\n"}]}, "on": true, "no": null}"#
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      var scratch = ByteBuffer()
      var keys: [String] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch) {
        keys.append(key.string)
        switch key.text {
        case "id":
          let number = try scanner.scanNumber()
          #expect(number.int64 == 7)
        case "name":
          #expect(key.isDecoded && key.isClean)
          #expect(scanner.peek() == .string)
          let value = try scanner.scanString(&scratch)
          #expect(value.string == "B\tob" && value.isDecoded && !value.isClean)
        case "tags":
          var tags: [String] = []
          try scanner.beginArray()
          while try scanner.nextElement() {
            let tag = try scanner.scanString(&scratch)
            #expect(tag.isClean && !tag.isDecoded)
            tags.append(tag.string)
          }
          #expect(tags == ["x", "y"])
        case "on":
          let isOn = try scanner.scanBool()
          #expect(isOn)
        case "no": try scanner.scanNull()
        default: try scanner.skipValue()
        }
      }
      try scanner.finish()
      #expect(keys == ["id", "name", "tags", "skip", "on", "no"])
      #expect(scanner.peek() == .end)
    }
  }

  @Test func mismatches() throws {
    func failure(_ text: String, _ body: (inout JSONScanner) throws(JSONScanner.Failure) -> Void) -> Problem? {
      Array(text.utf8).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        do throws(JSONScanner.Failure) {
          try body(&scanner)
          return nil
        } catch {
          return error.problem
        }
      }
    }
    #expect(failure("[") { scanner throws(JSONScanner.Failure) in try scanner.beginObject() } == .expectedObject)
    #expect(failure("{") { scanner throws(JSONScanner.Failure) in try scanner.beginArray() } == .expectedArray)
    #expect(failure("1") { scanner throws(JSONScanner.Failure) in try scanner.skipString() } == .expectedString)
    #expect(failure("x") { scanner throws(JSONScanner.Failure) in _ = try scanner.scanNumber() } == .expectedNumber)
    #expect(failure("") { scanner throws(JSONScanner.Failure) in _ = try scanner.scanBool() } == .unexpectedEnd)
  }

  @Test func depth() {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
    }
    #expect(problem(nested(512)) == nil)
    #expect(problem(nested(513)) == .init(offset: 512, problem: .tooDeep))
    #expect(problem([UInt8](repeating: 0x5B, count: 100_000)) == .init(offset: 512, problem: .tooDeep))
    let objects = Array(String(repeating: #"{"a":"#, count: 600).utf8)
    #expect(problem(objects) == .init(offset: 512 * 5, problem: .tooDeep))
  }

  /// Any cut and any changed byte gives a value or a failure inside the input, never a trap.
  @Test func damagedInput() {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n😀",true,null],"b":{"c":"\uD83D\uDE00"}}"#.utf8)
    for end in 0..<text.count {
      #expect((problem(Array(text[..<end]))?.offset ?? -1) >= 0)
    }
    for place in text.indices {
      for byte: UInt8 in [0, 0x22, 0x2C, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xFF, 0x30, 0x65] {
        var damaged = text
        damaged[place] = byte
        if let failure = problem(damaged) { #expect((0...text.count).contains(failure.offset)) }
      }
    }
  }

  @Test("a key is passed where it is written as expected, and read as before where not", arguments: 0...30)
  func expectedKeys(_ length: Int) throws {
    let name = String("abcdefghijklmnopqrstuvwxyz0123456".prefix(length))
    let key = WrittenKey(Text(name))
    let names = [name, name + "x", String(name.dropLast()), String(name.dropLast()) + "é", "x" + name.dropFirst(), ""]
    var passed = 0
    for other in names {
      for text in [
        "{\"\(other)\":1}", "{ \"\(other)\":1}", "{\"a\":0,\"\(other)\":1}", "{\"a\":0 ,\n \"\(other)\":1}",
        "{\"\(other)\"",
        "{\"\(other)", "{\"a\":0,\"\(other)\" :1}", "{\"a\":0\"\(other)\":1}", "{\"a\":0,}", "{}",
      ] {
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
          var scanner = JSONScanner(bytes)
          var scratch = ByteBuffer(capacity: 16)
          try scanner.beginObject()
          if text.contains("\"a\":0") {
            let first = try scanner.nextKey(&scratch)?.string
            #expect(first == "a")
            try scanner.skipValue()
          }
          var usual = scanner
          let isPassed = scanner.passKey(key)
          if isPassed {
            passed += 1
            #expect(other == name && text.contains("\"\(name)\":"))
            let read = try usual.nextKey(&scratch)?.string
            #expect(read == name)
            #expect(usual.position == scanner.position)
            try scanner.skipValue()
            let end = try scanner.nextKey(&scratch)?.string
            #expect(end == nil)
          } else {
            // Both fail at one place, or read one key.
            let expected = Result { try usual.nextKey(&scratch)?.string }
            let found = Result { try scanner.nextKey(&scratch)?.string }
            #expect(String(describing: found) == String(describing: expected))
            #expect(scanner.position == usual.position)
          }
        }
      }
    }
    #expect((1...21).contains(length) ? passed >= 4 : passed == 0)
  }

  @Test("a name that needs an escape is not expected") func escapedNames() throws {
    for name in ["a\"b", "a\\b", "a\nb"] {
      try Array("{\"\(name)\":1}".utf8).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        let isPassed = scanner.passKey(WrittenKey(Text(name)))
        #expect(!isPassed)
      }
    }
  }
}
