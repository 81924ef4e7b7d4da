import GQLBase
import GQLite

/// How answers are written.
struct OutputFormat {
  enum Kind: String, CaseIterable { case pretty, json, ndjson, jsonl, table, box, csv, tsv, markdown, graphql }
  let kind: Kind
  /// Whether an empty line is due before the next table.
  private var hasTable = false

  /// What other programs call some formats.
  private static let synonyms = [
    "md": "markdown", "gfm": "markdown", "jsonlines": "jsonl", "tab": "tsv", "tabs": "tsv",
  ]

  init(_ arguments: inout Arguments) throws {
    guard let name = try arguments.value("format") else {
      kind = Terminal.standardOutput.isTerminal ? .pretty : .json
      return
    }
    guard let kind = Kind(rawValue: name) else {
      let names = Kind.allCases.map(\.rawValue)
      let near = Self.synonyms[name.lowercased()] ?? nearestNames(to: name, in: names).first
      throw UsageError(
        "--format is one of \(names.joined(separator: ", ")), not '\(name)'",
        help: near.map { "did you mean '--format \($0)'?" } ?? "try 'gqlite run --help'")
    }
    self.kind = kind
  }

  /// Returns the shape of the answer where the format needs it.
  ///
  /// - Throws: ``QueryError`` if the format cannot write such an answer.
  func shape(of query: PreparedQuery, _ variables: [String: Value]) throws(QueryError) -> [AnswerShape.Member] {
    switch kind {
    case .pretty, .json, .ndjson, .graphql: return []
    case .table, .box, .csv, .tsv, .markdown: return try query.shape(variables)
    case .jsonl:
      let shape = try query.shape(variables)
      if shape.count > 1, shape.contains(where: { if case .list = $0.shape { true } else { false } }) {
        throw QueryError.needsOneList
      }
      return shape
    }
  }

  /// Writes an answer to standard output.
  mutating func write(_ answer: Answer, _ shape: [AnswerShape.Member]) {
    let output = Terminal.standardOutput
    switch kind {
    case .json, .ndjson: output.write(answer.utf8 + [0x0A])
    case .pretty: output.write(answer.prettyUTF8 + [0x0A])
    case .graphql: output.write(Self.response(answer))
    case .jsonl, .table, .box, .csv, .tsv, .markdown:
      answer.utf8.withUnsafeBufferPointer { bytes in
        do throws(JSONScanner.Failure) {
          try write(AnswerReader(bytes), shape)
        } catch {
          // The engine writes nothing but JSON.
          assertionFailure("\(error)")
        }
      }
    }
  }

  private mutating func write(_ reader: AnswerReader, _ shape: [AnswerShape.Member]) throws(JSONScanner.Failure) {
    if kind == .jsonl { return try JSONLines.write(reader, shape) }
    for var table in try AnswerTable.tables(reader, shape) {
      try table.removeMissingColumns(reader)
      if hasTable { Terminal.standardOutput.write(kind == .csv ? "\r\n" : "\n") }
      hasTable = true
      switch kind {
      case .table, .box: try TextTable(table, reader, hasFrame: kind == .box).write(reader)
      case .tsv: try SeparatedText(.tsv).write(table, reader)
      case .markdown: try SeparatedText(.markdown).write(table, reader)
      default: try SeparatedText(.csv).write(table, reader)
      }
    }
  }

  /// Writes a plan, as text where answers are written for people.
  func write(plan answer: Answer) {
    let output = Terminal.standardOutput
    switch kind {
    case .json, .ndjson, .jsonl: return output.write(answer.utf8 + [0x0A])
    case .graphql: return output.write(Self.response(answer))
    case .pretty, .table, .box, .csv, .tsv, .markdown: break
    }
    guard case .object(let members) = answer.value, case .list(let lines)? = members.first?.value else {
      return output.write(answer.utf8 + [0x0A])
    }
    for case .string(let line) in lines { output.write(line + "\n") }
  }

  private static func response(_ answer: Answer) -> [UInt8] {
    Array(#"{"data":"#.utf8) + answer.utf8 + Array("}\n".utf8)
  }

  /// GraphQL's response to an operation that failed.
  func envelope(_ error: QueryError) -> [UInt8] { error.graphQLResponse + [0x0A] }
}

/// The elements of the one root list, a line each; an answer without a list is one line.
enum JSONLines {
  static func write(_ reader: AnswerReader, _ shape: [AnswerShape.Member]) throws(JSONScanner.Failure) {
    var line: [UInt8] = []
    func write(_ cell: AnswerReader.Cell) {
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: reader.json(cell))
      line.append(0x0A)
      Terminal.standardOutput.write(line)
    }
    guard shape.count == 1 else { return write(reader.root) }
    try reader.forEachMember(of: reader.root) { (_, cell) throws(JSONScanner.Failure) in
      switch (cell.kind, shape[0].shape) {
      case (.list, _): try reader.forEachElement(of: cell) { write($0) }
      case (.null, .object), (.null, .list): break
      case (.object, .object): write(cell)
      default: write(reader.root)
      }
    }
  }
}
