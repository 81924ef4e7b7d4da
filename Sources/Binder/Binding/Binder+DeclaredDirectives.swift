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
    for argument in directive.arguments {
      let known = definition.arguments
      guard let declared = known.first(where: { $0.name.text == argument.name.text }) else {
        let near = suggest(argument.name, known.map(\.name.text))
        report(.unknownArgument(name: argument.name.text, of: "@\(name)", near: near), at: argument.name.range)
        continue
      }
      guard given.insert(argument.name.text).inserted else {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
        continue
      }
      check(argument.value, is: declared.type)
    }
    for argument in definition.arguments where !given.contains(argument.name.text) {
      guard case .nonNull = argument.type, argument.defaultValue == nil else { continue }
      report(.missingDirectiveArgument(directive: name, name: argument.name.text), at: directive.range)
    }
  }

  /// Checks a constant against the type of an argument. A variable is used by it.
  private func check(_ value: Expression, is type: TypeReference) {
    let written = value.unparenthesized
    // Where variables stand in it, their values decide.
    if holdsVariables(written) { return }
    guard let raw = RawValue(written) else {
      return report(.wrongValue(.notConstant), at: value.range)
    }
    if case .object(let fields) = written.kind { checkRepeats(fields) }
    _ = settled(raw, type, .document, at: value.range)
  }

  /// Returns whether variables stand in a value. They are used by it; unknown ones are reported.
  private func holdsVariables(_ value: Expression) -> Bool {
    switch value.kind {
    case .variable(let name):
      usedVariables.insert(name.text)
      let isOfFragment = fragmentVariables.values.contains { $0.contains { $0.name.text == name.text } }
      if variables[name.text] == nil, !isOfFragment {
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
