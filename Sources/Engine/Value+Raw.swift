import GQLBase
import GQLCatalog
import GQLQuery

extension Value {
  /// The value for whoever decides by its position what it is, numbers with their digits; nil if the caller does not
  /// wait any longer.
  func raw(_ interruption: Interruption? = nil) -> RawValue? {
    var reader = RawValueReader(interruption: interruption)
    let raw = reader.raw(self)
    return reader.isDue ? nil : raw
  }
}

/// Makes a value that may have a million parts raw.
private struct RawValueReader {
  let interruption: Interruption?
  private(set) var isDue = false
  private var parts = 0

  init(interruption: Interruption?) { self.interruption = interruption }

  mutating func raw(_ value: Value) -> RawValue {
    parts &+= 1
    if parts & 0xFFF == 0, interruption?.diagnostic(at: SourceRange(at: 0)) != nil { isDue = true }
    if isDue { return .null }
    switch value {
    case .null: return .null
    case .bool(let value): return .boolean(value)
    case .int(let number): return .integer(String(number))
    case .double(let number): return number.isFinite ? .real(Value.printed(number)) : .typed(.float(number))
    case .number(let digits): return number(digits)
    case .string(let text): return .text(Text(text))
    case .list(let elements):
      var raws: [RawValue] = []
      raws.reserveCapacity(elements.count)
      for element in elements { raws.append(raw(element)) }
      return .list(raws)
    case .object(let members):
      return .object(members.map { RawValue.Member(name: $0.name, value: raw($0.value)) })
    }
  }

  private func number(_ digits: String) -> RawValue {
    let isInteger = !digits.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
    // A program may put anything there.
    guard Value.isNumber(digits) else { return .text(Text(digits)) }
    return isInteger ? .integer(digits) : .real(digits)
  }
}

extension Value {
  /// Whether the text is a number as JSON writes it.
  fileprivate static func isNumber(_ digits: String) -> Bool {
    Array(digits.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      do throws(JSONScanner.Failure) {
        guard scanner.peek() == .number else { return false }
        _ = try scanner.scanNumber()
        try scanner.finish()
        return true
      } catch {
        return false
      }
    }
  }
}
