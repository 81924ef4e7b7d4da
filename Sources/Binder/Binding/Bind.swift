import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Names to identifiers: the bound form of one operation, nil where it has an error. Total.
///
/// Only the operation and the fragments that it reaches are checked; see ``checkDocument(_:catalog:options:)``.
package func bind(
  _ document: Document, operation: OperationDefinition, catalog: Catalog, options: BindingOptions = BindingOptions()
) -> Analyzed<BoundQuery?> {
  let binder = Binder(catalog: catalog, options: options, name: operation.name?.text)
  binder.bindOperation(operation, in: document)
  let result = Analyzed<BoundQuery?>(binder.query, binder.diagnostics)
  return result.hasErrors ? Analyzed(nil, binder.diagnostics) : result
}

/// The operations of a document, in order.
package func operations(of document: Document) -> [OperationDefinition] {
  document.definitions.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
}

extension Binder {
  /// `first` has bound another operation of the document, and has declared what the document defines.
  func bindOperation(_ operation: OperationDefinition, in document: Document, after first: Binder? = nil) {
    lookAtInterruption(at: start(of: operation))
    if let first { share(first) } else { declare(document) }
    declareVariables(operation.variables)
    checkOperationDirectives(operation.directives)
    switch operation.operation {
    case .query: break
    case .mutation:
      bindMutationSelection(SelectionSource(set: operation.selectionSet, environment: Environment()))
      return
    case .subscription:
      report(.notSupportedYet(.subscription), at: start(of: operation))
      return
    }
    query.fields = bindRootSelection([SelectionSource(set: operation.selectionSet, environment: Environment())])
    finishPaging()
  }

  private func declare(_ document: Document) {
    var definitions: [FragmentDefinition] = []
    for case .fragment(let fragment) in document.definitions where fragments[fragment.name.text] == nil {
      fragments[fragment.name.text] = fragment
      definitions.append(fragment)
    }
    findFragmentCycles(definitions)
    declareFunctions(document)
  }

  /// Takes over the definitions of the document, whose problems are reported already.
  private func share(_ first: Binder) {
    fragments = first.fragments
    cyclicFragments = first.cyclicFragments
    functions = first.functions
    suggestions = first.suggestions
  }

  /// The operation's head, not its whole text.
  private func start(of operation: OperationDefinition) -> SourceRange {
    operation.name?.range
      ?? SourceRange(start: operation.range.start, end: max(operation.range.start, operation.selectionSet.range.start))
  }

  private func declareVariables(_ definitions: [VariableDefinition]) {
    for definition in definitions {
      let name = definition.name.text
      if variables[name] != nil {
        report(.duplicateVariable(name: name), at: definition.name.range)
        continue
      }
      variableNames.append(name)
      var variable = Variable(name: name, kind: .broken, range: definition.name.range)
      if let signature = savedInput(definition.type) {
        declareInput(definition, signature, &variable)
      } else if let kind = generatedInput(definition.type) {
        variable.kind = kind
        variable.structuralDefault = definition.defaultValue
        if case .structure(let type) = kind, !hasDeclaredNames(definition, type) { variable.kind = .broken }
        query.structuralParameters.append(name)
      } else if let signature = signature(of: definition.type) {
        var defaultValue: Value?
        if let written = definition.defaultValue { defaultValue = self.defaultValue(written, name, signature) }
        variable.kind = .slot(query.parameters.count)
        variable.mayBeAbsent = !signature.isNonNull && definition.defaultValue == nil
        var parameter = BoundParameter(
          name: name, signature: signature, defaultValue: defaultValue, range: definition.name.range)
        if holdsLinks(signature.type) { parameter.source = .input }
        query.parameters.append(parameter)
      }
      variables[name] = variable
      for directive in definition.directives where directive.name.text != "deprecated" {
        report(.unknownDirective(name: directive.name.text, near: []), at: directive.name.range)
      }
    }
  }

  /// Whether a value of the type is an embedded object with links in it.
  private func holdsLinks(_ type: ValueType) -> Bool {
    switch type {
    case .embedded(let id): catalog.holdsRelations(id)
    case .list(let element): holdsLinks(element)
    default: false
    }
  }

  /// A variable of the type `<Type>Input`, or a list of them.
  private func declareInput(
    _ definition: VariableDefinition, _ signature: TypeSignature, _ variable: inout Variable
  ) {
    var type = signature.type
    if case .list(let element) = type { type = element }
    guard case .entity(let id) = type else { return }
    var parameter = BoundParameter(
      name: variable.name, signature: signature, defaultValue: nil, range: definition.name.range)
    parameter.source = .input
    if let written = definition.defaultValue {
      guard let raw = RawValue(written) else {
        return report(.wrongDefault(variable: variable.name, problem: .notConstant), at: written.range)
      }
      switch InputCoercion(catalog: catalog, origin: .document, ints: options.ints).coerce(raw, to: signature) {
      case .success(let value): parameter.defaultValue = value
      case .failure(let failure):
        report(.wrongDefault(variable: variable.name, problem: failure.problem), at: written.range)
      }
    }
    variable.kind = .input(id, query.parameters.count)
    variable.mayBeAbsent = !signature.isNonNull && definition.defaultValue == nil
    query.parameters.append(parameter)
  }

