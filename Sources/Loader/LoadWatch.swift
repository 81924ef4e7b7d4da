import GQLBase

/// A watch over a load: what may end it, and whom it tells how far it has come.
package struct LoadWatch {
  let interruption: Interruption?
  let progress: ((LoadPosition) -> Void)?

  /// - Parameter progress: Called now and then.
  package init(_ interruption: Interruption? = nil, _ progress: ((LoadPosition) -> Void)? = nil) {
    self.interruption = interruption
    self.progress = progress
  }

  var isDue: Bool { interruption?.isDue ?? false }

  /// - Throws: where the time is over, the load was cancelled, or it takes too much memory.
  func check(_ file: String) throws(LoadFailure) {
    if isDue { throw interrupted(file) }
  }

  /// Returns why a load ends before its end.
  func interrupted(_ file: String) -> LoadFailure {
    let why = interruption?.diagnostic(at: SourceRange(at: 0))
    return LoadFailure([(SourceText(name: file, bytes: []), why.map { [$0] } ?? [])])
  }

  /// Tells that a file is opened.
  func tellOpening(_ file: String) {
    progress?(LoadPosition(step: .opening, file: file, bytes: 0, totalBytes: 0, records: 0))
  }
}
