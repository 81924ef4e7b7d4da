import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Directives that the document or the schema defines. They say nothing to the engine; their use is checked.
extension Binder {
  /// The places in documents where a directive may stand, by the names of GraphQL.
  enum DirectivePlace: String {
    case query = "QUERY"
    case mutation = "MUTATION"
    case subscription = "SUBSCRIPTION"
    case field = "FIELD"
    case fragment = "FRAGMENT_DEFINITION"
    case spread = "FRAGMENT_SPREAD"
    case inlineFragment = "INLINE_FRAGMENT"
    case variable = "VARIABLE_DEFINITION"
  }

  /// Returns the definition of a directive that is none of the language's.
  func declaredDirective(_ name: String) -> DirectiveDefinition? {
    Self.knownDirectives.contains(name) ? nil : declarations.directives[name]
  }

  /// Checks the place and the arguments of a directive that is defined.
  func check(_ directive: Directive, _ definition: DirectiveDefinition, at place: DirectivePlace) {
    let name = directive.name.text
    if !definition.locations.contains(where: { $0.text == place.rawValue }) {
      report(.misplacedDirective(name: name), at: directive.name.range)
    }
    var given: Set<String> = []
    let known = Dictionary(definition.arguments.map { ($0.name.text, $0) }) { first, _ in first }
    for argument in directive.arguments {
      guard let declared = known[argument.name.text] else {
        let near = suggest(argument.name, definition.arguments.map(\.name.text))
        report(.unknownArgument(name: argument.name.text, of: "@\(name)", near: near), at: argument.name.range)
        continue
      }
      guard given.insert(argument.name.text).inserted else {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
        continue
      }
      check(argument.value, is: declared.type, hasDefault: declared.defaultValue != nil)
    }
    for argument in definition.arguments where !given.contains(argument.name.text) {
      guard case .nonNull = argument.type, argument.defaultValue == nil else { continue }
      report(.missingDirectiveArgument(directive: name, name: argument.name.text), at: directive.range)
    }
  }

  /// Checks a value against the type of an argument. A variable is used by it.
  private func check(_ value: Expression, is type: TypeReference, hasDefault: Bool = false) {
    let written = value.unparenthesized
    if holdsVariables(written) { return checkVariables(in: written, type, hasDefault: hasDefault) }
    guard let raw = RawValue(written) else {
      return report(.wrongValue(.notConstant), at: value.range)
    }
    if case .object(let fields) = written.kind { checkRepeats(fields) }
    _ = settled(raw, type, .document, at: value.range)
  }

  /// Checks a value that has variables in it: each must have the type of its place.
  private func checkVariables(in value: Expression, _ type: TypeReference, hasDefault: Bool = false) {
    switch (value.kind, type.withoutNonNull) {
    case (.variable(let name), _):
      // A fragment's variable has the type that the fragment says, which is checked where it is spread.
      guard !isOfFragment(name), let variable = variables[name.text] else { return }
      if accepts(variable.definition, type, hasDefault: hasDefault) { return }
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(variable.definition.type.text)'", expected: "'\(type.text)'"), at: name.range)
    case (.list(let elements), .list(let element, _)): for part in elements { check(part, is: element) }
    case (_, .list(let element, _)): check(value, is: element)
    case (.object(let fields), .named(let name)):
      checkRepeats(fields)
      guard let input = declaredInput(named: name.text) else { return }
      for field in fields {
        if let declared = input.field(named: field.name.text) {
          check(field.value, is: declared.type, hasDefault: declared.defaultValue != nil)
        } else {
          let known = input.definition.inputFields.map(\.name.text)
          reportUnknownField(field.name, of: name.text, among: known)
        }
      }
    default: return
    }
  }

  /// Returns whether GraphQL lets a variable stand where a type is wanted: rule *All Variable Usages Are Allowed*.
  private func accepts(_ variable: VariableDefinition, _ wanted: TypeReference, hasDefault: Bool) -> Bool {
    if case .nonNull(let inner, _) = wanted, variable.type.withoutNonNull.text == variable.type.text {
      let isGiven = hasDefault || variable.defaultValue.map { $0.unparenthesized.kind != .null } ?? false
      return isGiven && isSubtype(variable.type, of: inner)
    }
    return isSubtype(variable.type, of: wanted)
  }

  private func isSubtype(_ type: TypeReference, of wanted: TypeReference) -> Bool {
    switch (type, wanted) {
    case (.nonNull(let inner, _), .nonNull(let other, _)): isSubtype(inner, of: other)
    case (_, .nonNull): false
    case (.nonNull(let inner, _), _): isSubtype(inner, of: wanted)
    case (.list(let inner, _), .list(let other, _)): isSubtype(inner, of: other)
    case (.named(let name), .named(let other)): name.text == other.text
    default: false
    }
  }

  private func isOfFragment(_ name: Name) -> Bool {
    fragmentVariables.values.contains { $0.contains { $0.name.text == name.text } }
  }

  /// Returns whether variables stand in a value. They are used by it; unknown ones are reported.
  private func holdsVariables(_ value: Expression) -> Bool {
    switch value.kind {
    case .variable(let name):
      usedVariables.insert(name.text)
      if variables[name.text] == nil, !isOfFragment(name) {
        report(.unknownVariable(name: name.text, near: suggest(name, variableNames)), at: name.range)
      }
      return true
    case .list(let elements): return elements.filter { holdsVariables($0) }.isEmpty == false
    case .object(let fields): return fields.filter { holdsVariables($0.value) }.isEmpty == false
    case .parenthesized(let inner): return holdsVariables(inner)
    default: return false
    }
  }
}
