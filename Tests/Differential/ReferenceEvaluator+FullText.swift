/// `matches`, `_score` and `highlight`, for the queries that ``RandomPatterns`` writes.
extension ReferenceEvaluator {
  /// A `matches` about one element: its query and the texts that it looks at.
  private struct Looked {
    var search: TextSearch
    var texts: [Datum]
    var type: String
    var fields: [String]
    var query: String
  }

  private func looked(_ node: Node, _ environment: Environment) throws -> Looked? {
    guard case .path(let scope, _) = try node[0].form, case .entity(let type, _) = try element(scope, environment),
      let shape = model.shape(type)
    else { throw ReferenceFailure.malformed }
    guard case .text(let query) = try evaluate(node[1], environment) else { return nil }
    var fields = shape.textFields
    let steps = try node[0].children
    if case .step(let name)? = steps.last?.form {
      guard steps.count == 1 else { throw ReferenceFailure.malformed }
      fields = [name]
    }
    guard let first = fields.first, let field = shape.field(first) else { throw ReferenceFailure.malformed }
    // English without an index.
    let search = TextSearch(query, field.language ?? "en")
    let texts = try fields.map { try read(element(scope, environment), $0) }
    return Looked(search: search, texts: texts, type: type, fields: fields, query: query)
  }

  func matches(_ node: Node, _ environment: Environment) throws -> Datum {
    guard let looked = try looked(node, environment) else { return .null }
    let texts = looked.texts.compactMap(\.asText)
    return texts.isEmpty ? .null : .bool(looked.search.isFound(texts))
  }

  /// Of the `matches` in the condition, which select; not those below `not`.
  private func selecting(_ condition: Node) -> [Node] {
    switch condition.form {
    case .operation("matches"): [condition]
    case .operation("and"), .operation("or"), .objectForm, .filterVariable: condition.children.flatMap(selecting)
    default: []
    }
  }

  /// The sum over those that hold.
  func score(_ environment: Environment) throws -> Double {
    guard let condition = environment.conditions[environment.scopes.count] else { throw ReferenceFailure.malformed }
    let nodes = selecting(condition)
    guard !nodes.isEmpty else { throw ReferenceFailure.malformed }
    var total = 0.0
    for node in nodes where try matches(node, environment).isTrue {
      guard let looked = try looked(node, environment) else { continue }
      total += looked.search.score(looked.texts.compactMap(\.asText), try statistics(looked))
    }
    return total
  }

  private func statistics(_ looked: Looked) throws -> TextSearch.Statistics {
    let key = "\(looked.type)|\(looked.fields)|\(looked.query)"
    if let known = latitude.statistics[key] { return known }
    var result = TextSearch.Statistics(texts: 0, words: 0, found: looked.search.leaves.map { _ in 0 })
    for entity in model.all(looked.type) {
      let texts = try looked.fields.compactMap { try read(entity, $0).asText }
      result.texts += 1
      result.words += looked.search.length(texts)
      for (place, frequency) in looked.search.frequencies(texts).enumerated() where frequency > 0 {
        result.found[place] += 1
      }
    }
    latitude.statistics[key] = result
    return result
  }

  /// What the `matches` look for in this field, between two marks.
  func highlight(_ node: Node, _ environment: Environment) throws -> Datum {
    guard let condition = environment.conditions[environment.scopes.count],
      case .step(let name)? = try node[0].children.last?.form, case .text(let text) = try evaluate(node[0], environment)
    else { return .null }
    var marks = ["<b>", "</b>"]
    if node.children.count == 3 { marks = try (1...2).map { try evaluate(node[$0], environment).asText ?? "" } }
    var ranges: [Range<String.Index>] = []
    for matches in selecting(condition) {
      guard let looked = try looked(matches, environment), looked.fields.contains(name) else { continue }
      let words = TextSearch.words(text, looked.search.language)
      for leaf in looked.search.leaves where leaf.isWanted {
        for place in looked.search.places(leaf, words) {
          ranges.append(words[place.lowerBound].range.lowerBound..<words[place.upperBound - 1].range.upperBound)
        }
      }
    }
    ranges.sort { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
    var marked = ""
    var end = text.startIndex
    var open: Range<String.Index>?
    func close() {
      guard let range = open else { return }
      marked += text[end..<range.lowerBound] + marks[0] + text[range] + marks[1]
      end = range.upperBound
    }
    for range in ranges {
      if let known = open, range.lowerBound < known.upperBound {
        open = known.lowerBound..<max(known.upperBound, range.upperBound)
      } else {
        close()
        open = range
      }
    }
    close()
    return .text(marked + text[end...])
  }
}

extension Datum {
  fileprivate var asText: String? { if case .text(let text) = self { text } else { nil } }
}
