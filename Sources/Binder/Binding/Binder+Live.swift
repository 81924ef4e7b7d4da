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
}

extension Binder {
  /// Its arguments decide how answers are told, so they are no variables.
  func checkLive(_ directive: Directive, of operation: OperationDefinition) {
    if operation.operation == .mutation { report(.misplacedDirective(name: "live"), at: directive.name.range) }
    for argument in directive.arguments {
      let value = argument.value
      switch (argument.name.text, value.kind) {
      case (_, .null) where LiveDirective.names.contains(argument.name.text): break
      case ("mode", .name(let name)):
        if LiveDirective.modes.contains(name.text) { break }
        let near = suggest(name, LiveDirective.modes)
        report(.wrongValue(.unknownEnumValue(name: name.text, type: "LiveMode", near: near)), at: name.range)
      case ("every", .string(let literal)), ("tick", .string(let literal)):
        if LiveDirective.time(literal) != nil { break }
        report(.wrongValue(.malformed(text: literal.value, expected: .duration)), at: literal.range)
      case ("mode", _): report(.wrongType(found: "this value", expected: "'FULL' or 'DIFF'"), at: value.range)
      case ("every", _), ("tick", _):
        report(.wrongType(found: "this value", expected: "a Duration such as \"PT0.05S\""), at: value.range)
      default:
        let near = suggest(argument.name, LiveDirective.names)
        report(.unknownArgument(name: argument.name.text, of: "@live", near: near), at: argument.name.range)
      }
    }
  }
}
