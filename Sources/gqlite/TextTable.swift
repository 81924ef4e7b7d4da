import GQLite

/// An answer of one root list as rows and columns: `--format table` and `csv`.
struct TextTable {
  private let columns: [String]
  private let rows: [[Value?]]

  /// `selected` names the columns of a list that has no rows.
  ///
  /// - Throws: ``QueryError`` if the answer is anything but one list.
  init(_ answer: Answer, selected: [String]?) throws(QueryError) {
    guard case .object(let members) = answer.value, members.count == 1, case .list(let elements) = members[0].value
    else {
      throw QueryError.needsOneList
    }
    var columns: [String] = []
    var seen: Set<String> = []
    var isBare = false
    for element in elements {
      guard case .object(let fields) = element else {
        isBare = true
        continue
      }
      for field in fields where seen.insert(field.name).inserted { columns.append(field.name) }
    }
    if elements.isEmpty { columns = selected ?? [members[0].name] }
    if isBare || columns.isEmpty {
      self.columns = [members[0].name]
      rows = elements.map { [$0] }
      return
    }
    self.columns = columns
    rows = elements.map { element in columns.map { element[$0] } }
  }

  private static func text(_ value: Value?) -> String {
    switch value {
    case nil, .null?: ""
    case .string(let text)?: text
    case let value?: value.jsonText
    }
  }

  /// Columns padded to their widest cell, with a line under the names; numbers stand to the right.
  func rendered() -> [UInt8] {
    let cells = rows.map { $0.map { Self.oneLine(Self.text($0)) } }
    var widths = columns.map(Self.width)
    for row in cells {
      for (index, cell) in row.enumerated() { widths[index] = max(widths[index], Self.width(cell)) }
    }
    let isNumeric = columns.indices.map { column in
      rows.contains { $0[column]?.double != nil }
        && rows.allSatisfy { $0[column] == nil || $0[column] == .null || $0[column]?.double != nil }
    }
    func line(_ cells: [String]) -> String {
      var parts: [String] = []
      for (index, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - Self.width(cell))
        parts.append(isNumeric[index] ? padding + cell : cell + padding)
      }
      var text = parts.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }
    var text = line(columns)
    text += widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
    for row in cells { text += line(row) }
    return Array(text.utf8)
  }

  /// Control characters would move the cursor.
  private static func oneLine(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\r": result.append(contentsOf: "\\r".unicodeScalars)
      case "\t": result.append(contentsOf: "\\t".unicodeScalars)
      default: result.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
      }
    }
    return String(result)
  }

  /// Terminal columns: wide East Asian characters and emoji take two.
  private static func width(_ text: String) -> Int {
    text.reduce(0) { sum, character in
      guard let scalar = character.unicodeScalars.first else { return sum }
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        return sum + 2
      default:
        return sum + (scalar.properties.generalCategory == .nonspacingMark ? 0 : 1)
      }
    }
  }

  /// RFC 4180: a null is an empty field, an empty text a quoted one.
  func csv() -> [UInt8] {
    var text = columns.map(Self.quoted).joined(separator: ",") + "\r\n"
    for row in rows {
      text += row.map { $0 == .string("") ? "\"\"" : Self.quoted(Self.text($0)) }.joined(separator: ",") + "\r\n"
    }
    return Array(text.utf8)
  }

  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
