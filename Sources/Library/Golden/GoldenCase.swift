import GQLBase
import GQLCatalog
import GQLEngine
import GQLPlanner

/// A fault in the header of a golden file.
package enum GoldenProblem: CaseIterable, Sendable {
  /// `# daat: people`
  case unknownHeader
  /// `# dialect: sql`
  case wrongHeader

  package var code: DiagnosticCode {
    switch self {
    case .unknownHeader: "unknown-header"
    case .wrongHeader: "wrong-header"
    }
  }
}

/// A `.query` file, what its header says, and the answers, plans or problems that stand beside it.
package struct GoldenCase {
  /// What is pinned, by the ending of its file.
  package enum Stage: String, CaseIterable { case json, bound, plan, diagnostics }

  package let path: String
  package let bytes: [UInt8]
  /// `# key: value` lines before the first other line.
  package let header: [(key: String, value: String)]

  private static let keys: Set<String> = [
    "schema", "data", "vars", "operation", "dialect", "requires", "title", "skip-bad", "now", "statistics",
  ]

  /// - Throws: ``QueryError`` if the file cannot be read, or its header has an unknown key or a wrong value.
  package init(path: String) throws(QueryError) {
    self.path = path
    bytes = try FileBytes.read(path, atMost: QueryLimits.standard.documentBytes)
    var header: [(key: String, value: String)] = []
    var problems: [Diagnostic] = []
    let document = String(decoding: bytes, as: UTF8.self)
    // A byte order mark hides no header.
    for line in document.drop(while: { $0 == "\u{FEFF}" }).split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("#") else { break }
      if line.hasPrefix("#!") { continue }
      let text = line.dropFirst().drop { $0 == " " }
      guard let colon = text.firstIndex(of: ":") else { continue }
      var key = text[..<colon]
      while key.last == " " { key.removeLast() }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      if Self.keys.contains(String(key)) {
        header.append((String(key), String(value)))
        if let problem = Self.problem(of: key, value, in: document) { problems.append(problem) }
      } else if Self.isKey(key), value.startIndex > text.index(after: colon) || value.isEmpty {
        let near = nearestNames(to: String(key), in: Self.keys.sorted())
        problems.append(
          Diagnostic(
            GoldenProblem.unknownHeader.code, "golden files have no header '\(key)'", at: Self.range(key, in: document),
            help: didYouMean(near) ?? "headers are \(Self.keys.sorted().joined(separator: ", "))"))
      }
    }
    self.header = header
    guard problems.isEmpty else { throw QueryError([(SourceText(name: path, bytes: bytes), problems)]) }
  }

  /// Returns whether the text before a colon is meant as a key: one word without capitals, or a key with capitals.
  /// Other comments may have colons.
  private static func isKey(_ text: Substring) -> Bool {
    if keys.contains(text.lowercased()) { return true }
    return !text.isEmpty && text.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 || $0 == 95 }
  }

  private static func range(_ part: Substring, in document: String) -> SourceRange {
    let start = document.utf8.distance(from: document.startIndex, to: part.startIndex)
    return SourceRange(
      start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: start + part.utf8.count))
  }

  /// Returns the fault of a known header's value, if it has one.
  private static func problem(of key: Substring, _ value: Substring, in document: String) -> Diagnostic? {
    let help: String
    switch key {
    case "dialect":
      if QueryDialect(rawValue: String(value)) != nil { return nil }
      let names = QueryDialect.allCases.map(\.rawValue)
      help = didYouMean(nearestNames(to: String(value), in: names)) ?? "dialects are \(names.joined(separator: ", "))"
    case "skip-bad":
      if value == "true" || value == "false" { return nil }
      help = "write 'true' or 'false'"
    case "now":
      if DateTimeText.microseconds(String(value)) != nil { return nil }
      help = "write a time such as '2024-05-01T12:00:00Z'"
    default: return nil
    }
    return Diagnostic(
      GoldenProblem.wrongHeader.code, "the header '\(key)' cannot be '\(value)'",
      at: range(value.isEmpty ? key : value, in: document), help: help)
  }

  /// Returns the figures of data that plans are made for, as the header states them.
  ///
  /// - Throws: ``QueryError`` if they name what the catalog has not.
  package func figures(_ catalog: Catalog) throws(QueryError) -> StatedFigures {
    guard let text = value("statistics") else { return StatedFigures() }
    if let figures = StatedFigures(text, catalog) { return figures }
    let document = String(decoding: bytes, as: UTF8.self)
    let range = document.firstRange(of: text).map { Self.range(document[$0], in: document) } ?? SourceRange(at: 0)
    let problem = Diagnostic(
      GoldenProblem.wrongHeader.code, "the header 'statistics' cannot be '\(text)'", at: range,
      help: "write entities, values and links such as 'User 100000, User.age 60, User.chats 40'")
    throw QueryError([(SourceText(name: path, bytes: bytes), [problem])])
  }

  package func value(_ key: String) -> String? { header.first { $0.key == key }?.value }
  package func values(_ key: String) -> [String] { header.filter { $0.key == key }.map(\.value) }

  /// The path of the file that pins a stage.
  package func file(_ stage: Stage) -> String {
    String(path.dropLast(".query".count)) + "." + stage.rawValue
  }

  /// The stages that are pinned.
  package var stages: [Stage] { Stage.allCases.filter { FileBytes.exists(file($0)) } }

  /// A path of the header, relative to the document.
  package func resolve(_ relative: String) -> String {
    if relative.hasPrefix("/") { return relative }
    return folder + relative
  }

  /// Where the document lies, with a slash at its end; empty for a bare file name.
  package var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// A path that the case needs and that is not there.
  package var missingRequirement: String? {
    values("requires").first { !FileBytes.exists(resolve($0)) }
  }
}
