import GQLBase
import GQLCatalog
import GQLParser

/// What the language's schema directives take.
package struct SchemaDirective: Sendable {
  enum Place {
    case field, object, abstract, abstractField, enumeration, enumValue, schema, other

    /// Says that a directive cannot stand here.
    var misplacement: SchemaProblem.Misplacement {
      switch self {
      case .field: .onField
      case .abstractField: .onAbstract
      case .enumValue: .onEnumValue
      case .abstract: .onAbstractType
      case .enumeration: .onEnum
      case .schema: .onSchema
      case .object, .other: .onType
      }
    }
  }

  package var name: String
  var onField: [String]?
  var onObject: [String]?
  var onAbstract: [String]?
  var onEnum: [String]?
  var onEnumValue: [String]?
  var onSchema: [String]?
  var isRepeatable = false

  package static let all: [SchemaDirective] = ofKeys + ofIndexes + others

  private static let ofKeys = [
    SchemaDirective(name: "id", onField: [], onObject: ["fields"]),
    SchemaDirective(name: "relation", onField: ["inverse", "onDelete"]),
  ]
  private static let ofIndexes = IndexDirective.all.map { index in
    SchemaDirective(
      name: index.name, onField: index.arguments + ["name"], onObject: index.arguments + ["name", "fields"],
      isRepeatable: true)
  }
  private static let others = [
    SchemaDirective(name: "default", onField: ["value"]),
    SchemaDirective(name: "computed", onField: ["as"]),
    SchemaDirective(name: "collate", onField: ["locale", "to", "CI"]),
    SchemaDirective(name: "root", onObject: ["one", "many"], onAbstract: ["one", "many"]),
    SchemaDirective(name: "source", onField: ["name", "mixed"], onObject: ["name"], onAbstract: ["name"]),
    SchemaDirective(name: "rowNumber", onField: []),
    SchemaDirective(name: "merge", onField: ["by"]),
    SchemaDirective(
      name: "was", onField: ["name"], onObject: ["name"], onAbstract: ["name"], onEnum: ["name"], onEnumValue: ["name"],
      isRepeatable: true),
    SchemaDirective(name: "number", onField: ["value"], onObject: ["value"], onAbstract: ["value"]),
    SchemaDirective(name: "history", onField: ["off"], onObject: ["for", "versions"]),
    SchemaDirective(name: "data", onSchema: ["from"], isRepeatable: true),
  ]
  /// GraphQL's own, which say nothing about storage.
  static let ignored: Set<String> = ["deprecated", "specifiedBy", "skip", "include", "oneOf"]
}

extension SchemaBuilder {
  /// Reports a directive that does not exist, stands in the wrong place or has unknown arguments.
  @discardableResult
  mutating func check(_ directive: Directive, on place: SchemaDirective.Place) -> Bool {
    let name = directive.name.text
    if SchemaDirective.ignored.contains(name) || declaredDirectives.contains(name) && !isOurs(name) { return false }
    guard let known = SchemaDirective.all.first(where: { $0.name == name }) else {
      let near = nearestNames(to: name, in: SchemaDirective.all.map(\.name))
      report(.unknownDirective(name: name, near: near), at: directive.name.range)
      return false
    }
    let arguments: [String]? =
      switch place {
      case .field: known.onField
      case .object: known.onObject
      case .abstract: known.onAbstract
      case .enumeration: known.onEnum
      case .enumValue: known.onEnumValue
      case .schema: known.onSchema
      case .abstractField, .other: nil
      }
    guard let arguments else {
      report(.misplacedDirective(name: name, reason: place.misplacement), at: directive.name.range)
      return false
    }
    for argument in directive.arguments where name != "collate" && !arguments.contains(argument.name.text) {
      let near = nearestNames(to: argument.name.text, in: arguments)
      report(
        .unknownDirectiveArgument(directive: name, argument: argument.name.text, near: near), at: argument.name.range)
    }
    return true
  }

  /// `@data` without a path would be no data at all.
  mutating func checkData(_ directive: Directive) {
    guard directive.name.text == "data" else { return }
    if argument("from", of: directive) == nil {
      report(
        .wrongDirectiveArgument(directive: "data", argument: "from", expected: "a path", near: []), at: directive.range)
    } else {
      _ = string("from", of: directive)
    }
  }

  /// Returns the name that data gives a type or a field, as `@source(name:)` says it; nil where nothing says so.
  mutating func sourceName(in list: [Directive]) -> String? {
    guard let directive = directives("source", of: list).first else { return nil }
    guard argument("name", of: directive) != nil else {
      if argument("mixed", of: directive) != nil { return nil }
      report(.missingDirectiveArgument(directive: "source", argument: "name"), at: directive.name.range)
      return nil
    }
    return string("name", of: directive)
  }

