import GQLCatalog
import GQLParser
import GQLQuery

/// An expression as text without its place, with the fragment's arguments and `let`s put in, to tell whether two
/// selections of one response key are the same.
struct ExpressionFingerprint {
  private(set) var text = ""
  private let binder: Binder
  private var budget = 20_000

  init(_ binder: Binder) { self.binder = binder }

  mutating func print(_ expression: Expression, _ environment: Environment) {
    budget -= 1
    // What is not compared is not the same, but at its own place.
    guard budget > 0 else { return text += "@\(expression.range.start)" }
    switch expression.kind {
    case .int(let digits), .float(let digits): text += digits
    case .string(let literal): text += "\"\(literal.value)\""
    case .boolean(let value): text += value ? "true" : "false"
    case .null: text += "null"
    case .name(let name):
      if let binding = environment.lets[name.text] {
        put(binding, environment)
      } else {
        text += name.text
      }
    case .variable(let name):
      if let binding = environment.arguments[name.text] {
        put(binding, environment)
      } else {
        text += "$\(name.text)"
      }
    case .list(let elements):
      text += "["
      for element in elements {
        print(element, environment)
        text += ","
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for field in fields {
        text += "\(field.name.text):"
        print(field.value, environment)
        text += ","
      }
      text += "}"
    case .parenthesized(let inner): print(inner, environment)
    case .current(let name): text += ".\(name?.text ?? "")"
    case .outer(let count): text += "^\(count)"
    case .member(let base, let name, let arguments):
      print(base, environment)
      text += ".\(name.text)"
      if let arguments { print(arguments, environment) }
    case .index(let base, let index):
      print(base, environment)
      text += "["
      print(index, environment)
      text += "]"
    case .call(let name, let arguments):
      text += name.text
      print(arguments, environment)
    case .unary(let op, let operand):
      text += "(\(op.rawValue) "
      print(operand, environment)
      text += ")"
    case .binary(let op, let left, let right):
      text += "("
      print(left, environment)
      text += " \(op.rawValue) "
      print(right, environment)
      text += ")"
    case .chain(let op, let terms):
      text += "("
      for (index, term) in terms.enumerated() {
        if index > 0 { text += " \(op.rawValue) " }
        print(term, environment)
      }
      text += ")"
    case .isTest(let operand, let negated, let name):
      text += "("
      print(operand, environment)
      text += negated ? " is not \(name.text))" : " is \(name.text))"
    case .cast(let operand, let name):
      text += "("
      print(operand, environment)
      text += " as \(name.text))"
    case .missing: text += "?"
    }
  }

  private mutating func put(_ binding: Environment.Binding, _ environment: Environment) {
    guard let expression = binding.expression else {
      text += "null"
      return
    }
    // Elsewhere the same names may be those of another element, and a declared type may change the value.
    if isPassed(expression, binding.variable, environment.inside(binding)) {
      // A variable of the operation is the same everywhere.
    } else if !isConstant(expression, binding.variable) {
      if binding.chain != environment.chain { text += "@\(binding.chain)" }
      if let variable = binding.variable { text += "\(variable.type.text):" }
    } else if let variable = binding.variable, !isUsual(expression, variable.type) {
      text += "\(variable.type.text):"
    }
    print(expression, environment.inside(binding))
  }

  /// Returns whether an argument is a variable of the operation that has the declared type.
  private func isPassed(_ expression: Expression, _ variable: FragmentVariable?, _ environment: Environment) -> Bool {
    guard let variable, case .variable(let name)? = binder.written(expression, environment).expression?.kind else {
      return false
    }
    switch (binder.variables[name.text]?.kind, variable.declared) {
    case (.slot(let slot)?, .value(let signature)):
      return binder.query.parameters[slot].signature.type == signature.type
    case (.slot?, _), (nil, _): return false
    default: return true
    }
  }

  /// Returns whether an expression is a constant, the names in it being values of the declared enum.
  private func isConstant(_ expression: Expression, _ variable: FragmentVariable?) -> Bool {
    switch expression.kind {
    case .int, .float, .string, .boolean, .null: return true
    case .parenthesized(let inner): return isConstant(inner, variable)
    case .list(let elements): return elements.allSatisfy { isConstant($0, variable) }
    case .object(let fields): return fields.allSatisfy { isConstant($0.value, variable) }
    case .name(let name):
      guard case .value(let signature)? = variable?.declared else { return false }
      var type = signature.type
      while case .list(let element) = type { type = element }
      if case .enumeration(let id) = type { return binder.catalog[id].values.contains(name.text) }
      return false
    default: return false
    }
  }

  /// Returns whether a constant has the type by itself.
  private func isUsual(_ expression: Expression, _ type: TypeReference) -> Bool {
    switch (expression.kind, type) {
    case (.parenthesized(let inner), _): isUsual(inner, type)
    case (_, .nonNull(let inner, _)): isUsual(expression, inner)
    case (.null, _), (.name, .named): true
    case (.list(let elements), .list(let element, _)): elements.allSatisfy { isUsual($0, element) }
    case (.int, .named(let name)): name.text == "Int"
    case (.float, .named(let name)): name.text == "Float"
    case (.boolean, .named(let name)): name.text == "Boolean"
    case (.string, .named(let name)): name.text == "String"
    default: false
    }
  }

  private mutating func print(_ arguments: CallArguments, _ environment: Environment) {
    text += "("
    for argument in arguments.positional {
      print(argument, environment)
      text += ","
    }
    for argument in arguments.named {
      text += "\(argument.name.text):"
      print(argument.value, environment)
      text += ","
    }
    text += ")"
  }
}
