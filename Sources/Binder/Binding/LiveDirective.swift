import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A request to answer again whenever the answer changes: `subscription`, `@live(mode:, every:, tick:)`.
package struct LiveDirective: Sendable, Hashable {
  /// Indicates whether later answers are told as differences from the last one.
  package var isDifferential = false
  /// The shortest time between two answers, in microseconds; nil for none.
  package var every: Int64?
  /// The time after which `now()` moves though nothing has changed, in microseconds; nil for never.
  package var tick: Int64?

  /// Nil if the operation asks for one answer. The binder has checked the arguments.
  package init?(_ operation: OperationDefinition) {
    let directive = operation.directives.first { $0.name.text == "live" }
    if directive == nil, operation.operation != .subscription { return nil }
    for argument in directive?.arguments ?? [] {
      switch (argument.name.text, argument.value.kind) {
      case ("mode", .name(let name)): isDifferential = name.text == "DIFF"
      case ("every", .string(let literal)): every = Self.time(literal)
      case ("tick", .string(let literal)): tick = Self.time(literal)
      default: break
      }
    }
  }

  static let modes = ["FULL", "DIFF"]
  static let names = ["mode", "every", "tick"]

  /// Reads a time that is not negative.
  static func time(_ literal: StringLiteral) -> Int64? {
    let time = Array(literal.value.utf8).withUnsafeBufferPointer { CivilTime.parseDuration($0) }
    return time.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Finds what is wrong with a directive. Its arguments decide how answers are told, so they are no variables.
  static func problems(of directive: Directive, on operation: OperationDefinition) -> [(BindingProblem, SourceRange)] {
    var problems: [(BindingProblem, SourceRange)] = []
    if operation.operation == .mutation { problems.append((.misplacedDirective(name: "live"), directive.name.range)) }
    for argument in directive.arguments {
      let value = argument.value
      switch (argument.name.text, value.kind) {
      case (_, .null) where names.contains(argument.name.text): break
      case ("mode", .name(let name)):
        if modes.contains(name.text) { break }
        let near = nearestNames(to: name.text, in: modes)
        let problem = CoercionProblem.unknownEnumValue(name: name.text, type: "LiveMode", near: near)
        problems.append((.wrongValue(problem), name.range))
      case ("every", .string(let literal)), ("tick", .string(let literal)):
        if time(literal) != nil { break }
        problems.append((.wrongValue(.malformed(text: literal.value, expected: .duration)), literal.range))
      case ("mode", _):
        problems.append((.wrongType(found: "this value", expected: "'FULL' or 'DIFF'"), value.range))
      case ("every", _), ("tick", _):
        let expected = "a Duration such as \"PT0.05S\""
        problems.append((.wrongType(found: "this value", expected: expected), value.range))
      default:
        let near = nearestNames(to: argument.name.text, in: names)
        problems.append((.unknownArgument(name: argument.name.text, of: "@live", near: near), argument.name.range))
      }
    }
    return problems
  }
}
