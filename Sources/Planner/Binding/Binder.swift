import GQLBase
import GQLCatalog
import GQLParser

/// The state of binding one operation.
struct Binder {
  enum VariableKind {
    /// A value of `BoundQuery.parameters[i]`.
    case slot(Int)
    /// `<Type>Filter` or `<Type>Order`: its value is part of the query.
    case filter(EntityTypeID)
    case order(EntityTypeID)
    /// Another generated input type: its value is part of the query, too.
    case structure(GeneratedType)
    /// `<Type>Input` or a list of it: objects to save, in the parameter with this number.
    case input(EntityTypeID, Int)
    /// Declared with an unknown type, which is reported.
    case broken
  }

  struct Variable {
    var name: String
    var kind: VariableKind
    /// Nullable and without a default, so that it may be absent.
    var mayBeAbsent = false
    /// What stands in for a filter or an order that was not provided.
    var structuralDefault: Expression?
    var range: SourceRange
  }

  let catalog: Catalog
  let options: BindingOptions
  var fragments: [String: FragmentDefinition] = [:]
  /// The functions that the document defines.
  var functions: [String: FunctionDefinition] = [:]
  var usedFunctions: Set<String> = []
  /// The functions of the document inside which the place stands, outermost first.
  var callers: [String] = []
  /// A definition is checked by itself; what it calls is noted.
  var isCheckingFunction = false
  /// Variables stand for errors that are not reported: nothing is known of them.
  var acceptsAnyVariable = false
  var functionCalls: [(callee: String, range: SourceRange)] = []
  var variables: [String: Variable] = [:]
  var variableNames: [String] = []
  var usedVariables: Set<String> = []
  var usedFragments: Set<String> = []
  var query: BoundQuery
  var diagnostics: [Diagnostic] = []
  var reported: Set<DiagnosticKey> = []
  var nodes = 0
  var depth = 0
  var isExhausted = false
  var isTooDeep = false
  /// The selections around the one that is being bound, outermost first.
  var frames: [SelectionFrame] = []
  /// Fragments that spread themselves; nothing follows them.
  var cyclicFragments: Set<String> = []
  /// The operation's root type.
  var rootType = "Query"
  /// The values of the mutation field being bound.
  var values = MutationValues()
  /// What `new` is, within an upsert's `set:`.
  var newRow: NewRow?
  /// Whether `_inserted` has a meaning: within what an insert or an upsert answers.
  var answersRows = false
  /// Every grouping so far, with what was found out about it.
  var groups: [GroupBinding] = []

  struct DiagnosticKey: Hashable {
    var code: DiagnosticCode
    var range: SourceRange
    var message: String
  }

  init(catalog: Catalog, options: BindingOptions, name: String?) {
    self.catalog = catalog
    self.options = options
    query = BoundQuery(name: name, catalogVersion: catalog.version)
  }

  var isGraphQL: Bool { options.dialect == .graphql }

  /// Reports once: expansion may bind one place several times.
  mutating func report(_ problem: BindingProblem, at range: SourceRange, severity: Diagnostic.Severity = .error) {
    let diagnostic = problem.diagnostic(at: range, severity: severity)
    let key = DiagnosticKey(code: diagnostic.code, range: range, message: diagnostic.message)
    if reported.insert(key).inserted { diagnostics.append(diagnostic) }
  }

  // MARK: Limits

  /// Counts a node; false past the limit, which is reported once.
  mutating func count(at range: SourceRange) -> Bool {
    nodes += 1
    if nodes <= options.limits.nodes { return true }
    if !isExhausted {
      isExhausted = true
      report(.expansionLimit(limit: options.limits.nodes), at: range)
    }
    return false
  }

  /// Runs `body` one level deeper, or gives `fallback` past the limit.
  mutating func nested<Output>(
    at range: SourceRange, _ fallback: Output, _ body: (inout Binder) -> Output
  ) -> Output {
    guard depth < options.limits.depth else {
      if !isTooDeep { report(.depthLimit(limit: options.limits.depth), at: range) }
      isTooDeep = true
      return fallback
    }
    depth += 1
    defer { depth -= 1 }
    return body(&self)
  }

  // MARK: Sets and selections

  /// A place for a set, before the sets inside it: parents stand before children.
  mutating func reserveSet(_ type: EntityTypeID, at range: SourceRange) -> SetID {
    query.sets.append(BoundSet(type: type, source: .all, range: range))
    return SetID(query.sets.count - 1)
  }

  mutating func reserveSelection(of set: SetID) -> SelectionID {
    query.selections.append(BoundSelection(set: set, shape: .object([])))
    return SelectionID(query.selections.count - 1)
  }

  /// The one id property's column; nil for compound keys.
  func idColumn(of type: EntityTypeID) -> ColumnDescriptor? {
    let entity = catalog[type]
    guard entity.idProperties.count == 1, let property = entity.idProperties.first,
      case .column(let column, _) = entity[property].storage
    else { return nil }
    return entity[column]
  }

  func words(_ type: ValueType) -> String { catalog.words(for: type) }
}
