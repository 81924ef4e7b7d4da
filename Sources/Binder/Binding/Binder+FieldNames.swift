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

  /// A variable, or a field of a declared input, that holds names of fields.
  struct NamedFields {
    var type: EntityTypeID
    /// The path as messages show it.
    var path: String
    var range: SourceRange
    /// Nil where it is null, or is not known yet.
    var value: Expression?
  }

  /// Returns the names of fields that an expression stands for, through the arguments of fragments.
  func namedFields(_ expression: Expression, _ environment: Environment) -> NamedFields? {
    if let place = inputPlace(expression, environment) {
      guard case .structure(.fields(let type)) = declaredInput(place.type) else { return nil }
      var fields = NamedFields(type: type, path: place.path, range: expression.range, value: place.value)
      if [.null, .missing].contains(place.value?.kind) { fields.value = nil }
      return fields
    }
    guard case .variable(let name)? = written(expression, environment).expression?.kind,
      case .structure(.fields(let type))? = variables[name.text]?.kind
    else { return nil }
    usedVariables.insert(name.text)
    return NamedFields(
      type: type, path: name.text, range: name.range, value: structuralValue(name)?.expression)
  }

  /// Returns a variable that holds names of fields as a document would write them; other expressions as they are.
  ///
  /// `names` decides what the expression means; the fields are those of `environment`.
  private func named(_ expression: Expression, _ names: Environment, of environment: Environment) -> Expression {
    guard let fields = namedFields(expression, names) else { return expression }
    let declared = GeneratedType.fields(fields.type)
    let range = fields.range
    guard environment.elementType == fields.type else {
      let names = GeneratedNames(catalog)
      report(
        .wrongVariableType(
          name: fields.path, declared: "'\(names[declared])'",
          expected: environment.elementType.map { "'\(names[.fields($0)])'" } ?? "a value"), at: range)
      return Expression(.list([]), at: range)
    }
    let list = fields.value.map(elements) ?? []
    let result = list.compactMap { element -> Expression? in
      // A null among nullable names is none.
      if element.kind == .null { return nil }
      guard case .string(let literal) = element.kind else { return element }
      return Expression(.name(Name(literal.value, at: range)), at: range)
    }
    return Expression(.list(result), at: range)
  }
}
