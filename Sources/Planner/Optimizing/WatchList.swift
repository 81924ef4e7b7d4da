import GQLCatalog
import GQLQuery

/// A list of what the choices among plans have depended on, and may not under other parameters; see
/// ``PhysicalPlan/watched``.
struct WatchList {
  private(set) var estimates: [WatchedEstimate] = []
  /// The paths among them.
  private var paths: Set<AccessPath> = []

  /// Adds a path, if its rows follow the parameters and are known from them.
  mutating func add(_ path: AccessPath) {
    var usesParameters = false
    var isKnowable = true
    for expression in path.keyExpressions {
      switch expression.kind {
      case .constant: break
      case .parameter: usesParameters = true
      default: isKnowable = false
      }
    }
    if usesParameters, isKnowable, paths.insert(path).inserted { estimates.append(.access(path)) }
  }

  /// Adds the rows of a type that a path does not find.
  mutating func add(restOf path: AccessPath, _ type: EntityTypeID) {
    if !estimates.contains(.rest(path, type)) { estimates.append(.rest(path, type)) }
  }

  func contains(_ path: AccessPath) -> Bool { paths.contains(path) }

  /// Adds a limit, if it is a parameter.
  mutating func add(limit: BoundExpression) {
    if case .parameter = limit.kind, !estimates.contains(.limit(limit)) { estimates.append(.limit(limit)) }
  }

  /// Forgets what was added since there were `count` estimates: the choice was for a plan that is best for all values.
  mutating func forget(from count: Int) {
    while estimates.count > count {
      if case .access(let path)? = estimates.popLast() { paths.remove(path) }
    }
  }
}

extension SetPlan {
  /// Indicates whether the path answers how many rows there are without looking at any, whatever the keys are.
  var countsByIndex: Bool {
    guard filter == nil else { return false }
    switch access {
    case .lookup, .range: return true
    default: return false
    }
  }
}
