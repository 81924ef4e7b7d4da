import GQLBase
import GQLCatalog
import GQLParser

/// Variables of `<Type>Field`, which hold names of fields for `distinctOn` and `groupBy`.
extension Binder {
  /// The items of a list, those of variables that hold names of fields included.
  func namedElements(of expression: Expression, _ environment: Environment) -> [Expression] {
    var result: [Expression] = []
    for element in elements(of: expression) {
      guard case .variable(let name) = element.kind,
        case .structure(.fields)? = environment.arguments[name.text]?.variable?.declared
      else {
        result += elements(of: named(element, environment, of: environment))
        continue
      }
      // Names of an argument are those of fields, wherever the spread stands.
      let (list, inner) = written(element, environment)
      for element in list.map(elements) ?? [] { result += elements(of: named(element, inner, of: environment)) }
    }
    return result
  }

  /// The variable that an expression is, if it holds names of fields; through the arguments of fragments.
  func fieldsVariable(_ expression: Expression, _ environment: Environment) -> (name: Name, type: EntityTypeID)? {
    guard case .variable(let name)? = written(expression, environment).expression?.kind,
      case .structure(.fields(let type))? = variables[name.text]?.kind
    else { return nil }
    return (name, type)
  }

  /// A variable that holds names of fields, as a document would write them; other expressions as they are.
  ///
  /// `names` decides what the expression means; the fields are those of `environment`.
  private func named(_ expression: Expression, _ names: Environment, of environment: Environment) -> Expression {
    guard let (name, type) = fieldsVariable(expression, names) else { return expression }
    let declared = GeneratedType.fields(type)
    usedVariables.insert(name.text)
    guard environment.elementType == type else {
      let names = GeneratedNames(catalog)
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(names[declared])'",
          expected: environment.elementType.map { "'\(names[.fields($0)])'" } ?? "a value"), at: name.range)
      return Expression(.list([]), at: name.range)
    }
    guard let value = structuralValue(name) else { return Expression(.list([]), at: name.range) }
    let names = elements(of: value.expression).compactMap { element -> Expression? in
      // A null among nullable names is none.
      if element.kind == .null { return nil }
      guard case .string(let literal) = element.kind else { return element }
      return Expression(.name(Name(literal.value, at: name.range)), at: name.range)
    }
    return Expression(.list(names), at: name.range)
  }
}
