import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A type that a variable of an operation or of a fragment may have.
enum DeclaredInput {
  /// A value, computed when the query runs.
  case value(TypeSignature)
  /// `<Type>Input` or a list of it: objects that mutations save.
  case saved(EntityTypeID, TypeSignature)
  /// Another generated input type. Its value is part of the query.
  case structure(GeneratedType)
  /// An input type that the document or the schema defines, or a list of it. Its value is part of the query, too.
  case declared(TypeReference)
  /// An unknown type, which is reported.
  case broken
}

/// A variable that a fragment declares.
final class FragmentVariable {
  let name: Name
  let type: TypeReference
  let declared: DeclaredInput
  /// Nil where there is none, and where it is wrong.
  let defaultValue: Expression?
  let isNonNull: Bool

  init(_ definition: VariableDefinition, _ declared: DeclaredInput, default value: Expression?) {
    name = definition.name
    type = definition.type
    self.declared = declared
    defaultValue = value
    if case .nonNull = definition.type { isNonNull = true } else { isNonNull = false }
  }
}

extension Binder {
  /// Returns the meaning of a variable's type. Unknown types are reported.
  func declaredInput(_ reference: TypeReference) -> DeclaredInput {
    if isPlainScalar(reference.name.text) { return signature(of: reference).map { .value($0) } ?? .broken }
    if let signature = savedInput(reference) {
      var type = signature.type
      if case .list(let element) = type { type = element }
      guard case .entity(let id) = type else { return .broken }
      return .saved(id, signature)
    }
    if let type = generatedInput(reference) { return .structure(type) }
    if isDeclaredInput(reference) { return .declared(reference) }
    return signature(of: reference).map { .value($0) } ?? .broken
  }

  /// Returns whether a name is that of a scalar of the language, and neither document nor schema can mean another type.
  private func isPlainScalar(_ name: String) -> Bool {
    // Of many definitions a table is made.
    guard catalog.declarations.isEmpty, document.definitions.count <= 16, ScalarType(rawValue: name) != nil else {
      return false
    }
    return !document.definitions.contains { if case .type = $0 { true } else { false } }
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

  /// `UserFilter`, `[UserOrder!]` and the like.
  private func generatedInput(_ reference: TypeReference) -> GeneratedType? {
    switch reference {
    case .list(let inner, _), .nonNull(let inner, _): return generatedInput(inner)
    case .named(let name):
      for (suffix, isFilter) in [("Filter", true), ("Order", false)] where name.text.hasSuffix(suffix) {
        if let type = catalog.type(named: String(name.text.dropLast(suffix.count))) {
          return isFilter ? .filter(type.id) : .order(type.id)
        }
      }
      switch generated(name.text) {
      case .filter?, .order?, .fields?, .relationFilter?, .embeddedFilter?, .embeddedOrder?, .enumFilter?,
        .enumListFilter?, .scalarFilter?, .scalarListFilter?, .direction?, .deleted?, .strategy?, .undoExtent?:
        return generated(name.text)
      case .query?, .mutation?, .subscription?, .input?, .links?, .embeddedInput?, .access?, .expandLevel?,
        .liveMode?, .undo?, nil:
        return nil
      }
    }
  }

  /// Returns whether a name is that of a type of the language or the schema, or of a generated one.
  func isKnownType(_ name: String) -> Bool {
    ScalarType(rawValue: name) != nil || catalog.enums.contains { $0.name == name }
      || catalog.embeddedTypes.contains { $0.name == name } || catalog.type(named: name) != nil
      || GeneratedNames(catalog).types[name] != nil
  }

  /// Returns the meaning of a name that the schema does not define.
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
    if declarations.scalars.contains(name.text), !isKnownType(name.text) { return .json }
    if catalog.type(named: name.text) != nil {
      report(.notInputType(name: name.text), at: name.range)
      return nil
    }
    let known = ForeignName.types[name.text] ?? generatedName(of: name.text)
    report(
      .unknownType(name: name.text, near: known == nil ? suggest(name, inputTypeNames) : []),
      known.map { .write($0, over: name.range) }, at: name.range)
    return nil
  }

  /// The generated type that `TeamWhereInput` means.
  private func generatedName(of name: String) -> String? {
    for (written, ending) in ForeignName.inputEndings where name.hasSuffix(written) {
      let known = "\(name.dropLast(written.count))\(ending)"
      if generated(known) != nil { return known }
    }
    return nil
  }

  private var inputTypeNames: [String] {
    var known =
      ScalarType.allCases.map(\.rawValue) + declarations.scalars.sorted() + catalog.enums.map(\.name)
      + catalog.embeddedTypes.map(\.name)
    for type in catalog.types where !type.isElement {
      known += ["\(type.name)Filter", "\(type.name)Order"] + (type.isAbstract ? [] : ["\(type.name)Input"])
    }
    return known
  }

  /// Returns the value of a default, coerced to its type. What is wrong with it is reported.
  func defaultValue(_ written: Expression, _ variable: String, _ signature: TypeSignature) -> Value? {
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

  /// Returns the objects that a default of a type of mutations holds. What is wrong with it is reported.
  func savedDefault(_ written: Expression, _ variable: String, _ signature: TypeSignature) -> Value? {
    guard let raw = RawValue(written) else {
      report(.wrongDefault(variable: variable, problem: .notConstant), at: written.range)
      return nil
    }
    switch InputCoercion(catalog: catalog, origin: .document, ints: options.ints).coerce(raw, to: signature) {
    case .success(let value): return value
    case .failure(let failure):
      report(.wrongDefault(variable: variable, problem: failure.problem), at: written.range)
      return nil
    }
  }

  /// Returns whether a value of the type is an embedded object with links in it.
  func holdsLinks(_ type: ValueType) -> Bool {
    switch type {
    case .embedded(let id): catalog.holdsRelations(id)
    case .list(let element): holdsLinks(element)
    default: false
    }
  }
}
