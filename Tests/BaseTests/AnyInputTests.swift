import Testing

@testable import GQLBase

/// Readers of text from outside give a value or nil for any bytes, and what they give can be printed and read again.
@Suite struct AnyInputTests {
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
      return bits ^ bits >> 31
    }
  }

  private func printed(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer()
    write(&buffer)
    return buffer.takeArray()
  }

  @Test func randomTexts() {
    let seed: UInt64 = 20_260_102
    var random = SplitMix(state: seed)
    let alphabet = Array("0123456789999+-.eETZPDHMSW:-- =/aF\u{7F}\u{FF}".utf8)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      // A likely beginning now and then, so that more is accepted.
      if Bool.random(using: &random) {
        bytes =
          Array(["P1DT", "2024-02-", "2024-02-28T1", "-0.00", "PT"].randomElement(using: &random) ?? "").map {
            $0.asciiValue ?? 0
          } + bytes
      }
      bytes.withUnsafeBufferPointer { text in
        if let value = Decimal(parsing: text) {
          accepted += 1
          let again = printed { $0.append(decimal: value) }.withUnsafeBufferPointer { Decimal(parsing: $0) }
          #expect(again == value && again?.scale == value.scale, "seed \(seed): \(bytes)")
        }
        if let value = CivilTime.parseDuration(text) {
          accepted += 1
          let back = printed { $0.append(duration: value) }.dropFirst().dropLast()
          #expect(Array(back).withUnsafeBufferPointer(CivilTime.parseDuration) == value, "seed \(seed): \(bytes)")
        }
        if let value = CivilTime.parseDateTime(text) {
          accepted += 1
          let back = printed { $0.append(dateTime: value) }.dropFirst().dropLast()
          #expect(Array(back).withUnsafeBufferPointer(CivilTime.parseDateTime) == value, "seed \(seed): \(bytes)")
        }
        if let value = CivilTime.parseDate(text) {
          accepted += 1
          let back = printed { $0.append(date: value) }.dropFirst().dropLast()
          #expect(Array(back).withUnsafeBufferPointer(CivilTime.parseDate) == value, "seed \(seed): \(bytes)")
        }
        if let value = FloatParsing.parse(text) {
          accepted += 1
          let again = printed { $0.append(double: value) }.withUnsafeBufferPointer(FloatParsing.parse)
          #expect(again == value, "seed \(seed): \(bytes)")
        }
        if let value = Base64.decode(text) {
          let back = printed { buffer in value.withUnsafeBytes { buffer.append(base64: $0) } }.dropFirst().dropLast()
          #expect(Array(back) == bytes, "seed \(seed)")
        }
        _ = UUIDText.normalize(text)
        var folded: [UInt8] = []
        CaseFolding.fold(text, into: &folded)
      }
    }
    #expect(accepted > 500)
  }

  @Test func randomDoubles() {
    var random = SplitMix(state: 3)
    for _ in 0..<20_000 {
      // Both wild ones and such with few digits.
      let wild = Double(bitPattern: random.next())
      let tame =
        Double(Int64.random(in: -10_000_000...10_000_000, using: &random))
        / [1, 10, 100, 1000, 10_000, 7][
          Int.random(in: 0..<6, using: &random)]
      for value in [wild, tame] where value.isFinite {
        let text = printed { $0.append(double: value) }
        let digits = text.filter { (0x30...0x39).contains($0) }.count
        if text.withUnsafeBufferPointer(FloatParsing.parse) != value { Issue.record("\(value)") }
        if value.magnitude < 1e16, value.magnitude > 1e-3 {
          // As short as what the standard library finds.
          let library = value.description.utf8.filter { (0x30...0x39).contains($0) }.count
          if digits > library { Issue.record("\(value) has \(digits) digits") }
        }
      }
    }
  }
}