  /// Returns whether data may hold numbers and truth values for texts, as `@source(mixed: true)` says it.
  mutating func isMixed(_ list: [Directive], _ type: ValueType) -> Bool {
    guard let directive = list.first(where: { $0.name.text == "source" }),
      let written = argument("mixed", of: directive)
    else { return false }
    guard case .boolean(let value) = written.value.kind else {
      wrong(written, of: directive, expected: "true or false")
      return false
    }
    guard !value || type == .scalar(.string) || type == .list(.scalar(.string)) else {
      report(.misplacedDirective(name: "source", reason: .notText), at: directive.name.range)
      return false
    }
    return value
  }

  /// Returns how the field is merged, as `@merge(by: SUM)` says it; else nil. No union of embedded objects.
  mutating func mergeRule(in list: [Directive], _ type: ValueType) -> MergeRule? {
    guard let directive = directives("merge", of: list).first else { return nil }
    if argument("by", of: directive) == nil {
      report(.missingDirectiveArgument(directive: "merge", argument: "by"), at: directive.name.range)
    }
    var rules = MergeRule.fitting(type)
    if case .list(.entity(let target)) = type, isOwned(target) { rules.removeAll { $0 == .union } }
    return choice("by", of: directive, among: rules)
  }

  private func isOurs(_ name: String) -> Bool { SchemaDirective.all.contains { $0.name == name } }

  /// The directives of one name, the first only (and the others reported) unless it may be repeated.
  mutating func directives(_ name: String, of list: [Directive]) -> [Directive] {
    let found = list.filter { $0.name.text == name }
    guard found.count > 1, let known = SchemaDirective.all.first(where: { $0.name == name }), !known.isRepeatable else {
      return found
    }
    for repeated in found.dropFirst() { report(.repeatedDirective(name: name), at: repeated.name.range) }
    return Array(found.prefix(1))
  }

  func argument(_ name: String, of directive: Directive) -> Argument? {
    directive.arguments.first { $0.name.text == name }
  }

  mutating func string(_ name: String, of directive: Directive) -> String? {
    guard let argument = argument(name, of: directive) else { return nil }
    if case .string(let literal) = argument.value.kind { return literal.value }
    wrong(argument, of: directive, expected: "a String")
    return nil
  }

  /// An argument that is one of some names, written bare or quoted.
  mutating func choice<Choice: RawRepresentable>(
    _ name: String, of directive: Directive, among choices: [Choice]
  ) -> Choice? where Choice.RawValue == String {
    guard let argument = argument(name, of: directive) else { return nil }
    let written: String
    switch argument.value.kind {
    case .name(let name): written = name.text
    case .string(let literal): written = literal.value
    default: written = ""
    }
    if let choice = choices.first(where: { $0.rawValue == written }) { return choice }
    let names = choices.map(\.rawValue)
    wrong(
      argument, of: directive, expected: names.joined(separator: " or "), near: nearestNames(to: written, in: names))
    return nil
  }

  /// `fields: ["a", "b.c"]`, each with its range; nil where it is missing or wrong, which is reported.
  mutating func fields(of directive: Directive) -> [(path: String, range: SourceRange)]? {
    guard let argument = argument("fields", of: directive) else {
      report(
        .missingDirectiveArgument(directive: directive.name.text, argument: "fields"), at: directive.name.range)
      return nil
    }
    let elements: [Expression]
    if case .list(let list) = argument.value.kind { elements = list } else { elements = [argument.value] }
    var result: [(path: String, range: SourceRange)] = []
    for element in elements {
      switch element.kind {
      case .string(let literal): result.append((literal.value, element.range))
      case .name(let name): result.append((name.text, element.range))
      default:
        wrong(argument, of: directive, expected: "a list of field names")
        return nil
      }
    }
    if result.isEmpty {
      wrong(argument, of: directive, expected: "a list of field names")
      return nil
    }
    return result
  }

  mutating func wrong(_ argument: Argument, of directive: Directive, expected: String, near: [String] = []) {
    report(
      .wrongDirectiveArgument(
        directive: directive.name.text, argument: argument.name.text, expected: expected, near: near),
      at: argument.value.range)
  }
}

extension [Directive] {
  /// Why something should no longer be used; nil where nothing says so.
  var deprecation: String? {
    guard let directive = first(where: { $0.name.text == "deprecated" }) else { return nil }
    if let argument = directive.arguments.first(where: { $0.name.text == "reason" }),
      case .string(let literal) = argument.value.kind
    {
      return literal.value
    }
    return "No longer supported"
  }
}
