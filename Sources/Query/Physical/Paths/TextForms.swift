import GQLBase
import GQLCatalog
import GQLRegex

/// A search for words in a full-text index.
struct TextSearchForm: AccessForm {
  let index: IndexID
  let columns: [ColumnID]
  let query: BoundExpression

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    var index = catalog[index]
    index.columns = columns
    return "\(index.kind.facts.planName) \(catalog.columnNames(of: index))"
  }

  func text(_ printer: PathPrinter) -> String { "\(name(.natural, printer.catalog)) matches \(printer.key(query))" }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog), index.kind == .fullText else {
      return ["searches what is no full-text index of it"]
    }
    return columns.allSatisfy(index.columns.contains) && !columns.isEmpty ? [] : ["searches other columns"]
  }

  func rows(_ known: KnownValues) -> Double {
    guard case .string(let text)? = known.value(query) else { return 0 }
    return Double(known.statistics.matchCount(index, columns, text) ?? 0)
  }
}

/// The rows that a trigram index offers.
struct TrigramForm: AccessForm {
  let index: IndexID
  let column: ColumnID
  let condition: TextCondition
  let pattern: BoundExpression

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    let type = catalog[catalog[index].type]
    return "\(catalog[index].kind.facts.planName) \(type.name).\(type[column].name)"
  }

  func text(_ printer: PathPrinter) -> String {
    "\(name(.natural, printer.catalog)) \(condition.word) \(printer.key(pattern))"
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog), index.kind == .trigram else {
      return ["searches what is no trigram index of it"]
    }
    return index.columns.contains(column) ? [] : ["searches another column"]
  }

  func rows(_ known: KnownValues) -> Double {
    guard case .string(let text)? = known.value(pattern) else { return 0 }
    guard let query = TextRequirement(condition, text.bytes).trigrams else { return .infinity }
    return Double(known.statistics.trigramCount(index, column, query) ?? 0)
  }
}

extension TextCondition {
  /// As it is written in a query.
  fileprivate var word: String {
    switch self {
    case .contains: "contains"
    case .startsWith: "startsWith"
    case .endsWith: "endsWith"
    case .like: "like"
    case .ilike: "ilike"
    case .regex: "=~"
    }
  }
}
