import Testing

@testable import GQLBase

@Suite struct ByteBufferTests {
  private func written(_ write: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 0)
    write(&buffer)
    return buffer.string
  }

  @Test func integers() {
    var values: [Int64] = [0, 1, -1, 9, 10, 99, 100, .max, .min, .min + 1, 99_999_999, 100_000_000]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power, power - 1, power + 1, -power, 1 - power, power * 5 / 3]
    }
    for value in values { #expect(written { $0.append(int: value) } == String(value)) }
    for value in [UInt64.max, 1 << 63, 0, 10_000_000_000_000_000, 9_999_999_999_999_999] {
      #expect(written { $0.append(uint: value) } == String(value))
    }
    for value: UInt128 in [0, .max, UInt128(UInt64.max) + 1, 10_000_000_000_000_000_000_000_000_000_000_000] {
      #expect(written { $0.append(uint128: value) } == String(value))
    }
  }

  @Test func bytesOfEveryLength() {
    let source = (0..<80).map { UInt8($0 + 0x20) }
    for count in 0...80 {
      for lead in [0, 1, 7] {
        let result = written { buffer in
          for _ in 0..<lead { buffer.append(0x2E) }
          source.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            buffer.append(start, count)
          }
        }
        #expect(Array(result.utf8) == Array(repeating: 0x2E, count: lead) + source[..<count])
      }
      if count <= 64 {
        let padded = written { buffer in
          source.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            buffer.append(padded: start, count)
          }
        }
        #expect(Array(padded.utf8) == Array(source[..<count]))
      }
    }
  }

  /// Byte by byte, by the rule itself.
  private func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x22]
    for byte in bytes {
      switch byte {
      case 0x22: result += Array("\\\"".utf8)
      case 0x5C: result += Array("\\\\".utf8)
      case 0x0A: result += Array("\\n".utf8)
      case 0x0D: result += Array("\\r".utf8)
      case 0x09: result += Array("\\t".utf8)
      case 0x08: result += Array("\\b".utf8)
      case 0x0C: result += Array("\\f".utf8)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        result += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
      default: result.append(byte)
      }
    }
    return result + [0x22]
  }

  @Test func textsWithEveryByteAtEveryPlace() {
    for count in 0...26 {
      for place in 0..<max(count, 1) {
        for byte in UInt8.min...UInt8.max {
          var source = [UInt8](repeating: 0x61, count: count)
          if count > 0 { source[place] = byte }
          var buffer = ByteBuffer(capacity: 0)
          source.withUnsafeBytes { bytes in
            let start = bytes.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
            buffer.append(json: start, count)
          }
          let result = buffer.takeArray()
          if result != quoted(source) { Issue.record("\(count) \(place) \(byte): \(result)") }
        }
      }
    }
  }

  @Test func manyEscapes() {
    let source = (0..<400).map { UInt8($0 % 130) }
    var buffer = ByteBuffer(capacity: 0)
    buffer.append(json: Text(source))
    #expect(buffer.takeArray() == quoted(source))
    #expect(written { $0.append(json: "é \"\u{1F600}\"\u{7F}") } == "\"é \\\"\u{1F600}\\\"\u{7F}\"")
    #expect(written { $0.append(json: Text()) } == "\"\"")
  }

  @Test func doubles() throws {
    for line in shortestDoubleCases.split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      let value = Double(bitPattern: try #require(UInt64(parts[0], radix: 16)))
      #expect(written { $0.append(double: value) } == parts[1])
      let parsed = Array(parts[1].utf8).withUnsafeBufferPointer(FloatParsing.parse)
      #expect(parsed == value)
    }
    #expect(written { $0.append(double: -0.0) } == "-0")
    #expect(written { $0.append(double: .nan) } == "null")
  }

  @Test func bookkeeping() {
    var buffer = ByteBuffer(capacity: 1)
    for index in 0..<1000 { buffer.append(UInt8(truncatingIfNeeded: index)) }
    let count = buffer.count
    #expect(count == 1000)
    buffer.truncate(to: 3)
    buffer.truncate(to: 10)
    #expect(buffer.withUnsafeBytes { Array($0) } == [0, 1, 2])
    #expect(buffer.takeArray() == [0, 1, 2])
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    buffer.append("ab")
    buffer.append(scalar: 0x1F600)
    buffer.append(scalar: 0xE9)
    buffer.append(scalar: 0x20AC)
    let text = buffer.string
    #expect(text == "ab😀é€")
    buffer.removeAll()
    let rest = buffer.string
    #expect(rest.isEmpty)
  }

  @Test func textOrder() {
    #expect(Text("a") < Text("ab"))
    #expect(Text("Z") < Text("a"))
    #expect(Text("\u{FFFD}") < Text("\u{1F600}"))
    // Canonically equivalent, yet different bytes.
    #expect(Text("é") != Text("e\u{301}"))
    #expect(Text("") < Text("a"))
    #expect(!(Text("") < Text("")))
    let literal: Text = "x"
    #expect(literal == Text("x") && literal.hashValue == Text("x").hashValue)
    #expect(Text("ab").string == "ab")
  }
}
