import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// The state of binding one operation. A class, since whatever only reads of a value of so many parts copies them all.
///
/// What a hundred places call, such as ``report(_:at:severity:)``, is never inlined: it would be most of the module.
final class Binder {
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
    /// An input type that the document or the schema defines, or a list of it: its value is part of the query, too.
    case declared(TypeReference)
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
    /// As it is declared.
    var definition: VariableDefinition
    var range: SourceRange { definition.name.range }
  }

  let catalog: Catalog
  let options: BindingOptions
  /// The document whose definitions the operation sees.
  var document = Document(definitions: [])
  lazy var declarations = Declarations(document, catalog)
  /// The declared input types whose fields were looked at.
  var checkedInputs: Set<String> = []
  /// The structural variables and fields of declared inputs that are used and not given, as `r.max`.
  var absentInputs: Set<String> = []
  /// The values of variables of declared input types, by name; nil for null.
  var settledInputs: [String: Expression?] = [:]
  var fragments: [String: FragmentDefinition] = [:]
  /// The variables of the fragments that were spread so far.
  var fragmentVariables: [String: [FragmentVariable]] = [:]
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
  /// How many of the values in lists of structural variables are still bound without being counted.
  var freeValues: Int
  var depth = 0
  var isExhausted = false
  var isTooDeep = false
  /// The selections around the one that is being bound, outermost first.
  var frames: [SelectionFrame] = []
  var unreached = UnreachedFragments()
  /// Fragments that spread themselves; nothing follows them.
  var cyclicFragments: Set<String> = []
  /// Shared by the operations of a document.
  var suggestions: Suggestions
  /// The expressions of computed fields that were parsed already.
  var computedExpressions: [ComputedField: Expression] = [:]
  /// The computed fields that are being bound, one inside the other.
  var computing: [ComputedField] = []
  /// Where problems inside a computed field are reported: where it is used. Nil while a schema is checked.
  var computedRange: SourceRange?
  /// The operation's root type.
  var rootType = "Query"
  /// The values of the mutation field being bound.
  var values = MutationValues()
  /// What `new` is, within an upsert's `set:`.
  var newRow: NewRow?
  /// Why no versions of entities can be read here; nil where they can.
  var versionRefusal: BindingProblem?
  /// Whether `_inserted` has a meaning: within what an insert or an upsert answers.
  var answersRows = false
  /// Indicates whether an `every` over a set was bound.
  var hasEvery = false
  /// Every grouping so far, with what was found out about it.
  var groups: [GroupBinding] = []
  /// The selections around the place, outermost first, and that of the field whose arguments it stands in: the names of
  /// what they compute are none that it sees.
  var siblings: [[SelectionSource]] = []
  /// Where in the value of a variable the part stands that is being bound.
  var valuePath = ValuePath()
  /// Every `let` and parameter that scopes see.
  let lets = LetTable()
  /// The bytes of ``lets`` that are counted already.
  private var countedLets = 0
  /// Expressions in lists and objects that are used elsewhere than they stand.
  var captures: [Environment.Binding] = []

  /// Bytes of a problem with its words.
  private static let bytesOfProblem = 512
  /// Bytes of an operation besides its nodes, which are counted on their own.
  static let bytesOfOperation = 4096

  struct DiagnosticKey: Hashable {
    var code: DiagnosticCode
    var range: SourceRange
    var message: String
  }

  init(catalog: Catalog, options: BindingOptions, name: String?) {
    self.catalog = catalog
    self.options = options
    suggestions = Suggestions(problems: options.limits.diagnostics)
    query = BoundQuery(name: name, catalogVersion: catalog.version)
    query.writesIDsAsText = options.dialect == .graphql
    // Data, not expansion; but a document could name a variable many times.
    freeValues = 16 * options.structuralValues.values.reduce(0) { $0 + $1.elementCount }
  }

  var isGraphQL: Bool { options.dialect == .graphql }

  /// Reports once: expansion may bind one place several times.
  @inline(never)
  func report(_ problem: BindingProblem, at range: SourceRange, severity: Diagnostic.Severity = .error) {
    let range = computedRange ?? range
    var diagnostic = problem.diagnostic(at: range, severity: severity)
    if let place = valuePath.text { diagnostic.message = "\(place): \(diagnostic.message)" }
    let key = DiagnosticKey(code: diagnostic.code, range: range, message: diagnostic.message)
    if reported.insert(key).inserted {
      diagnostics.append(diagnostic)
      options.interruption?.take(Self.bytesOfProblem)
    }
  }

  /// Reports a problem with what to write, where that is known.
  func report(_ problem: BindingProblem, _ remedy: Remedy?, at range: SourceRange) {
    guard var remedy else { return report(problem, at: range) }
    // Values of variables and expressions of schemas stand elsewhere.
    if computedRange != nil || valuePath.text != nil { remedy.edits = [] }
    report(.habit(problem, remedy), at: range)
  }

  // MARK: Limits

  /// Counts nodes; false past the limit, which is reported once.
  func count(_ number: Int = 1, at range: SourceRange) -> Bool {
    let before = nodes
    nodes += number
    if nodes >> 9 != before >> 9 {
      let counted = (nodes >> 9 - before >> 9) << 9
      options.interruption?.take(counted * BoundExpression.bytesOfNode + lets.bytes - countedLets)
      countedLets = lets.bytes
      lookAtInterruption(at: range)
    }
    if nodes <= options.limits.nodes, !isExhausted { return true }
    if !isExhausted {
      isExhausted = true
      report(.expansionLimit(limit: options.limits.nodes), at: range)
    }
    return false
  }

  /// Ends binding if the caller does not wait any longer.
  func lookAtInterruption(at range: SourceRange) {
    guard !isExhausted, let diagnostic = options.interruption?.diagnostic(at: range) else { return }
    diagnostics.append(diagnostic)
    isExhausted = true
  }

  /// Runs `body` one level deeper, or gives `fallback` past the limit.
  func nested<Output>(
    at range: SourceRange, _ fallback: Output, _ body: (Binder) -> Output
  ) -> Output {
    guard depth < options.limits.depth else {
      if !isTooDeep { report(.depthLimit(limit: options.limits.depth), at: range) }
      isTooDeep = true
      return fallback
    }
    depth += 1
    defer { depth -= 1 }
    return body(self)
  }

  // MARK: Sets and selections

  /// A place for a set, before the sets inside it: parents stand before children.
  func reserveSet(_ type: EntityTypeID, at range: SourceRange) -> SetID {
    if let versionRefusal, catalog[type].pastRole != nil { report(versionRefusal, at: range) }
    query.sets.append(BoundSet(type: type, source: .all, range: range))
    return SetID(query.sets.count - 1)
  }

  func reserveSelection(of set: SetID) -> SelectionID {
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

  /// What names an entity: its id. Nil for compound keys, for the elements of lists of embedded objects, and for
  /// interfaces and unions whose types have ids of different types.
  func identity(of reference: EntityReference, _ type: EntityTypeID, at range: SourceRange) -> BoundExpression? {
    guard catalog[type].isAbstract else {
      return idColumn(of: type).map { BoundExpression(.column(reference, $0.id), $0.type, at: range) }
    }
    var parts: [BoundExpression] = []
    for member in memberReferences(of: reference, type) {
      guard let part = identity(of: member.reference, member.type, at: range) else { return nil }
      if let first = parts.first, first.type != part.type { return nil }
      parts.append(part)
    }
    guard let first = parts.first else { return nil }
    return parts.count == 1 ? first : BoundExpression(.coalesce(parts), first.type, at: range)
  }

  func words(_ type: ValueType) -> String { catalog.words(for: type) }
}
