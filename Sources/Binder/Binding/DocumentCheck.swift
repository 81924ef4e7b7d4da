import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Binds every operation, and checks what concerns the document as a whole: unused fragments and variables, names
/// defined twice, anonymous operations beside others. These are errors in the GraphQL dialect and lints elsewhere.
/// Without errors there is a query for each operation, in order.
package func checkDocument(
  _ document: Document, catalog: Catalog, options: BindingOptions = BindingOptions()
) -> Analyzed<[BoundQuery]> {
  var queries: [BoundQuery] = []
  var diagnostics: [Diagnostic] = []
  var usedFragments: Set<String> = []
  var usedFunctions: Set<String> = []
  var reported: Set<Binder.DiagnosticKey> = []
  let strict: Diagnostic.Severity = options.dialect == .graphql ? .error : .warning
  func add(_ diagnostic: Diagnostic) {
    let key = Binder.DiagnosticKey(code: diagnostic.code, range: diagnostic.range, message: diagnostic.message)
    if reported.insert(key).inserted { diagnostics.append(diagnostic) }
  }
  for diagnostic in schemaDirectiveProblems(document) { add(diagnostic) }
  let operations = operations(of: document)
  var first: Binder?
  var written = WrittenVariables(document: document)
  // What fragments and `let`s are expanded to is bounded for all operations together.
  var nodes = 0
  // What is not bound to its end may use more.
  var isPartial = false
  for operation in operations {
    let binder = Binder(catalog: catalog, options: options, name: operation.name?.text)
    binder.nodes = nodes
    binder.bindOperation(operation, in: document, after: first)
    nodes = binder.nodes
    options.interruption?.take(Binder.bytesOfOperation)
    if first == nil { first = binder }
    usedFragments.formUnion(binder.usedFragments)
    usedFunctions.formUnion(binder.usedFunctions)
    for diagnostic in binder.diagnostics { add(diagnostic) }
    if !binder.diagnostics.contains(where: { $0.severity == .error }) {
      queries.append(binder.query)
      for (range, relation) in binder.hasEvery ? binder.query.unbackedEverys(catalog) : [] {
        add(BindingProblem.unbackedEvery(relation: relation).diagnostic(at: range, severity: .warning))
      }
    }
    if options.interruption?.isDue ?? false { break }
    if binder.isExhausted || binder.isTooDeep { isPartial = true }
    // Operations that are not bound use nothing.
    if isPartial { continue }
    for variable in written.unused(operation, binder) {
      add(BindingProblem.unusedVariable(name: variable.name).diagnostic(at: variable.range, severity: strict))
    }
  }
  var names: [String: SourceRange] = [:]
  for operation in operations where operations.count > 1 {
    guard let name = operation.name else {
      if options.dialect == .graphql {
        add(BindingProblem.loneAnonymous.diagnostic(at: SourceRange(at: operation.range.start)))
      }
      continue
    }
    if let first = names[name.text] {
      add(BindingProblem.duplicateDefinition(name: name.text, first: first).diagnostic(at: name.range))
    } else {
      names[name.text] = name.range
    }
  }
  let areAllBound = !isPartial
  var fragments: [String: SourceRange] = [:]
  for case .fragment(let fragment) in document.definitions {
    let name = fragment.name
    if let first = fragments[name.text] {
      add(BindingProblem.duplicateDefinition(name: name.text, first: first).diagnostic(at: name.range))
      continue
    }
    fragments[name.text] = name.range
    if areAllBound, !operations.isEmpty, !usedFragments.contains(name.text) {
      add(BindingProblem.unusedFragment(name: name.text).diagnostic(at: name.range, severity: strict))
    }
  }
  for diagnostic in repeatedDeclarations(document) { add(diagnostic) }
  for diagnostic in functionProblems(document, catalog, options, used: usedFunctions) { add(diagnostic) }
  if areAllBound, !operations.isEmpty {
    for case .function(let function) in document.definitions where !usedFunctions.contains(function.name.text) {
      let name = function.name.text
      if Binder.isBuiltIn(name) || catalog.function(named: name) != nil { continue }
      add(BindingProblem.unusedFunction(name: name).diagnostic(at: function.name.range, severity: strict))
    }
  }
  diagnostics = diagnostics.first(options.limits.diagnostics)
  diagnostics.sort { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
  return Analyzed(queries, diagnostics)
}

/// The variables that stand in the text of operations and fragments: what is refused uses its variables too.
private struct WrittenVariables {
  let document: Document
  private lazy var ofFragments = Self.names(
    in: document.definitions.filter { if case .fragment = $0 { true } else { false } })

  init(document: Document) { self.document = document }

  /// Returns the variables that an operation does not use.
  mutating func unused(_ operation: OperationDefinition, _ binder: Binder) -> [Binder.Variable] {
    let unused = binder.variableNames.filter { !binder.usedVariables.contains($0) }.compactMap { binder.variables[$0] }
    guard !unused.isEmpty, binder.diagnostics.contains(where: { $0.severity == .error }) else { return unused }
    var body = operation
    body.variables = []
    let names = Self.names(in: [.operation(body)])
    return unused.filter { !names.contains($0.name) && !ofFragments.contains($0.name) }
  }

  /// Returns what stands behind each `$`.
  private static func names(in definitions: [Definition]) -> Set<String> {
    guard !definitions.isEmpty else { return [] }
    let text = print(Document(definitions: definitions))
    let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).dropFirst()
    return Set(parts.map { part in String(decoding: part.prefix { $0 == 0x5F || isAlphanumeric($0) }, as: UTF8.self) })
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }
}

