import GQLParser

/// An expression as text without its place, with the fragment's arguments and `let`s put in, to tell whether two
/// selections of one response key are the same.
struct ExpressionFingerprint {
  var text = ""
  private var budget = 20_000

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
    print(expression, environment.inside(binding))
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
