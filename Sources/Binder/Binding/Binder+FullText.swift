import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLText

extension Binder {
  /// `text matches "words"`, and `. matches "words"` over all fields of the type's full-text index.
  func bindMatches(
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

  func matches(
    _ subject: Operand, _ words: Operand, _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    var parts: [(texts: [BoundExpression], source: TextSource)] = []
    if case .entity(let reference, let type, _) = subject {
      guard let found = indexedTexts(of: reference, type, at: range) else { return nil }
      parts = found
    } else {
      guard let text = value(subject, environment, at: range) else { return nil }
      guard text.type.scalar?.isTextual ?? false || text.type == .null else {
        report(.wrongType(found: self.words(text.type), expected: "text"), at: text.expression.range)
        return nil
      }
      let fields = memberFields(text.expression) ?? [text.expression]
      parts = fields.map { field in
        let text = converted(field, .string)
        return ([text], source(of: text))
      }
    }
    guard let query = value(resolve(words, environment), environment, at: range) else { return nil }
    guard query.type.scalar?.isTextual ?? false || query.type == .null else {
      report(.wrongType(found: self.words(query.type), expected: "text"), at: query.expression.range)
      return nil
    }
    let wanted = converted(query.expression, .string)
    if case .string(let text)? = wanted.constant, let code = parts.first?.source.language,
      let language = TextLanguage(code),
      TextQuery(text, TextAnalyzer(language), options.interruption).root == nil
    {
      report(.emptyTextQuery, at: wanted.range, severity: .warning)
    }
    // Of an interface's types an entity is of one: what the others say is null.
    let tests = parts.map { BoundExpression(.matches($0.texts, query: wanted, $0.source), .boolean, at: range) }
    return tests.count == 1 ? tests[0] : BoundExpression(.coalesce(tests), .boolean, at: range)
  }

  /// The texts of a type's only full-text index; for an interface or union those of each type that has one. Nil, and
  /// reported, where there is none, or not only one.
  private func indexedTexts(
    of reference: EntityReference, _ type: EntityTypeID, at range: SourceRange
  ) -> [(texts: [BoundExpression], source: TextSource)]? {
    let members =
      catalog[type].isAbstract ? memberReferences(of: reference, type) : [(type: type, reference: reference)]
    var found: [(texts: [BoundExpression], source: TextSource)] = []
    for member in members {
      let indexes = catalog[member.type].indexes.map { catalog[$0] }.filter { $0.kind == .fullText }
      if indexes.count > 1 {
        report(.ambiguousFullText(type: catalog[member.type].name, indexes: indexes.map(\.name)), at: range)
        return nil
      }
      guard let index = indexes.first else { continue }
      let source = TextSource(
        language: index.language ?? TextLanguage.standard.code, columns: index.columns, type: member.type,
        index: index.id)
      found.append((index.columns.map { BoundExpression(.column(member.reference, $0), .string, at: range) }, source))
    }
    if found.isEmpty {
      report(.ambiguousFullText(type: catalog[type].name, indexes: []), at: range)
      return nil
    }
    return found
  }

  /// Where a text is stored, if it is a field.
  private func source(of text: BoundExpression) -> TextSource {
    var source = TextSource(language: TextLanguage.standard.code)
    guard case .column(let reference, let column) = text.kind else { return source }
    let type = self.type(of: reference)
    source.type = type
    source.columns = [column]
    let index = catalog[type].indexes.map { catalog[$0] }
      .first { $0.kind == .fullText && $0.columns.contains(column) }
    source.index = index?.id
    source.language = index?.language ?? source.language
    return source
  }

  /// The fields of its types that a field of an interface is; nil for anything else.
  private func memberFields(_ text: BoundExpression) -> [BoundExpression]? {
    guard case .coalesce(let parts) = text.kind, parts.count > 1 else { return nil }
    let areFields = parts.allSatisfy { part in
      guard case .column(.toOne(_, let relation), _) = part.kind else { return false }
      return catalog[relation].isMirror
    }
    return areFields ? parts : nil
  }

  // MARK: Scores

  /// `_score` of the current element.
  func score(_ environment: Environment, at range: SourceRange) -> Operand {
    let matches = environment.matches(climb: 0).filter {
      if case .matches(_, _, let source) = $0.kind { !source.columns.isEmpty } else { false }
    }
    if matches.isEmpty, isCheckingFunction, environment.chain.isEmpty {
      // Where it is called decides.
      return placeholder(.float, at: range)
    }
    guard !matches.isEmpty else {
      report(.scoreWithoutMatches, at: range)
      return .error
    }
    return .value(BoundExpression(.score(matches), .float, at: range))
  }

  func bindScoreField(_ entry: SelectionEntry, _ inner: [SelectionSource], _ name: Name) -> BoundField.Content? {
    guard isPlain(entry, inner, name) else { return nil }
    guard case .value(let value) = score(entry.environment, at: name.range) else { return nil }
    return .value(value.expression)
  }

  // MARK: Highlighting

  /// `highlight(text)`, `highlight(text, open, close)`.
  func highlight(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard values.count == 1 || values.count == 3 else {
      return wrongCount(name, "a text, and optionally what stands before and after each word", range)
    }
    let arguments = values.map { textArgument($0, environment) }
    guard let text = arguments.first ?? nil else { return .error }
    let marks =
      arguments.count == 3
      ? arguments.dropFirst().compactMap { $0 }
      : ["<b>", "</b>"].map { BoundExpression(.constant(.string(Text($0))), .string, at: range) }
    guard marks.count == 2 else { return .error }
    let all = environment.matches(climb: 0)
    if all.isEmpty, isCheckingFunction, environment.chain.isEmpty { return placeholder(.string, at: range) }
    guard !all.isEmpty else {
      report(.highlightWithoutMatches, at: range)
      return .error
    }
    let fields = (memberFields(text) ?? [text]).map { field in
      // Those that search this very text; where there are none, all.
      let own = all.filter {
        if case .matches(let texts, _, _) = $0.kind { texts.contains { $0.kind == field.kind } } else { false }
      }
      return BoundExpression(
        .highlight(field, open: marks[0], close: marks[1], own.isEmpty ? all : own), .string, at: range)
    }
    return .value(fields.count == 1 ? fields[0] : BoundExpression(.coalesce(fields), .string, at: range))
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
    return others.isEmpty ? found : found + others.filter(\.readsElementOnly)
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
    guard climb >= 0, climb < chain.count || climb == 0 && called != nil else { return [] }
    guard let index = climb < chain.count ? chain[chain.count - 1 - climb] : called else { return [] }
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
    default: if !isLeaf { forEachOperand { $0.collectMatches(into: &found) } }
    }
  }
}
