import GQLBase
import GQLLexer

/// A text that runs with the operation of another one of its shape.
final class SharedText: Sendable {
  let source: SourceText
  /// The values of literals that are the operation's parameters.
  let values: [String: Value]
  /// The schema that the operation was bound for.
  let catalogVersion: UInt64
  /// The text's own operation; nil until something needs it.
  let own = Lock<PreparedOperation?>(nil)

  init(_ source: SourceText, values: [String: Value], catalogVersion: UInt64) {
    self.source = source
    self.values = values
    self.catalogVersion = catalogVersion
  }

  /// Returns diagnostics of the operation's text with the ranges that this text has for the same tokens.
  func relocated(_ diagnostics: [Diagnostic], from other: SourceText) -> [Diagnostic] {
    let places = TokenPlaces(from: tokenize(other).output, to: tokenize(source).output)
    return diagnostics.map { diagnostic in
      var moved = diagnostic
      moved.range = places.moved(diagnostic.range)
      for index in moved.notes.indices { moved.notes[index].range = moved.notes[index].range.map(places.moved) }
      // An edit may hold a part of the other text.
      moved.fixIts = []
      return moved
    }
  }
}

/// Where the tokens of one text stand in another one of its shape.
private struct TokenPlaces {
  let from: TokenBuffer
  let to: TokenBuffer

  func moved(_ range: SourceRange) -> SourceRange {
    let start = place(range.start, isEnd: false)
    return SourceRange(start: start, end: max(start, place(range.end, isEnd: true)))
  }

  /// The place that is as far into its token, but not beyond it.
  private func place(_ offset: UInt32, isEnd: Bool) -> UInt32 {
    var (low, high) = (0, min(from.count, to.count))
    while high - low > 1 {
      let middle = (low + high) / 2
      if isEnd ? from.starts[middle] < offset : from.starts[middle] <= offset { low = middle } else { high = middle }
    }
    guard low < high, offset >= from.starts[low] else { return 0 }
    if offset == from.ends[low] { return to.ends[low] }
    return min(to.ends[low], to.starts[low] + (offset - from.starts[low]))
  }
}