/// Returns a problem for each input and directive that the document defines a second time.
private func repeatedDeclarations(_ document: Document) -> [Diagnostic] {
  var seen: [String: SourceRange] = [:]
  var result: [Diagnostic] = []
  for definition in document.definitions {
    let name: Name
    let key: String
    switch definition {
    case .type(let type) where type.kind == .inputObject && !type.isExtension: (name, key) = (type.name, type.name.text)
    case .directive(let directive): (name, key) = (directive.name, "@" + directive.name.text)
    default: continue
    }
    if let first = seen[key] {
      result.append(BindingProblem.duplicateDefinition(name: key, first: first).diagnostic(at: name.range))
    } else {
      seen[key] = name.range
    }
  }
  return result
}

/// What is wrong with the functions that the document defines, called or not.
private func functionProblems(
  _ document: Document, _ catalog: Catalog, _ options: BindingOptions, used: Set<String>
) -> [Diagnostic] {
  guard document.definitions.contains(where: { if case .function = $0 { true } else { false } }) else { return [] }
  let binder = Binder(catalog: catalog, options: options, name: nil)
  binder.declareFunctions(document)
  guard !binder.functions.isEmpty else { return binder.diagnostics }
  // Variables are an operation's; where one calls the function, they are checked.
  binder.acceptsAnyVariable = true
  var calls: [String: [(callee: String, range: SourceRange)]] = [:]
  for case .function(let function) in document.definitions {
    binder.functionCalls = []
    binder.checkFunction(function)
    calls[function.name.text] = binder.functionCalls
  }
  // Circles among functions that no operation reaches; the others are reported where they are bound. Each is visited
  // once, and without recursion, because chains may be long.
  var isDone: Set<String> = []
  for case .function(let function) in document.definitions where !used.contains(function.name.text) {
    var path = [function.name.text]
    var isOnPath: Set<String> = [function.name.text]
    var next = [0]
    while let name = path.last, let index = next.last {
      guard !isDone.contains(name), let list = calls[name], index < list.count else {
        isDone.insert(name)
        isOnPath.remove(name)
        path.removeLast()
        next.removeLast()
        continue
      }
      next[next.count - 1] += 1
      let (callee, range) = list[index]
      if isOnPath.contains(callee) {
        binder.report(.recursiveFunction(path: path + [callee]), at: range)
      } else if !isDone.contains(callee) {
        path.append(callee)
        isOnPath.insert(callee)
        next.append(0)
      }
    }
  }
  return binder.diagnostics
}

/// What is wrong with the directives of `extend schema` in a document that defines no types, so that no schema is built
/// from it.
private func schemaDirectiveProblems(_ document: Document) -> [Diagnostic] {
  var schema = document
  schema.definitions = document.definitions.filter { definition in
    if case .schema = definition { return true }
    return false
  }
  let definesTypes = document.definitions.contains { definition in
    if case .type = definition { return true }
    return false
  }
  return definesTypes || schema.definitions.isEmpty ? [] : buildCatalog(schema).diagnostics
}
