import GQLBinder

extension SchemaChange.Difference {
  init(_ difference: CatalogDifference) {
    kind =
      switch difference.kind {
      case .added: .added
      case .removed: .removed
      case .changed: .changed
      }
    name = difference.name
    message = Self.words(difference)
  }

  private static func words(_ difference: CatalogDifference) -> String {
    let subject: String
    switch difference.element {
    case .type: subject = "type '\(difference.name)'"
    case .interface: subject = "interface '\(difference.name)'"
    case .union: subject = "union '\(difference.name)'"
    case .enumeration: subject = "enum '\(difference.name)'"
    case .enumValue: subject = "enum value '\(difference.name)'"
    case .field: subject = "field '\(difference.name)'"
    case .index: subject = "index \(difference.name)"
    case .member(let abstract): subject = "type '\(difference.name)' in '\(abstract)'"
    case .root: subject = "root fields of '\(difference.name)'"
    }
    return difference.detail.map { "\(subject) \(words($0))" } ?? subject
  }

  private static func words(_ detail: CatalogDifference.Detail) -> String {
    switch detail {
    case .renamed(let name): "is renamed from '\(name)'"
    case .number(let number?): "has the number \(number)"
    case .number(nil): "has no number any more"
    case .type(let from, let to): "from '\(from)' to '\(to)'"
    case .computed(let isComputed): isComputed ? "is computed" : "is stored"
    case .expression: "is computed in another way"
    case .merge(let rule?): "is merged by \(rule)"
    case .merge(nil): "is merged by no rule"
    case .defaultValue: "has another default"
    case .caseInsensitive(let isFolded): isFolded ? "ignores case" : "tells upper from lower case"
    case .inverse(nil, let to?): "gets the inverse '\(to)'"
    case .inverse(let from?, nil): "loses the inverse '\(from)'"
    case .inverse(let from, let to): "has the inverse '\(to ?? "")' in the place of '\(from ?? "")'"
    case .deleteRule(let from, let to): "on delete from \(from) to \(to)"
    case .key: "has another key"
    case .options: "with other options"
    case .order: "in another order"
    case .history(let isKept): isKept ? "keeps its old values" : "does not keep its old values"
    }
  }
}
