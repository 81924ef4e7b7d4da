import GQLBase
import GQLBinder
import GQLCatalog
import GQLParser
import GQLQuery

extension PreparedQuery {
  /// A variable that the operation declares.
  public struct Variable: Sendable, Hashable {
    /// The name without `$`.
    public var name: String
    /// The type as declared: `[ID!]!`.
    public var type: String
    /// Tells whether a value must be given: non-null and without default.
    public var isRequired: Bool
    /// Whether the command line gives the value as it is, rather than as JSON.
    package var isVerbatim: Bool
  }

  /// The variables that the operation declares, in order.
  public var variables: [Variable] {
    let node = document.definition(operation)
    let catalog = database.catalog
    return node.variables.map { variable in
      var isNonNull = false
      if case .nonNull = variable.type { isNonNull = true }
      return Variable(
        name: variable.name.text, type: variable.type.text,
        isRequired: isNonNull && variable.defaultValue == nil, isVerbatim: Self.isVerbatim(variable.type, catalog))
    }
  }

  /// Reads a variable from the command line.
  ///
  /// - Throws: ``QueryError`` if its type wants JSON and the text is none.
  package func value(of variable: Variable, from text: String) throws(QueryError) -> Value {
    if variable.isVerbatim { return .string(text) }
    return try Value(variables: Array(text.utf8), name: "$\(variable.name)")
  }

  /// Checks that filters and orders of non-null types have values; the other variables are checked as parameters.
  func checkRequiredStructural(_ variables: [String: Value]) throws(QueryError) {
    var diagnostics: [Diagnostic] = []
    for variable in document.definition(operation).variables where structural.contains(variable.name.text) {
      guard case .nonNull(let type, _) = variable.type else { continue }
      let name = variable.name.text
      let problem: VariableProblem
      switch variables[name] {
      case nil where variable.defaultValue == nil:
        problem = .missing(name: name, expected: "a \(type.text)")
      case .null?: problem = .wrong(path: "$\(name)", problem: .null(expected: "a \(type.text)"))
      default: continue
      }
      diagnostics.append(problem.diagnostic(at: variable.name.range))
    }
    if !diagnostics.isEmpty { throw QueryError(diagnostics, in: document.source) }
  }

  /// Checks that the numbers in a filter or an order are some, as those of parameters are when they are coerced.
  func checkNumbers(in raw: RawValue, of name: String, _ interruption: Interruption?) throws(QueryError) {
    var watch = InterruptionWatch(interruption)
    guard let path = raw.pathOfNoNumber(&watch) else {
      if watch.isDue { throw overdue(interruption) }
      return
    }
    let variable = document.definition(operation).variables.first { $0.name.text == name }
    let problem = VariableProblem.wrong(
      path: ValuePathStep.text(of: name, path), problem: .wrongKind(found: "no finite number", expected: "a number"))
    throw QueryError([problem.diagnostic(at: variable?.name.range ?? SourceRange(at: 0))], in: document.source)
  }

  private static func isVerbatim(_ type: TypeReference, _ catalog: Catalog) -> Bool {
    switch type {
    case .nonNull(let inner, _): return isVerbatim(inner, catalog)
    case .list: return false
    case .named(let name):
      if let scalar = ScalarType(rawValue: name.text) {
        switch scalar {
        case .string, .id, .dateTime, .date, .duration, .uuid, .bytes, .cursor: return true
        case .int, .float, .decimal, .boolean, .json: return false
        }
      }
      return catalog.enums.contains { $0.name == name.text } || catalog.hasGeneratedEnum(named: name.text)
    }
  }
}
