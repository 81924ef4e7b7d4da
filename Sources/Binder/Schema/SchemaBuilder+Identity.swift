import GQLBase
import GQLCatalog
import GQLParser

/// `@was(name:)` and `@number(value:)`: what a type, a field or a value of an enum is recognized by in another schema.
extension SchemaBuilder {
  /// Returns what the directives say; what is wrong with them is reported.
  mutating func identity(in list: [Directive]) -> Identity {
    var identity = Identity()
    for directive in list where directive.name.text == "was" {
      guard let argument = argument("name", of: directive) else {
        report(.missingDirectiveArgument(directive: "was", argument: "name"), at: directive.name.range)
        continue
      }
      guard let name = string("name", of: directive) else { continue }
      if name.isEmpty {
        wrong(argument, of: directive, expected: "a name")
      } else {
        identity.formerNames.append(name)
      }
    }
    guard let directive = directives("number", of: list).first else { return identity }
    guard let argument = argument("value", of: directive) else {
      report(.missingDirectiveArgument(directive: "number", argument: "value"), at: directive.name.range)
      return identity
    }
    identity.number = Self.number(argument)
    if identity.number == nil {
      wrong(argument, of: directive, expected: "a whole number from 1 to \(Identity.greatestNumber)")
    }
    return identity
  }

  private static func number(_ argument: Argument) -> Int64? {
    guard case .int(let digits) = argument.value.kind, let number = Int64(digits),
      (1...Identity.greatestNumber).contains(number)
    else { return nil }
    return number
  }

  /// Reports former names and numbers that two types have, two fields of one type, or two values of an enum.
  mutating func checkIdentities() {
    checkIdentities(of: drafts.map { ($0.definition.name.text, $0.definition.directives) }, in: nil)
    for draft in drafts {
      checkIdentities(
        of: draft.definition.fields.map { ($0.name.text, $0.directives) }, in: draft.definition.name.text)
      checkIdentities(
        of: draft.definition.values.map { ($0.name.text, $0.directives) }, in: draft.definition.name.text, isEnum: true)
    }
  }

  private mutating func checkIdentities(
    of owners: [(name: String, directives: [Directive])], in type: String?, isEnum: Bool = false
  ) {
    var names: [String: (owner: String, range: SourceRange)] = [:]
    var numbers: [Int64: (owner: String, range: SourceRange)] = [:]
    for (owner, directives) in owners {
      for directive in directives {
        switch directive.name.text {
        case "was":
          guard let argument = argument("name", of: directive), case .string(let name) = argument.value.kind else {
            continue
          }
          if let first = names[name.value], first.owner != owner {
            let problem: SchemaProblem =
              if isEnum, let type {
                .sharedFormerValue(name: name.value, type: type, first: first.range)
              } else {
                .sharedFormerName(name: name.value, type: type, first: first.range)
              }
            report(problem, at: argument.value.range)
          } else {
            names[name.value] = (owner, argument.value.range)
          }
        case "number" where !isEnum:
          guard let argument = argument("value", of: directive), let number = Self.number(argument) else { continue }
          if let first = numbers[number], first.owner != owner {
            report(.sharedNumber(number: number, type: type, first: first.range), at: argument.value.range)
          } else {
            numbers[number] = (owner, argument.value.range)
          }
        default: break
        }
      }
    }
  }
}
