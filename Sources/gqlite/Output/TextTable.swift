import GQLBase

/// A table for people: columns as wide as their widest cells, numbers to the right.
///
/// On a terminal a row fits a line: wide columns are cut, and columns without any room are left off. Elsewhere nothing
/// is cut.
struct TextTable {
  private let table: AnswerTable
  private let hasFrame: Bool
  private let isNumeric: [Bool]
  /// Of the columns that are shown.
  private var widths: [Int]
  /// Whether there are columns without room, for which `…` stands.
  private var isCut = false

  /// A column this wide still is of use to a reader.
  private static let narrow = 6
  /// Spaces that a cell is filled up with; a longer cell moves what follows it.
  private static let maximumPadding = 1 << 12

  init(_ table: AnswerTable, _ reader: AnswerReader, hasFrame: Bool) throws(JSONScanner.Failure) {
    self.table = table
    self.hasFrame = hasFrame
    isNumeric = try table.numericColumns(reader)
    var widths = table.columns.map { DisplayText($0.name).width }
    try table.forEachRow(reader) { (row) throws(JSONScanner.Failure) in
      for index in row.indices {
        widths[index] = max(widths[index], try DisplayText(row[index], reader).width)
      }
    }
    self.widths = widths
    if let room = Terminal.standardOutput.columns { fit(room) }
  }

  /// The columns that a number of cells takes beside their texts.
  private func overhead(_ cells: Int) -> Int { hasFrame ? 3 * cells + 1 : 2 * (cells - 1) }

  /// Makes rows as wide as a terminal at most.
  private mutating func fit(_ room: Int) {
    func least(_ count: Int) -> Int {
      let isCut = count < widths.count
      return widths[..<count].reduce(0) { $0 + min($1, Self.narrow) } + overhead(isCut ? count + 1 : count)
        + (isCut ? 1 : 0)
    }
    var count = widths.count
    while count > 1, least(count) > room { count -= 1 }
    isCut = count < widths.count
    widths.removeSubrange(count...)
    var rest = max(1, room - overhead(isCut ? count + 1 : count) - (isCut ? 1 : 0))
    // The narrow ones get what they need; the others share what is left.
    var isOpen = widths.map { _ in true }
    var remaining = count
    var share = rest / max(remaining, 1)
    while remaining > 0 {
      share = rest / remaining
      let settled = widths.indices.filter { isOpen[$0] && widths[$0] <= share }
      if settled.isEmpty { break }
      for index in settled {
        isOpen[index] = false
        remaining -= 1
        rest -= widths[index]
      }
    }
    var extra = remaining > 0 ? rest - share * remaining : 0
    for index in widths.indices where isOpen[index] {
      widths[index] = max(1, share + (extra > 0 ? 1 : 0))
      extra -= 1
    }
  }

  func write(_ reader: AnswerReader) throws(JSONScanner.Failure) {
    let output = Terminal.standardOutput
    if let title = table.title { output.write(DisplayText(title).text + "\n") }
    if hasFrame { output.write(rule("┌", "┬", "┐")) }
    output.write(line(table.columns.prefix(widths.count).map { DisplayText($0.name) }))
    output.write(hasFrame ? rule("├", "┼", "┤") : rule("", "  ", ""))
    try table.forEachRow(reader) { (row) throws(JSONScanner.Failure) in
      var cells: [DisplayText] = []
      for cell in row.prefix(widths.count) { cells.append(try DisplayText(cell, reader)) }
      output.write(line(cells))
    }
    if hasFrame { output.write(rule("└", "┴", "┘")) }
  }

  private func rule(_ start: String, _ middle: String, _ end: String) -> String {
    let margin = hasFrame ? 2 : 0
    let parts = (widths + (isCut ? [1] : [])).map {
      String(repeating: "─", count: min($0, Self.maximumPadding) + margin)
    }
    return start + parts.joined(separator: middle) + end + "\n"
  }

  private func line(_ cells: [DisplayText]) -> String {
    var text = hasFrame ? "│ " : ""
    let last = isCut ? cells.count : cells.count - 1
    for (index, cell) in cells.enumerated() {
      let cell = cell.cut(to: widths[index])
      let count = min(widths[index], Self.maximumPadding) - cell.width
      let padding = String(repeating: " ", count: max(count, 0))
      if isNumeric[index] {
        text += padding + cell.text
      } else {
        text += cell.text
        if hasFrame || index < last { text += padding }
      }
      if index < last { text += hasFrame ? " │ " : "  " }
    }
    if isCut { text += "…" }
    if hasFrame { return text + " │\n" }
    while text.last == " " { text.removeLast() }
    return text + "\n"
  }
}

/// A text as a terminal can show it on one line, and the columns that it takes there.
struct DisplayText {
  private(set) var text: String
  private(set) var width: Int

  init(_ text: String) {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      self.text = text
      width = text.utf8.count
      return
    }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": shown.append(contentsOf: "\\n".unicodeScalars)
      case "\r": shown.append(contentsOf: "\\r".unicodeScalars)
      case "\t": shown.append(contentsOf: "\\t".unicodeScalars)
      default: shown.append(DisplayWidth.isUnprintable(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    self.text = String(shown)
    width = DisplayWidth.columns(self.text)
  }

  init(_ cell: AnswerReader.Cell, _ reader: AnswerReader) throws(JSONScanner.Failure) {
    switch cell.kind {
    case .missing, .null: self.init("")
    case .text, .number, .boolean, .list, .object:
      self.init(try reader.withText(of: cell) { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// Leaves off the end, where the text needs more columns than there are.
  func cut(to columns: Int) -> DisplayText {
    guard width > columns else { return self }
    var result = self
    result.text = ""
    result.width = 1
    for character in text {
      let next = DisplayWidth.columns(character)
      if result.width + next > columns { break }
      result.text.append(character)
      result.width += next
    }
    result.text.append("…")
    return result
  }
}
