import GQLBase

/// An error of a schema, a document, a variable, the data or a run: one or more problems, each with a place.
public struct QueryError: Error, Sendable, Hashable {
  /// One problem, with its place in the text that it is about.
  public struct Problem: Sendable, Hashable {
    /// Tells how bad it is.
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
    /// Tells how bad it is.
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
  /// A description with colors for a terminal.
  public let coloredDescription: String
  /// Returns ``coloredDescription``, under the name that it had.
  @available(*, deprecated, renamed: "coloredDescription") public var colouredDescription: String { coloredDescription }
  /// One compact JSON object for each problem, a line each.
  public let jsonLines: String

  @inline(never)
  init(_ diagnostics: [Diagnostic], in source: SourceText) {
    self.init([(source, diagnostics)])
  }

  @inline(never)
  package init(_ groups: [(source: SourceText, diagnostics: [Diagnostic])]) {
    var problems: [Problem] = []
    var plain = ""
    var colored = ""
    var json = ""
    for (source, diagnostics) in groups {
      let ordered = diagnostics.enumerated().sorted {
        ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
      }
      for (_, diagnostic) in ordered {
        problems.append(Problem(diagnostic, in: source))
        if source.bytes.isEmpty {
          plain += Self.text(diagnostic, file: source.name, colors: false)
          colored += Self.text(diagnostic, file: source.name, colors: true)
        } else {
          plain += DiagnosticRenderer(source).text(diagnostic)
          colored += DiagnosticRenderer(source, usesColor: true).text(diagnostic)
        }
        let line = DiagnosticRenderer(source).json(diagnostic)
        json += line.hasSuffix("\n") ? line : line + "\n"
      }
    }
    self.problems = problems
    description = plain
    coloredDescription = colored
    jsonLines = json
  }

  /// A problem without a place in any text.
  @inline(never)
  package init(code: DiagnosticCode, _ message: String, help: String? = nil, file: String = "") {
    self.init(
      [Diagnostic(code, message, at: SourceRange(at: 0), help: help)], in: SourceText(name: file, bytes: []))
  }

  private static func text(_ diagnostic: Diagnostic, file: String, colors: Bool) -> String {
    let color = diagnostic.severity == .error ? "\u{1B}[1;31m" : "\u{1B}[1;33m"
    let title = "\(diagnostic.severity.rawValue)[\(diagnostic.code.rawValue)]"
    let place = file.isEmpty ? "" : "\(file): "
    let help = diagnostic.help.map { "\n  help: \($0)" } ?? ""
    return (colors ? "\(color)\(title)\u{1B}[0m" : title) + ": \(place)\(diagnostic.message)\(help)\n"
  }

  /// A text that is not JSON.
  init(_ error: JSONScanner.Failure, in source: SourceText) {
    let offset = UInt32(clamping: error.offset)
    self.init(
      [
        Diagnostic(
          .invalidJSON, error.problem.message, at: SourceRange(start: offset, end: offset &+ 1))
      ],
      in: source)
  }
}

extension QueryError.Problem {
  init(_ diagnostic: Diagnostic, in source: SourceText) {
    code = diagnostic.code.rawValue
    severity = QueryError.Problem.Severity(rawValue: diagnostic.severity.rawValue) ?? .error
    message = diagnostic.message
    help = diagnostic.help
    file = source.name
    guard !source.bytes.isEmpty else { return }
    let position = source.position(at: diagnostic.range.start)
    range = Int(diagnostic.range.start)..<max(Int(diagnostic.range.start), Int(diagnostic.range.end))
    line = position.line
    column = position.column
  }
}

extension QueryError: CustomStringConvertible {}
