import GQLBase

/// A mapping to lower case of texts with a Greek capital sigma: at the end of a word it becomes `ς`, elsewhere `σ`.
///
/// The rule is Final_Sigma of the Unicode Standard, section 3.13: a cased letter stands before it and none behind, where
/// case-ignorable code points between do not count. Parts of one text are mapped one after the other.
struct FinalSigma {
  private static let capital: Unicode.Scalar = "\u{3A3}"

  /// Whether the last code point that is not case-ignorable is cased.
  private var followsCased = false
  /// Where a small sigma stands in the result that is final unless a cased code point follows.
  private var pending: Int?

  /// Returns whether a text has a capital sigma: whether it needs this mapping.
  static func isNeeded(for bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let sigma: (UInt8, UInt8) = (0xCE, 0xA3)
    return withUnsafeBytes(of: sigma) { ByteSearch.contains(UnsafeRawBufferPointer(bytes), $0) }
  }

  /// Appends the lower-case form of a part of the text.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    result.reserveCapacity(result.count + bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let properties = scalar.properties
      if properties.isCased {
        pending = scalar == Self.capital && followsCased ? result.count : nil
        followsCased = true
      } else if !properties.isCaseIgnorable {
        end(in: &result)
        followsCased = false
      }
      result.append(contentsOf: properties.lowercaseMapping.utf8)
    }
  }

  /// Ends the word, and with it the text: a sigma that waits is final.
  mutating func end(in result: inout [UInt8]) {
    guard let place = pending else { return }
    // Both sigmas have two bytes: CF 83 and CF 82.
    result[place + 1] = 0x82
    pending = nil
  }
}
