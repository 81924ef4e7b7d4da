import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLLexer
import GQLParser
import GQLQuery

/// A parsed text: its operations, its schema parts, and the data that it names.
package final class QueryDocument: Sendable {
  package let source: SourceText
  package let document: Document
  package let dialect: Dialect
  /// Whether an Int has 32 bits only.
  let hasNarrowInts: Bool
  /// The limits that the document was read with, and that its operations run with unless a run says otherwise.
  package let limits: QueryLimits
  /// ``limits`` as a run takes them; nil where each run has a deadline of its own.
  let usualRunLimits: RunLimits?
  /// The operations by number.
  package let operations: [Int]
  private let nodes: [OperationDefinition]
  /// What the text defines for its operations, without these: what binding one of them looks through.
  let definitions: Document
  /// Bytes of the memory for preparing that reading the text has taken.
  let readBytes: Int
  /// Warnings of the parser.
  package let warnings: [Diagnostic]

  /// Parses a text.
  ///
  /// - Parameter tokens: The tokens of the text under the same limits, where they are known.
  /// - Throws: ``QueryError`` with every syntax error.
  package init(
    source: SourceText, dialect: Dialect, hasNarrowInts: Bool = false, limits: QueryLimits = .standard,
    options: RunOptions = RunOptions(), tokens: Analyzed<TokenBuffer>? = nil
  ) throws(QueryError) {
    if let fault = limits.fault {
      throw QueryError(code: DocumentProblem.wrongLimit.code, fault, file: source.name)
    }
    var parsing = limits.parser
    parsing.lexer.interruption = options.interruption(limits)
    let parsed = parse(source, dialect: dialect, limits: parsing, tokens: tokens)
    if parsed.hasErrors { throw QueryError(parsed.diagnostics, in: source) }
    readBytes = parsing.lexer.interruption?.memory?.taken ?? 0
    self.source = source
    self.dialect = dialect
    self.hasNarrowInts = hasNarrowInts
    self.limits = limits
    usualRunLimits = limits.time == nil ? limits.run : nil
    document = parsed.output
    warnings = parsed.diagnostics
    nodes = GQLBinder.operations(of: parsed.output)
    operations = Array(nodes.indices)
    var definitions = parsed.output
    definitions.definitions.removeAll { if case .operation = $0 { true } else { false } }
    self.definitions = definitions
  }

  package convenience init(
    name: String, bytes: [UInt8], dialect: QueryDialect, limits: QueryLimits = .standard,
    options: RunOptions = RunOptions()
  ) throws(QueryError) {
    try self.init(
      source: SourceText(name: name, bytes: bytes), dialect: dialect.dialect, hasNarrowInts: dialect == .graphqlStrict,
      limits: limits, options: options)
  }

  /// What binding depends on besides the catalog.
  var bindingOptions: BindingOptions {
    var options = BindingOptions(dialect: dialect, limits: limits.binding)
    if hasNarrowInts { options.ints = ValueCoercion.graphQLInts }
    return options
  }

  package var sourceName: String { source.name }
  package var schemaBytes: [UInt8] { source.bytes }

  /// The canonical form of a text, its comments kept.
  ///
  /// - Throws: ``QueryError`` with every syntax error.
  package static func formatted(
    name: String, bytes: [UInt8], dialect: QueryDialect
  ) throws(QueryError) -> [UInt8] {
    let source = SourceText(name: name, bytes: bytes)
    let formatted = format(source, dialect: dialect.dialect)
    if formatted.hasErrors { throw QueryError(formatted.diagnostics, in: source) }
    return Array(formatted.output.utf8)
  }

  /// The error for a document that has no operation to run.
  package func noOperationError() -> QueryError {
    QueryError(code: DocumentProblem.noOperation.code, "the document has no operation", file: source.name)
  }

  /// The error for an operation that is not there.
  package func unknownOperationError(_ name: String) -> QueryError {
    let names = operations.compactMap { operationName($0) }
    return QueryError(
      code: DocumentProblem.unknownOperation.code, "the document has no operation '\(name)'",
      help: nearestNames(to: name, in: names).first.map { "did you mean '\($0)'?" }, file: source.name)
  }

  /// The name of an operation.
  package func operationName(_ operation: Int) -> String? { nodes[operation].name?.text }

  /// The names of the variables that operations declare: all of them, or those of one name.
  package func variableNames(of operation: String?) -> Set<String> {
    let chosen = nodes.filter { operation == nil || $0.name?.text == operation }
    return Set(chosen.flatMap { $0.variables.map(\.name.text) })
  }

  /// The names of the variables that stand somewhere in the text.
  package var usedVariableNames: Set<String> {
    let tokens = tokenize(source, limits: limits.parser.lexer).output
    let names = tokens.kinds.indices.dropFirst().filter { tokens.kinds[$0 - 1] == .dollar && tokens.kinds[$0] == .name }
    return Set(names.map { source.string(tokens.range(at: $0)) })
  }

  func definition(_ operation: Int) -> OperationDefinition { nodes[operation] }

  /// Whether the text defines types: then it is (part of) the schema that its operations run on.
  package var definesTypes: Bool {
    document.definitions.contains {
      switch $0 {
      case .type(let type): type.kind != .inputObject
      case .schema, .operation, .fragment, .function, .directive: false
      }
    }
  }

  /// Indicates whether operations change data and look back at it, so that a program which runs all of them keeps versions.
  package var looksBack: Bool {
    guard hasMutations else { return false }
    let text = String(decoding: source.bytes, as: UTF8.self)
    return text.contains("@asOf") || text.contains(BoundUndo.field)
  }

  /// Indicates whether its operations may read versions of entities.
  var mayReadVersions: Bool {
    let text = String(decoding: source.bytes, as: UTF8.self)
    return text.contains(VersionCatalog.argumentName) || text.contains(VersionCatalog.changesName)
  }

  /// Whether an operation changes data.
  package var hasMutations: Bool { nodes.contains { $0.operation == .mutation } }

  /// The paths that `extend schema @data(from:)` names, as written.
  package var dataPaths: [String] { dataSources(document).map(\.path) }

  /// Makes the error for data that the document must not name.
  ///
  /// - Parameters:
  ///   - path: The path as written; nil for the first one.
  ///   - help: What may be done.
  package func dataNotAllowedError(_ path: String?, _ message: String, help: String) -> QueryError {
    let place = dataSources(document).first { path == nil || $0.path == path }?.range ?? SourceRange(at: 0)
    return QueryError(
      [Diagnostic(DocumentProblem.dataNotAllowed.code, message, at: place, help: help)], in: source)
  }

  /// Binds every operation.
  ///
  /// - Throws: ``QueryError`` with every problem of the document, if one is an error.
  /// - Returns: a query for each of ``operations``, and warnings.
  package func bound(
    _ catalog: Catalog, commands: [CommandDescriptor] = [], run: RunOptions = RunOptions()
  ) throws(QueryError) -> (queries: [BoundQuery], warnings: [Diagnostic]) {
    var options = bindingOptions
    options.commands = commands
    options.interruption = run.interruption(limits, used: readBytes)
    let checked = checkDocument(document, catalog: catalog, options: options)
    if checked.hasErrors { throw QueryError(warnings + checked.diagnostics, in: source) }
    return (checked.output, warnings + checked.diagnostics)
  }
}
