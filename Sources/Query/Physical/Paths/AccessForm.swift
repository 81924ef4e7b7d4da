import GQLBase
import GQLCatalog

/// The facts of a kind of access path that no row asks for: its words, its laws, and how many rows it finds.
///
/// Each kind has a type that conforms, in a file of its own. ``AccessPath/form`` leads there.
package protocol AccessForm {
  /// Returns the path without keys and bounds: `Hash User.status`.
  func name(_ order: OrderMethod, _ catalog: Catalog) -> String

  /// Returns the path with keys and bounds, as `explain` shows it.
  func text(_ printer: PathPrinter) -> String

  /// Returns what is wrong with it as the path of a set, one sentence for each thing.
  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String]

  /// Estimates the rows that it finds for known parameters; 0 where a value is null or unknown, or nothing hangs on one.
  func rows(_ known: KnownValues) -> Double
}

extension AccessForm {
  package func text(_ printer: PathPrinter) -> String { name(.natural, printer.catalog) }
  package func rows(_ known: KnownValues) -> Double { 0 }
}

/// A writer of access paths with their keys.
package struct PathPrinter {
  package let printer: ExpressionPrinter

  package init(_ printer: ExpressionPrinter) { self.printer = printer }

  var catalog: Catalog { printer.catalog }

  /// Returns the words of a key, which sees what encloses the set: one scope nearer than the set's predicate, which is
  /// how people write it.
  func key(_ expression: BoundExpression) -> String {
    printer.text(expression.mapReferences { $0.shifted(by: 1) })
  }

  func list(_ keys: [BoundExpression]) -> String { keys.map(key).joined(separator: ", ") }
}

/// The values of parameters, and the figures of the data under them.
package struct KnownValues {
  package let statistics: any Statistics
  private let query: BoundQuery
  private let parameters: [Value?]

  package init(_ query: BoundQuery, parameters: [Value?], statistics: any Statistics) {
    self.query = query
    self.parameters = parameters
    self.statistics = statistics
  }

  /// Returns the value of a constant or a parameter; nil for another expression.
  package func value(_ expression: BoundExpression) -> Value? {
    switch expression.kind {
    case .constant(let value): return value
    case .parameter(let index):
      guard parameters.indices.contains(index), query.parameters.indices.contains(index) else { return nil }
      return parameters[index] ?? query.parameters[index].defaultValue
    default: return nil
    }
  }

  func rows(_ index: IndexID, _ range: KeyRange) -> Double { Double(statistics.cardinality(index, range) ?? 0) }
}

extension BoundSet {
  /// Returns an index of its type; nil for a number that is none.
  func index(_ id: IndexID, _ catalog: Catalog) -> IndexDescriptor? {
    guard catalog.indexes.indices.contains(Int(id.index)), catalog[id].type == type else { return nil }
    return catalog[id]
  }

  /// Returns what is wrong with a path that finds rows of the whole type.
  func problemsOfAll() -> [String] {
    if case .all = source { return [] }
    return ["does not take its rows from its source"]
  }
}
