import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// One of the figures that the plan's choice depended on, made ready to be counted for the parameters of a run: what
/// `accessEstimates` reckons, from cells and without an allocation, because it is reckoned before every run.
enum AccessProbe {
  /// The rows that an operator finds.
  case rows(AccessOperator)
  /// The rows of its type that it does not find.
  case rest(AccessOperator)
  /// The value of a limit.
  case limit(ScalarSources)

  init(_ watched: WatchedEstimate, _ compiler: inout PlanCompiler) {
    switch watched {
    case .limit(let expression): self = .limit(ScalarSources([expression], compiler))
    // No estimate hangs on the type of rows.
    case .access(let path): self = .rows(compiler.access(path, path.type(compiler.catalog)))
    case .rest(let path, let type): self = .rest(compiler.access(path, type))
    }
  }

  /// Returns the figure for the parameters that are bound.
  func estimate(_ execution: Execution) -> Double {
    switch self {
    case .rows(let access): access.estimate(execution)
    case .rest(let access):
      max(0, Double(execution.snapshot.liveCount(access.type)) - access.estimate(execution))
    case .limit(let limit): Double(max(0, limit.cell(0, nil, 0, execution)?.int ?? 0))
    }
  }
}

extension AccessPath {
  /// The type whose rows it finds, where an index says so.
  fileprivate func type(_ catalog: Catalog) -> EntityTypeID {
    if case .timeRange(let type, _, _) = self { return type }
    return index.map { catalog[$0].type } ?? parts.first?.type(catalog) ?? EntityTypeID(0)
  }
}
