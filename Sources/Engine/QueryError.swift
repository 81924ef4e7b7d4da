import GQLBase

/// What was wrong with a schema, a document, a variable, the data or a run: one or more problems, each with a place.
public struct QueryError: Error, Sendable, Hashable {
  /// One problem, with its place in the text that it is about.
  public struct Problem: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
      /// Nothing was answered, or nothing was loaded.
      case error
      /// The answer stands; something should be looked at.
      case warning
      /// Further explanation.
      case note
    }

    /// The stable name of the kind of problem, such as `unknown-field`.
    public var code: String
    /// How bad it is.
    public var severity: Severity
    /// One sentence of cause.
    public var message: String
    /// One sentence of help, if there is any.
    public var help: String?
    /// The name of the text: a file's path, or the name given with the text.
    public var file: String
    /// UTF-8 offsets into the text; nil where the problem has no place.
    public var range: Range<Int>?
    /// The line from 1; nil where the problem has no place.
    public var line: Int?
    /// The column from 1, in Unicode scalars; nil where the problem has no place.
    public var column: Int?
  }

  /// All problems, in the order of their places.
  public let problems: [Problem]
  /// The problems as shown to people: with the line, carets and help.
  public let description: String
  /// The same with colours for a terminal.
  public let colouredDescription: String
  /// One compact JSON object for each problem, a line each.
  public let jsonLines: String

  init(_ diagnostics: [Diagnostic], in source: SourceText) {
    self.init([(source, diagnostics)])
  }

  init(_ groups: [(source: SourceText, diagnostics: [Diagnostic])]) {
    var problems: [Problem] = []
    var plain = ""
    var coloured = ""
    var json = ""
    for (source, diagnostics) in groups {
      let ordered = diagnostics.enumerated().sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }
      for (_, diagnostic) in ordered {
        let position = source.position(at: diagnostic.range.start)
        problems.append(
          Problem(
            code: diagnostic.code.rawValue, severity: Problem.Severity(rawValue: diagnostic.severity.rawValue) ?? .error,
            message: diagnostic.message, help: diagnostic.help, file: source.name,
            range: Int(diagnostic.range.start)..<max(Int(diagnostic.range.start), Int(diagnostic.range.end)),
            line: position.line, column: position.column))
        plain += DiagnosticRenderer(colours: false).render(diagnostic, in: source)
        coloured += DiagnosticRenderer(colours: true).render(diagnostic, in: source)
        json += DiagnosticRenderer.json(diagnostic, in: source) + "\n"
      }
    }
    self.problems = problems
    description = plain
    colouredDescription = coloured
    jsonLines = json
  }

  /// A problem without a place in any text.
  init(code: DiagnosticCode, _ message: String, help: String? = nil, file: String = "") {
    let diagnostic = Diagnostic(code, message, at: SourceRange(at: 0), help: help)
    problems = [
      Problem(code: code.rawValue, severity: .error, message: message, help: help, file: file, range: nil, line: nil, column: nil)
    ]
    let place = file.isEmpty ? "" : "\(file): "
    let tail = help.map { "\n  help: \($0)" } ?? ""
    description = "error[\(code.rawValue)]: \(place)\(message)\(tail)\n"
    colouredDescription = "\u{1B}[1;31merror[\(code.rawValue)]\u{1B}[0m: \(place)\(message)\(tail)\n"
    jsonLines = DiagnosticRenderer.json(diagnostic, in: SourceText(name: file, bytes: [])) + "\n"
  }

  /// A text that is not JSON.
  init(_ error: JSONScanner.Failure, in source: SourceText) {
    let offset = UInt32(clamping: error.offset)
    self.init([Diagnostic(LoadProblem.invalidJSON.code, error.message, at: SourceRange(at: offset))], in: source)
  }
}

extension QueryError: CustomStringConvertible {}
