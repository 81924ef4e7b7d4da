import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// The names that are no ``ScalarFunction``, and those of calls over sets.
private let otherFunctions = [
  "collate", "if", "coalesce", "nullif", "now", "duration", "int", "float", "decimal", "string", "boolean", "some",
  "every", "none", "one", "exists", "count", "sum", "avg", "min", "max", "first", "last", "collect", "join", "distinct",
  "hasMore", "closure", "shortestPath", "asc", "desc", "highlight",
]

/// All functions of the language by their names; `nfc`, which does not run, is none of them.
package let languageFunctions = ScalarFunction.named.map(\.rawValue) + otherFunctions

extension Binder {
  /// Known by name, not run.
  private static let laterFunctions: Set<String> = ["nfc"]

  /// Whether the language itself has a function of that name.
  static func isBuiltIn(_ name: String) -> Bool {
    ScalarFunction(rawValue: name) != nil || otherFunctions.contains(name) || laterFunctions.contains(name)
  }

  func bindFunction(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    if let definition = functions[name.text] { return call(definition, name, arguments, environment, range) }
    if let function = catalog.function(named: name.text), !Self.isBuiltIn(name.text) {
      return call(function, name, arguments, environment, range)
    }
    guard Self.isBuiltIn(name.text), !Self.laterFunctions.contains(name.text) else {
      if Self.laterFunctions.contains(name.text) {
        report(.notSupportedYet(.scalarFunction), at: range)
      } else {
        lazy var known = otherFunctions + ScalarFunction.named.map(\.rawValue) + functions.keys.sorted()
        if reportCalledRoot(name, arguments, environment) { return .error }
        let remedy = remedy(forFunction: name, arguments, environment, at: range)
        let near = remedy == nil ? suggest(name, known + catalog.functions.map(\.name)) : []
        report(.unknownFunction(name: name.text, near: near), remedy, at: name.range)
      }
      return .error
    }
    if name.text == "asc" || name.text == "desc" {
      report(.wrongOrder, at: range)
      return .error
    }
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    let values = arguments.positional
    if let function = ScalarFunction(rawValue: name.text) {
      return scalar(function, name, values, environment, range)
    }
    switch name.text {
    case "highlight": return highlight(name, values, environment, range)
    case "collate": return collate(name, values, environment, range)
    case "now":
      guard values.isEmpty else { return wrongCount(name, "nothing", range) }
      return .value(BoundExpression(.parameter(nowParameter(at: range)), .scalar(.dateTime), at: range))
    case "int", "float", "decimal", "string", "boolean", "duration":
      guard values.count == 1,
        let target = ScalarType(rawValue: name.text.prefix(1).uppercased() + name.text.dropFirst())
      else { return wrongCount(name, "one value", range) }
      return casted(bindOperand(values[0], environment), to: .scalar(target), environment, at: range)
    case "coalesce":
      guard !values.isEmpty else { return wrongCount(name, "one or more values", range) }
      return bindCoalesce(values, environment, range)
    case "nullif":
      guard values.count == 2 else { return wrongCount(name, "two values", range) }
      return nullif(values, environment, range)
    case "if":
      guard values.count >= 2 else { return wrongCount(name, "a condition and values", range) }
      return conditional(values, environment, range)
    default: return wrongCount(name, "other arguments", range)
    }
  }

  private func scalar(
    _ function: ScalarFunction, _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let (counts, expected) = Self.arity(function)
    guard counts.contains(values.count) else { return wrongCount(name, expected, range) }
    switch function {
    case .length: return length(name, values, environment, range)
    case .lower, .upper, .trim, .replace, .split, .padStart:
      return textFunction(function, values, environment, range)
    case .slice: return slice(values, environment, range)
    case .concat: return concat(values, environment, range)
    case .sort: return sorted(values, environment, range)
    case .extract: return extract(values, environment, range)
    case .abs, .round, .floor, .ceil: return roundingFunction(function, values, environment, range)
    case .sqrt, .pow: return floatFunction(function, values, environment, range)
    case .div: return div(values, environment, range)
    case .least, .greatest: return extreme(function, values, environment, range)
    case .date: return date(values, environment, range)
    case .year, .month, .day, .hour, .minute, .second, .weekday:
      return timePart(function, values, environment, range)
    case .trunc: return trunc(values, environment, range)
    case .dateDiff: return dateDiff(values, environment, range)
    case .graphQLInt, .textIDs, .required, .finer: return .error
    case .try:
      guard let operand = value(bindOperand(values[0], environment), environment, at: values[0].range) else {
        return .error
      }
      return .value(BoundExpression(.call(.try, [operand.expression]), operand.type, at: range))
    }
  }

  /// How many arguments a function takes, in numbers and in words.
  private static func arity(_ function: ScalarFunction) -> (ClosedRange<Int>, String) {
    switch function {
    case .lower, .upper, .trim: (1...1, "one text")
    case .length: (1...1, "one text or list")
    case .slice: (2...3, "a text or list, where it begins, and where it ends")
    case .concat: (1...Int.max, "texts or lists")
    case .replace: (3...3, "a text, what to replace, and by what")
    case .split: (2...2, "a text and a separator")
    case .padStart: (2...3, "a text, a length, and what to fill with")
    case .sort: (1...1, "one list")
    case .extract: (2...3, "a text, a pattern, and a group")
    case .abs, .floor, .ceil, .sqrt: (1...1, "one number")
    case .round: (1...2, "a number and how many places")
    case .pow, .div: (2...2, "two numbers")
    case .least, .greatest: (1...Int.max, "one or more values")
    case .date: (0...1, "one DateTime or text, or nothing")
    case .year, .month, .day, .weekday: (1...1, "one Date or DateTime")
    case .hour, .minute, .second: (1...1, "one DateTime")
    case .trunc: (2...2, "a Date or DateTime and a unit")
    case .dateDiff: (3...3, "two times and a unit")
    case .try, .graphQLInt, .textIDs, .required, .finer: (1...1, "one expression")
    }
  }

  /// One instant for an operation, filled in when it runs.
  func nowParameter(at range: SourceRange) -> Int {
    if let index = query.parameters.firstIndex(where: { $0.source == .now }) { return index }
    query.parameters.append(.now(at: range))
    return query.parameters.count - 1
  }

  func wrongCount(_ name: Name, _ expected: String, _ range: SourceRange) -> Operand {
    report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
    return .error
  }
}

/// Whether the language itself has a function of that name.
package func isBuiltInFunction(_ name: String) -> Bool { Binder.isBuiltIn(name) }
