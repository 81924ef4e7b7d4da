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
  let result = Analyzed<BoundQuery?>(binder.query, binder.diagnostics.first(options.limits.diagnostics))
  return result.hasErrors ? Analyzed(nil, result.diagnostics) : result
}

/// The operations of a document, in order.
package func operations(of document: Document) -> [OperationDefinition] {
  document.definitions.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
}

extension Binder {
  /// `first` has bound another operation of the document, and has declared what the document defines.
  func bindOperation(_ operation: OperationDefinition, in document: Document, after first: Binder? = nil) {
    lookAtInterruption(at: start(of: operation))
    self.document = document
    if let first { share(first) } else { declare(document) }
    declareVariables(operation.variables)
    checkOperationDirectives(operation)
    switch operation.operation {
    case .query, .subscription: break
    case .mutation:
      versionRefusal = .versionsOfMutation
      bindMutationSelection(SelectionSource(set: operation.selectionSet, environment: Environment()))
      return
    }
    if operation.operation == .subscription { rootType = "Subscription" }
    MomentBinder(binder: self).bindFields(operation)
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
    declarations = first.declarations
    checkedInputs = first.checkedInputs
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
      var variable = Variable(name: name, kind: .broken, definition: definition)
      switch declaredInput(definition.type) {
      case .broken: break
      case .saved(let type, let signature):
        var parameter = parameter(definition, signature)
        parameter.source = .input
        if let written = definition.defaultValue {
          parameter.defaultValue = savedDefault(written, name, signature)
        }
        variable.kind = .input(type, query.parameters.count)
        query.parameters.append(parameter)
      case .structure(let type):
        switch type {
        case .filter(let id): variable.kind = .filter(id)
        case .order(let id): variable.kind = .order(id)
        default: variable.kind = hasDeclaredNames(definition, type) ? .structure(type) : .broken
        }
        variable.structuralDefault = definition.defaultValue
        query.structuralParameters.append(name)
      case .declared(let type):
        variable.kind = .declared(type)
        variable.structuralDefault = definition.defaultValue
        query.structuralParameters.append(name)
      case .value(let signature):
        var parameter = parameter(definition, signature)
        if let written = definition.defaultValue { parameter.defaultValue = defaultValue(written, name, signature) }
        variable.kind = .slot(query.parameters.count)
        if holdsLinks(signature.type) { parameter.source = .input }
        query.parameters.append(parameter)
      }
      switch variable.kind {
      case .slot(let slot), .input(_, let slot):
        variable.mayBeAbsent = !query.parameters[slot].signature.isNonNull && definition.defaultValue == nil
      default: break
      }
      variables[name] = variable
      checkVariableDirectives(definition)
    }
  }

  private func parameter(_ definition: VariableDefinition, _ signature: TypeSignature) -> BoundParameter {
    BoundParameter(name: definition.name.text, signature: signature, defaultValue: nil, range: definition.name.range)
  }

  func checkVariableDirectives(_ definition: VariableDefinition) {
    for directive in definition.directives where directive.name.text != "deprecated" {
      unknown(directive, at: .variable)
    }
  }
}
