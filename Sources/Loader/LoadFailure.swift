import GQLBase

/// A reason why a load is given up: problems, each in the text that it is about.
package struct LoadFailure: Error {
  package var groups: [(source: SourceText, diagnostics: [Diagnostic])]

  package init(_ groups: [(source: SourceText, diagnostics: [Diagnostic])]) { self.groups = groups }

  /// A problem without a place in any text.
  package init(code: DiagnosticCode, _ message: String, help: String? = nil, file: String = "") {
    groups = [
      (SourceText(name: file, bytes: []), [Diagnostic(code, message, at: SourceRange(at: 0), help: help)])
    ]
  }
}
