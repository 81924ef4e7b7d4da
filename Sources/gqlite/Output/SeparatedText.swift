import GQLBase

/// Tables whose cells need no room of their own: a row is a line, written as it is read.
struct SeparatedText {
  enum Kind { case csv, tsv, markdown }
  private let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  func write(_ table: AnswerTable, _ reader: AnswerReader) throws(JSONScanner.Failure) {
    var line: [UInt8] = []
    if let title = table.title { appendTitle(title, to: &line) }
    appendRow(table.columns.count, to: &line) { index, line in
      append(text: Array(table.columns[index].name.utf8), to: &line)
    }
    if kind == .markdown {
      let isNumeric = try table.numericColumns(reader)
      line += Array("|".utf8)
      for column in isNumeric { line += Array((column ? " ---: |" : " --- |").utf8) }
      line.append(0x0A)
    }
    Terminal.standardOutput.write(line)
    try table.forEachRow(reader) { (row) throws(JSONScanner.Failure) in
      line.removeAll(keepingCapacity: true)
      var failure: JSONScanner.Failure?
      appendRow(row.count, to: &line) { index, line in
        do throws(JSONScanner.Failure) {
          try append(row[index], reader, to: &line)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      Terminal.standardOutput.write(line)
    }
  }

  private func appendTitle(_ title: String, to line: inout [UInt8]) {
    switch kind {
    case .csv, .tsv: append(text: Array(title.utf8), to: &line)
    case .markdown:
      line += Array("## ".utf8)
      append(text: Array(title.utf8), to: &line)
      line.append(0x0A)
    }
    appendLineEnd(to: &line)
  }

  private func appendRow(_ count: Int, to line: inout [UInt8], _ cell: (Int, inout [UInt8]) -> Void) {
    if kind == .markdown { line += Array("| ".utf8) }
    for index in 0..<count {
      if index > 0 {
        switch kind {
        case .csv: line.append(UInt8(ascii: ","))
        case .tsv: line.append(0x09)
        case .markdown: line += Array(" | ".utf8)
        }
      }
      cell(index, &line)
    }
    if kind == .markdown { line += Array(" |".utf8) }
    appendLineEnd(to: &line)
  }

  private func appendLineEnd(to line: inout [UInt8]) {
    if kind == .csv { line.append(0x0D) }
    line.append(0x0A)
  }

  private func append(
    _ cell: AnswerReader.Cell, _ reader: AnswerReader, to line: inout [UInt8]
  ) throws(JSONScanner.Failure) {
    switch cell.kind {
    case .missing, .null: break
    case .text, .number, .boolean, .list, .object:
      try reader.withText(of: cell) { text in
        // RFC 4180 has no null: it is an empty field here, and an empty text a quoted one.
        if text.isEmpty, kind != .markdown { line += [UInt8](repeating: UInt8(ascii: "\""), count: 2) }
        append(text: text, to: &line)
      }
    }
  }

  private func append(text: some Sequence<UInt8>, to line: inout [UInt8]) {
    switch kind {
    case .csv: Self.appendQuoted(text, separator: UInt8(ascii: ","), to: &line)
    case .tsv: Self.appendQuoted(text, separator: 0x09, to: &line)
    case .markdown: Self.appendMarkdown(text, to: &line)
    }
  }

  /// As RFC 4180 quotes fields.
  private static func appendQuoted(_ text: some Sequence<UInt8>, separator: UInt8, to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    guard text.contains(where: { $0 == quote || $0 == separator || $0 == 0x0A || $0 == 0x0D }) else {
      line.append(contentsOf: text)
      return
    }
    line.append(quote)
    for byte in text {
      line.append(byte)
      if byte == quote { line.append(quote) }
    }
    line.append(quote)
  }

  /// Escapes what would end a cell or begin a tag; a line break is `<br>`.
  private static func appendMarkdown(_ text: some Sequence<UInt8>, to line: inout [UInt8]) {
    var isAfterReturn = false
    for byte in text {
      switch byte {
      case 0x0D: line += Array("<br>".utf8)
      case 0x0A: if !isAfterReturn { line += Array("<br>".utf8) }
      case 0..<0x20, 0x7F: line.append(0x20)
      case UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "<"): line += [UInt8(ascii: "\\"), byte]
      default: line.append(byte)
      }
      isAfterReturn = byte == 0x0D
    }
  }
}

extension AnswerTable {
  /// Finds the columns whose values are all numbers or null, and not all null.
  func numericColumns(_ reader: AnswerReader) throws(JSONScanner.Failure) -> [Bool] {
    var hasNumber = columns.map { _ in false }
    var hasOther = hasNumber
    try forEachRow(reader) { (row) throws(JSONScanner.Failure) in
      for index in row.indices {
        switch row[index].kind {
        case .number: hasNumber[index] = true
        case .missing, .null: break
        case .text, .boolean, .list, .object: hasOther[index] = true
        }
      }
    }
    return columns.indices.map { hasNumber[$0] && !hasOther[$0] }
  }
}
