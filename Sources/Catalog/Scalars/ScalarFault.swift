import GQLBase

/// A kind of fault of a value that a scalar type does not take; the same at every door.
package enum ScalarFault: Sendable, Hashable {
  /// `"three"` for an Int.
  case wrongKind
  /// `9223372036854775808` for an Int, `1e400` for a Float.
  case outOfRange
  /// `"2026-13-01"` for a Date.
  case malformed
}

extension ScalarType {
  /// Returns why a text that the type does not read is none of its values.
  ///
  /// - Parameter isQuoted: Whether it stood in quotes, where numbers and truth values do not.
  package func fault(of text: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> ScalarFault {
    if isNumeric, !isQuoted {
      var scanner = JSONScanner(text)
      if let number = try? scanner.scanNumber(), number.count == text.count { return fault(of: number) }
    }
    switch self {
    case .int, .float, .boolean, .json: return .wrongKind
    case .decimal: return isQuoted ? .malformed : .wrongKind
    case .string, .id, .cursor, .dateTime, .date, .duration, .uuid, .bytes: return .malformed
    }
  }

  /// Returns why a number that the type does not read is none of its values.
  package func fault(of number: JSONNumber) -> ScalarFault {
    switch self {
    case .int:
      if let value = number.decimal { return value == value.rounded(to: 0) ? .outOfRange : .wrongKind }
      return number.isInteger || number.double?.magnitude ?? .infinity >= 0x1p63 ? .outOfRange : .wrongKind
    case .float, .decimal: return .outOfRange
    case .id, .string, .cursor, .boolean, .dateTime, .date, .duration, .uuid, .bytes, .json: return .wrongKind
    }
  }
}
