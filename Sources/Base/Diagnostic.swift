/// The stable name of a kind of problem, such as `unknown-field`.
///
/// Each module declares its own codes beside the problems that carry them and lists them in one
/// `static let …Codes: [DiagnosticCode]`, so that a test can demand a query for each.
package struct DiagnosticCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(_ rawValue: String) { self.rawValue = rawValue }
  package init(stringLiteral value: String) { self.init(value) }
  package var description: String { rawValue }

  /// A text that is no JSON, wherever it comes from.
  package static let invalidJSON: DiagnosticCode = "invalid-json"
  /// More than a store can hold, whatever brings it.
  package static let tooLarge: DiagnosticCode = "too-large"
}

/// What a stage has to say about a place of a text.
@usableFromInline package struct Diagnostic: Sendable, Equatable {
  package enum Severity: String, Sendable { case error, warning, note }

  /// A further explanation, of another place or of none.
  package struct Note: Sendable, Equatable {
    package var message: String
    package var range: SourceRange?
    package init(_ message: String, range: SourceRange? = nil) {
      self.message = message
      self.range = range
    }
  }

  /// An edit that would mend the problem.
  package struct FixIt: Sendable, Equatable {
    package struct Edit: Sendable, Equatable {
      package var range: SourceRange
      package var replacement: String
      package init(_ range: SourceRange, _ replacement: String) {
        self.range = range
        self.replacement = replacement
      }
    }
    package var message: String
    package var edits: [Edit]
    package init(_ message: String, _ edits: [Edit]) {
      self.message = message
      self.edits = edits
    }
  }

  package var code: DiagnosticCode
  package var severity: Severity
  /// One sentence of cause, without a full stop.
  package var message: String
  package var range: SourceRange
  /// One sentence of help, printed behind the carets: `did you mean 'age'?`.
  package var help: String?
  package var notes: [Note]
  package var fixIts: [FixIt]

  package init(
    _ code: DiagnosticCode, severity: Severity = .error, _ message: String, at range: SourceRange, help: String? = nil,
    notes: [Note] = [], fixIts: [FixIt] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = Self.shortened(message)
    self.range = range
    self.help = help.map(Self.shortened)
    self.notes = notes
    self.fixIts = fixIts
  }

  /// Values that a message quotes are cut where it is made; names of documents and variables may be as long as these.
  /// Of what is too long to be read the beginning and the end are kept.
  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    let (head, tail) = (boundary(text, longest - 300), boundary(text, text.utf8.count - 200))
    return text[..<head] + " … " + text[tail...]
  }

  private static let longest = 1000

  /// Where a code point begins, at so many bytes or before.
  private static func boundary(_ text: String, _ bytes: Int) -> String.Index {
    var index = text.utf8.index(text.startIndex, offsetBy: bytes)
    while index > text.startIndex, UTF8.isContinuation(text.utf8[index]) { index = text.utf8.index(before: index) }
    return index
  }
}

/// What a total stage returns: a value for any input, and what was wrong with the input.
@usableFromInline package struct Analyzed<Output: Sendable>: Sendable {
  @usableFromInline package var output: Output
  @usableFromInline package var diagnostics: [Diagnostic]
  @inlinable package init(_ output: Output, _ diagnostics: [Diagnostic]) {
    self.output = output
    self.diagnostics = diagnostics
  }
  package var hasErrors: Bool { !diagnostics.isEmpty && diagnostics.contains { $0.severity == .error } }
}

extension Array<Diagnostic> {
  /// The most important ones, errors before warnings: thousands help nobody, and showing them takes longer than finding
  /// them.
  package func first(_ most: Int) -> [Diagnostic] {
    guard count > most else { return self }
    return Array((filter { $0.severity == .error } + filter { $0.severity != .error }).prefix(most))
  }
}