  /// The type of `UserInput`, `[UserInput!]!` and the like; nil for every other type.
  private func savedInput(_ reference: TypeReference) -> TypeSignature? {
    switch reference {
    case .nonNull(let inner, _):
      guard var signature = savedInput(inner) else { return nil }
      signature.isNonNull = true
      return signature
    case .list(let inner, _):
      guard let element = savedInput(inner), case .entity = element.type else { return nil }
      return TypeSignature(.list(element.type), isElementNonNull: element.isNonNull)
    case .named(let name):
      guard name.text.hasSuffix("Input"), ScalarType(rawValue: name.text) == nil,
        !catalog.enums.contains(where: { $0.name == name.text }),
        !catalog.embeddedTypes.contains(where: { $0.name == name.text }),
        let type = catalog.type(named: String(name.text.dropLast(5))), type.kind == .entity
      else { return nil }
      return TypeSignature(.entity(type.id))
    }
  }

  private func defaultValue(
    _ written: Expression, _ variable: String, _ signature: TypeSignature
  ) -> Value? {
    guard let raw = RawValue(written) else {
      // `= (20 + 5)`: an expression over constants.
      guard
        let bound = coerce(bindOperand(written, Environment()), to: signature.type, Environment(), at: written.range)
      else { return nil }
      if let value = constantValue(bound), !(value.isNull && signature.isNonNull) { return value }
      report(.wrongDefault(variable: variable, problem: .notConstant), at: written.range)
      return nil
    }
    let outcome =
      holdsLinks(signature.type)
      ? InputCoercion(catalog: catalog, origin: .document, ints: options.ints).coerce(raw, to: signature)
      : ValueCoercion(catalog: catalog, origin: .document, ints: options.ints).coerce(raw, to: signature)
    switch outcome {
    case .success(let value): return value
    case .failure(let failure):
      report(.wrongDefault(variable: variable, problem: failure.problem), at: written.range)
      return nil
    }
  }

  /// `UserFilter`, `[UserOrder!]` and the like.
  private func generatedInput(_ reference: TypeReference) -> VariableKind? {
    switch reference {
    case .list(let inner, _), .nonNull(let inner, _): return generatedInput(inner)
    case .named(let name):
      for (suffix, isFilter) in [("Filter", true), ("Order", false)] where name.text.hasSuffix(suffix) {
        if let type = catalog.type(named: String(name.text.dropLast(suffix.count))) {
          return isFilter ? .filter(type.id) : .order(type.id)
        }
      }
      switch generated(name.text) {
      case .filter(let type)?: return .filter(type)
      case .order(let type)?: return .order(type)
      case .fields?, .relationFilter?, .embeddedFilter?, .embeddedOrder?, .enumFilter?, .enumListFilter?,
        .scalarFilter?,
        .scalarListFilter?, .direction?, .deleted?, .strategy?:
        return generated(name.text).map { .structure($0) }
      case .query?, .mutation?, .subscription?, .input?, .links?, .embeddedInput?, .access?, .expandLevel?,
        .liveMode?, nil:
        return nil
      }
    }
  }

  /// What a name means that the schema does not define.
  private func generated(_ name: String) -> GeneratedType? {
    if ScalarType(rawValue: name) != nil || catalog.enums.contains(where: { $0.name == name })
      || catalog.embeddedTypes.contains(where: { $0.name == name }) || catalog.type(named: name) != nil
    {
      return nil
    }
    return GeneratedNames(catalog).types[name]
  }

  private func signature(of reference: TypeReference) -> TypeSignature? {
    switch reference {
    case .named(let name): return inputType(name).map { TypeSignature($0) }
    case .nonNull(let inner, _):
      guard var result = signature(of: inner) else { return nil }
      result.isNonNull = true
      return result
    case .list(let inner, _):
      guard let element = signature(of: inner) else { return nil }
      var result = TypeSignature(.list(element.type), isElementNonNull: element.isNonNull)
      if case .list = element.type { result.innerNonNull = [element.isElementNonNull] + element.innerNonNull }
      return result
    }
  }

  private func inputType(_ name: Name) -> ValueType? {
    if let scalar = ScalarType(rawValue: name.text) { return .scalar(scalar) }
    if let type = catalog.enums.first(where: { $0.name == name.text }) { return .enumeration(type.id) }
    if let type = catalog.embeddedTypes.first(where: { $0.name == name.text }) { return .embedded(type.id) }
    if case .embeddedInput(let type)? = generated(name.text) { return .embedded(type) }
    if catalog.type(named: name.text) != nil {
      report(.notInputType(name: name.text), at: name.range)
      return nil
    }
    report(.unknownType(name: name.text, near: suggest(name, inputTypeNames)), at: name.range)
    return nil
  }

  private var inputTypeNames: [String] {
    var known = ScalarType.allCases.map(\.rawValue) + catalog.enums.map(\.name) + catalog.embeddedTypes.map(\.name)
    for type in catalog.types where !type.isElement {
      known += ["\(type.name)Filter", "\(type.name)Order"] + (type.isAbstract ? [] : ["\(type.name)Input"])
    }
    return known
  }
}
