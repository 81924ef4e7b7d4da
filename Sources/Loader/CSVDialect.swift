import GQLBase

/// A way in which a text separates its fields.
struct CSVDialect: Hashable {
  var separator: UInt8 = 0x2C
  /// Marks where the line of names begins.
  var start = 0

  /// In the order of preference.
  private static let separators: [UInt8] = [0x2C, 0x09, 0x3B, 0x7C]
  private static let lookedAtLines = 50
  private static let lookedAtBytes = 1 << 16

  /// Finds the separator from the first lines: the one that gives each of them as many fields as the line of names, and
  /// the most of such; else the one that is most often in the line of names.
  ///
  /// - Parameters:
  ///   - known: The separator that is said.
  ///   - usual: The one where the lines show none.
  init(_ bytes: UnsafeBufferPointer<UInt8>, separator known: UInt8? = nil, usual: UInt8 = 0x2C) {
    separator = usual
    start = TextEncoding.start(of: bytes)
    if let said = Self.said(bytes, at: start) {
      separator = said.separator
      start = said.end
      return
    }
    if let known {
      separator = known
      return
    }
    var best = (isEven: false, fields: 1)
    for candidate in Self.separators {
      let counts = Self.counts(bytes, from: start, candidate)
      guard let names = counts.first, names > 1 else { continue }
      let isEven = counts.allSatisfy { $0 == names }
      if isEven && !best.isEven || isEven == best.isEven && names > best.fields {
        best = (isEven, names)
        separator = candidate
      }
    }
  }

  /// `sep=;` as the first line, which spreadsheets write and read.
  private static func said(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> (separator: UInt8, end: Int)? {
    let word = Array("sep=".utf8)
    guard bytes.count > start + word.count, bytes[start...].starts(with: word) else { return nil }
    var end = start + word.count + 1
    guard end < bytes.count, bytes[end] == 0x0A || bytes[end] == 0x0D else { return nil }
    let separator = bytes[end - 1]
    guard separators.contains(separator) else { return nil }
    if bytes[end] == 0x0D { end += 1 }
    if end < bytes.count, bytes[end] == 0x0A { end += 1 }
    return (separator, end)
  }

  /// Returns the numbers of fields of the first lines, blank ones left out. Separators between quotes are text.
  private static func counts(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ separator: UInt8) -> [Int] {
    let end = min(bytes.count, start + lookedAtBytes)
    var counts: [Int] = []
    var fields = 1
    var isQuoted = false
    var isFieldStart = true
    var isBlank = true
    var index = start
    while index < end, counts.count < lookedAtLines {
      let byte = bytes[index]
      index += 1
      if isQuoted {
        // A doubled quote ends the quotes and begins them anew.
        if byte == 0x22 { isQuoted = false }
        continue
      }
      switch byte {
      case 0x22 where isFieldStart || bytes[index - 2] == 0x22: isQuoted = true
      case separator:
        fields += 1
        isFieldStart = true
        isBlank = false
        continue
      case 0x0A, 0x0D:
        if !isBlank { counts.append(fields) }
        (fields, isFieldStart, isBlank) = (1, true, true)
        continue
      default: break
      }
      isFieldStart = false
      isBlank = false
    }
    // A line that breaks off counts where nothing follows it.
    if !isBlank, !isQuoted, end == bytes.count, counts.count < lookedAtLines { counts.append(fields) }
    return counts
  }
}
