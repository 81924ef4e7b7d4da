/// Prints diagnostics of one text, for people and as JSON.
package struct DiagnosticRenderer: Sendable {
  package var source: SourceText
  /// Tells whether terminal colors are written.
  package var usesColor: Bool
  /// How many columns of a source line are shown; longer lines are cut around the range.
  package var maximumWidth: Int

  package init(_ source: SourceText, usesColor: Bool = false, maximumWidth: Int = 100) {
    self.source = source
    self.usesColor = usesColor
    self.maximumWidth = max(maximumWidth, 40)
  }

  // MARK: - Text

  /// The diagnostics in their order, an empty line between them, a line feed at the end.
  package func text(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map { text($0) }.joined(separator: "\n")
  }

  /// One diagnostic, its place in the source, and its notes; ends with a line feed.
  package func text(_ diagnostic: Diagnostic) -> String {
    let ranges = [diagnostic.range] + diagnostic.notes.compactMap { $0.range }
    let gutter = ranges.map { digitCount(source.position(at: $0.start).line) }.max() ?? 1
    let tint: Style =
      switch diagnostic.severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    let head = styled("\(diagnostic.severity.rawValue)[\(diagnostic.code)]", tint)
    var result = head + styled(": " + printable(diagnostic.message), .strong) + "\n"
    appendPlace(diagnostic.range, help: diagnostic.help, tint: tint, gutter: gutter, to: &result)
    for note in diagnostic.notes {
      guard let range = note.range else {
        result += String(repeating: " ", count: gutter + 1) + styled(" = ", .frame) + styled("note", .note)
        result += ": " + printable(note.message) + "\n"
        continue
      }
      result += styled("note", .note) + ": " + printable(note.message) + "\n"
      appendPlace(range, help: nil, tint: .note, gutter: gutter, to: &result)
    }
    return result
  }

  private func appendPlace(
    _ range: SourceRange, help: String?, tint: Style, gutter: Int, to result: inout String
  ) {
    let position = source.position(at: range.start)
    let margin = String(repeating: " ", count: gutter + 1)
    let number = String(position.line)
    let indent = String(repeating: " ", count: gutter - number.count + 1)
    let excerpt = SourceExcerpt(source, line: position.line, range: range, maximumWidth: maximumWidth)
    result += margin + styled("--> ", .frame)
    result += "\(printable(source.name)):\(position.line):\(position.column)\n"
    result += margin + styled(" |", .frame) + "\n"
    result += indent + styled(number + " |", .frame) + (excerpt.text.isEmpty ? "" : " " + excerpt.text) + "\n"
    let marks =
      String(repeating: " ", count: excerpt.indent) + styled(String(repeating: "^", count: excerpt.carets), tint)
    let advice = help.map { " " + styled(printable($0), tint) } ?? ""
    result += margin + styled(" |", .frame) + " " + marks + advice + "\n"
  }

  private func digitCount(_ number: Int) -> Int { String(number).count }

  /// Messages quote the source, which may hold what a terminal would obey.
  private func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: DisplayWidth.isUnprintable) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(DisplayWidth.isUnprintable(scalar) ? "\u{FFFD}" : scalar) }
    return String(result)
  }

  // MARK: - Colors

  private enum Style: String {
    case error = "1;31"
    case warning = "1;33"
    case note = "1;36"
    case frame = "34"
    case strong = "1"
  }

  private func styled(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  // MARK: - JSON

  /// A list with one object for each diagnostic.
  package func json(_ diagnostics: [Diagnostic]) -> String {
    var buffer = ByteBuffer()
    buffer.append(0x5B)
    for (index, diagnostic) in diagnostics.enumerated() {
      if index > 0 { buffer.append(0x2C) }
      appendJSON(diagnostic, to: &buffer)
    }
    buffer.append(0x5D)
    return buffer.string
  }

  /// `{"code", "severity", "message", "file", "range", "help", "notes", "fixIts"}`, the last three if there are any.
  package func json(_ diagnostic: Diagnostic) -> String {
    var buffer = ByteBuffer()
    appendJSON(diagnostic, to: &buffer)
    return buffer.string
  }

  package func appendJSON(_ diagnostic: Diagnostic, to buffer: inout ByteBuffer) {
    buffer.append("{\"code\":")
    buffer.append(json: diagnostic.code.rawValue)
    buffer.append(",\"severity\":")
    buffer.append(json: diagnostic.severity.rawValue)
    buffer.append(",\"message\":")
    buffer.append(json: diagnostic.message)
    buffer.append(",\"file\":")
    buffer.append(json: source.name)
    buffer.append(",\"range\":")
    appendJSON(diagnostic.range, to: &buffer)
    if let help = diagnostic.help {
      buffer.append(",\"help\":")
      buffer.append(json: help)
    }
    if !diagnostic.notes.isEmpty {
      buffer.append(",\"notes\":[")
      for (index, note) in diagnostic.notes.enumerated() {
        buffer.append(index > 0 ? ",{\"message\":" : "{\"message\":")
        buffer.append(json: note.message)
        if let range = note.range {
          buffer.append(",\"range\":")
          appendJSON(range, to: &buffer)
        }
        buffer.append("}")
      }
      buffer.append("]")
    }
    if !diagnostic.fixIts.isEmpty {
      buffer.append(",\"fixIts\":[")
      for (index, fixIt) in diagnostic.fixIts.enumerated() {
        buffer.append(index > 0 ? ",{\"message\":" : "{\"message\":")
        buffer.append(json: fixIt.message)
        buffer.append(",\"edits\":[")
        for (index, edit) in fixIt.edits.enumerated() {
          buffer.append(index > 0 ? ",{\"range\":" : "{\"range\":")
          appendJSON(edit.range, to: &buffer)
          buffer.append(",\"replacement\":")
          buffer.append(json: edit.replacement)
          buffer.append("}")
        }
        buffer.append("]}")
      }
      buffer.append("]")
    }
    buffer.append("}")
  }

  private func appendJSON(_ range: SourceRange, to buffer: inout ByteBuffer) {
    buffer.append("{\"start\":")
    appendJSON(offset: range.start, to: &buffer)
    buffer.append(",\"end\":")
    appendJSON(offset: max(range.start, range.end), to: &buffer)
    buffer.append("}")
  }

  private func appendJSON(offset: UInt32, to buffer: inout ByteBuffer) {
    let position = source.position(at: offset)
    buffer.append("{\"line\":")
    buffer.append(int: Int64(position.line))
    buffer.append(",\"column\":")
    buffer.append(int: Int64(position.column))
    buffer.append(",\"offset\":")
    buffer.append(int: Int64(offset))
    buffer.append("}")
  }
}
