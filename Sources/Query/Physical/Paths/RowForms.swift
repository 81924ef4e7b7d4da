import GQLBase
import GQLCatalog

/// The set's own source.
struct SourceForm: AccessForm {
  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { "Source" }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    if case .all = set.source { return ["has no source to take its rows from"] }
    return []
  }
}

/// A scan of all rows.
struct ScanForm: AccessForm {
  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { "FullScan" }
  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] { set.problemsOfAll() }
}

/// No row.
struct EmptyForm: AccessForm {
  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { "Empty" }
  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] { set.problemsOfAll() }
}

/// The rows of a semi-join.
struct RowSetForm: AccessForm {
  let number: Int

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { "SemiJoin" }

  func text(_ printer: PathPrinter) -> String {
    let rowSets = printer.printer.rowSets
    guard rowSets.indices.contains(number) else { return "SemiJoin" }
    let test = BoundExpression(.inRowSet(.scope(0, rowSets[number].type), number), .boolean, at: SourceRange(at: 0))
    return "SemiJoin \(printer.printer.text(test))"
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] { set.problemsOfAll() }
}

/// A hash join.
struct HashJoinForm: AccessForm {
  let build: [BoundExpression]
  let keys: [BoundExpression]

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { "HashJoin" }

  func text(_ printer: PathPrinter) -> String {
    let pairs = zip(build, keys).map { "\(printer.printer.text($0)) == \(printer.key($1))" }
    return "HashJoin on \(pairs.joined(separator: " and "))"
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    build.isEmpty || build.count != keys.count ? ["joins \(build.count) values with \(keys.count)"] : []
  }
}

/// An intersection or a union of what some paths find.
struct CombinedForm: AccessForm {
  let paths: [AccessPath]
  let isUnion: Bool

  private var sign: String { isUnion ? " ∪ " : " ∩ " }

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    paths.map { $0.form.name(.natural, catalog) }.joined(separator: sign)
  }

  func text(_ printer: PathPrinter) -> String { paths.map { $0.form.text(printer) }.joined(separator: sign) }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    paths.isEmpty ? ["combines nothing"] : paths.flatMap { $0.form.problems(set, catalog) }
  }

  func rows(_ known: KnownValues) -> Double {
    isUnion
      ? paths.reduce(0) { $0 + $1.form.rows(known) } : paths.reduce(.infinity) { min($0, $1.form.rows(known)) }
  }
}
