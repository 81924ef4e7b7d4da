import GQLBase
import GQLCatalog
import GQLParser
import GQLText

extension Binder {
  /// `text matches "words"`, and `. matches "words"` over all fields of the type's full-text index.
  mutating func bindMatches(
    _ left: Expression, _ right: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let subject = resolve(bindOperand(left, environment), environment)
    let words = bindOperand(right, environment)
    if case .plural(let path) = subject {
      var suggestion: String?
      if !path.tailText.isEmpty, case .literal(.text(let text), _) = words {
        suggestion = "some(\(path.text), \(path.tailText) matches \(JSONValue.string(text).json))"
      }
      report(.pluralPath(relation: path.text, suggestion: suggestion), at: range)
      return .error
    }
    return matches(subject, words, environment, range).map { .value($0) } ?? .error
  }

  mutating func matches(
    _ subject: Operand, _ words: Operand, _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    var texts: [BoundExpression]
    var source = TextSource(language: TextLanguage.standard.code)
    if case .entity(let reference, let type, _) = subject {
      let indexes = catalog[type].indexes.map { catalog[$0] }.filter { $0.kind == .fullText }
      guard indexes.count == 1, let index = indexes.first else {
        report(.ambiguousFullText(type: catalog[type].name, indexes: indexes.map(\.name)), at: range)
        return nil
      }
      texts = index.columns.map { BoundExpression(.column(reference, $0), .string, at: range) }
      source = TextSource(
        language: index.language ?? TextLanguage.standard.code, columns: index.columns, type: type, index: index.id)
    } else {
      guard let text = value(subject, environment, at: range) else { return nil }
      guard text.type.scalar?.isTextual ?? false || text.type == .null else {
        report(.wrongType(found: self.words(text.type), expected: "text"), at: text.expression.range)
        return nil
      }
      texts = [converted(text.expression, .string)]
      if case .column(let reference, let column)? = texts.first?.kind {
        let type = self.type(of: reference)
        source.type = type
        source.columns = [column]
        let index = catalog[type].indexes.map { catalog[$0] }
          .first { $0.kind == .fullText && $0.columns.contains(column) }
        source.index = index?.id
        source.language = index?.language ?? source.language
      }
    }
    guard let query = value(resolve(words, environment), environment, at: range) else { return nil }
    guard query.type.scalar?.isTextual ?? false || query.type == .null else {
      report(.wrongType(found: self.words(query.type), expected: "text"), at: query.expression.range)
      return nil
    }
    let wanted = converted(query.expression, .string)
    if case .string(let text)? = wanted.constant, let language = TextLanguage(source.language),
      TextQuery(text, TextAnalyzer(language)).root == nil
    {
      report(.emptyTextQuery, at: wanted.range, severity: .warning)
    }
    return BoundExpression(.matches(texts, query: wanted, source), .boolean, at: range)
  }

  // MARK: Scores

  /// `_score` of the current element.
  mutating func score(_ environment: Environment, at range: SourceRange) -> Operand {
    let matches = environment.matches(climb: 0).filter {
      if case .matches(_, _, let source) = $0.kind { !source.columns.isEmpty } else { false }
    }
    guard !matches.isEmpty else {
      report(.scoreWithoutMatches, at: range)
      return .error
    }
    return .value(BoundExpression(.score(matches), .float, at: range))
  }

  mutating func bindScoreField(_ entry: SelectionEntry, _ name: Name) -> BoundField.Content? {
    _ = fieldDirectives(entry.directives, over: nil)
    if let argument = entry.arguments.first {
      report(.argumentsOnValue(field: name.text), at: argument.range)
      return nil
    }
    if let set = entry.set {
      report(.selectionOnValue(field: name.text), at: set.range)
      return nil
    }
    guard case .value(let value) = score(entry.environment, at: name.range) else { return nil }
    return .value(value.expression)
  }

  // MARK: Highlighting

  /// `highlight(text)`, `highlight(text, open, close)`.
  mutating func highlight(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard values.count == 1 || values.count == 3 else {
      return wrongCount(name, "a text, and optionally what stands before and behind each word", range)
    }
    let arguments = values.map { textArgument($0, environment) }
    guard let text = arguments.first ?? nil else { return .error }
    let marks =
      arguments.count == 3
      ? arguments.dropFirst().compactMap { $0 }
      : ["<b>", "</b>"].map { BoundExpression(.constant(.string(Text($0))), .string, at: range) }
    guard marks.count == 2 else { return .error }
    let all = environment.matches(climb: 0)
    // Those that search this very text; where there are none, all.
    let own = all.filter {
      if case .matches(let texts, _, _) = $0.kind { texts.contains { $0.kind == text.kind } } else { false }
    }
    let matches = own.isEmpty ? all : own
    guard !matches.isEmpty else {
      report(.highlightWithoutMatches, at: range)
      return .error
    }
    return .value(BoundExpression(.highlight(text, open: marks[0], close: marks[1], matches), .string, at: range))
  }
}

extension Binder {
  /// What the members of a set were searched for: in its own condition, in that of the set whose groups it is taken
  /// from, or in the one that a closure walks by. Of the latter two only what looks at nothing around the member.
  func searches(of set: BoundSet) -> [BoundExpression] {
    var found: [BoundExpression] = []
    set.predicate?.collectMatches(into: &found)
    var others: [BoundExpression] = []
    switch set.source {
    case .items(_, let selection): others = searches(of: query[query.selections[selection.index].set])
    case .closure(let closure): others = searches(of: query[closure.step])
    default: break
    }
    return found + others.filter(\.readsElementOnly)
  }
}

extension Environment {
  /// Remembers what the innermost element was searched for.
  mutating func note(searches: [BoundExpression]) {
    guard !scopes.isEmpty, !searches.isEmpty else { return }
    matches[scopes.count - 1] = searches
  }

  /// The `matches` that selected the element `climb` visible scopes out, as this place sees them.
  func matches(climb: Int) -> [BoundExpression] {
    guard climb >= 0, climb < chain.count else { return [] }
    let index = chain[chain.count - 1 - climb]
    let depth = scopes.count - 1 - index
    let found = matches[index] ?? []
    return depth == 0 ? found : found.map { $0.mapReferences { $0.shifted(by: depth) } }
  }
}

extension BoundExpression {
  fileprivate var readsElementOnly: Bool {
    var isOwn = true
    forEachNode { node in
      if node.setCall != nil || node.innerBody != nil || (node.ownReference?.scope ?? 0) != 0 { isOwn = false }
    }
    return isOwn
  }

  /// Those `matches` over the element or what it refers to that make the condition hold; not those under a `not`.
  fileprivate func collectMatches(into found: inout [BoundExpression]) {
    switch kind {
    case .not: return
    case .matches(let texts, _, _):
      var readsElement = false
      for text in texts {
        text.forEachNode { if $0.ownReference?.scope == 0 { readsElement = true } }
      }
      if readsElement { found.append(self) }
    default: for operand in operands { operand.collectMatches(into: &found) }
    }
  }
}
