import GQLBase
import GQLCatalog

/// The rows that an index over the elements of lists offers.
struct ElementForm: AccessForm {
  let index: IndexID
  let column: ColumnID
  let values: [BoundExpression]

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    let type = catalog[catalog[index].type]
    return "\(catalog[index].kind.facts.planName) \(type.name).\(type[column].name)"
  }

  func text(_ printer: PathPrinter) -> String {
    "\(name(.natural, printer.catalog)) contains \(printer.list(values))"
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog), index.kind == .elements else {
      return ["looks for elements in what is no index of it over them"]
    }
    return index.columns.contains(column) && !values.isEmpty ? [] : ["looks for elements in another column"]
  }

  /// As few as for the rarest value.
  func rows(_ known: KnownValues) -> Double {
    let least = values.reduce(Double.infinity) { least, expression in
      guard let value = known.value(expression), !value.isNull else { return least }
      return min(least, known.rows(index, KeyRange(equal: [value])))
    }
    return least.isFinite ? least : 0
  }
}
