import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Values of variables whose types are generated enums, or lists of them: `[UnitField!]`, `SortDirection`.
///
/// What they say is part of the query, so they are coerced when it is bound, as GraphQL has it.
extension Binder {
  /// False, with a report at the declaration, for a value that the declared type does not have.
  func hasDeclaredNames(_ definition: VariableDefinition, _ type: GeneratedType) -> Bool {
    let name = definition.name.text
    guard let names = names(of: type), let value = options.structuralValues[name], !value.isNull,
      let failure = failure(of: value, as: definition.type, names, GeneratedNames(catalog)[type])
    else { return true }
    let path = ValuePathStep.text(of: name, failure.path)
    diagnostics.append(
      VariableProblem.wrong(path: path, problem: failure.problem).diagnostic(at: definition.name.range))
    return false
  }

  /// The values of a generated enum; nil for what is none. Fields of every kind may be named, because what is wrong with
  /// one is said where it is used.
  func names(of type: GeneratedType) -> [String]? {
    switch type {
    case .fields(let id): catalog[id].properties.map(\.name)
    case .direction: ["ASC", "DESC"]
    case .deleted: ["ONLY", "INCLUDE"]
    case .strategy: BoundConflict.Strategy.allCases.map(\.rawValue)
    case .undoExtent: BoundUndo.extents
    default: nil
    }
  }

  private func failure(
    of value: RawValue, as type: TypeReference, _ names: [String], _ enumeration: String
  ) -> CoercionFailure? {
    switch type {
    case .nonNull(let inner, _):
      if value.isNull { return CoercionFailure(.null(expected: words(inner))) }
      return failure(of: value, as: inner, names, enumeration)
    case .list(let element, _):
      // One value becomes a list of one.
      guard case .list(let values) = value else {
        return value.isNull ? nil : failure(of: value, as: element, names, enumeration)
      }
      for (index, value) in values.enumerated() {
        if let failure = failure(of: value, as: element, names, enumeration) { return failure.inside(.index(index)) }
      }
      return nil
    case .named:
      if value.isNull { return nil }
      guard case .text(let text) = value else {
        return CoercionFailure(.wrongKind(found: value.words, expected: "'\(enumeration)'"))
      }
      let name = text.string
      if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return nil }
      return CoercionFailure(
        .unknownEnumValue(name: name, type: enumeration, near: nearestNames(to: name, in: names)))
    }
  }

  func words(_ type: TypeReference) -> String {
    switch type {
    case .named(let name): "'\(name.text)'"
    case .nonNull(let inner, _): words(inner)
    case .list(let element, _): "a list of \(words(element))"
    }
  }
}
