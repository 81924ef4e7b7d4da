import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `__schema` and `__type`.
extension Binder {
  func bindIntrospection(
    _ entry: SelectionEntry, _ name: Name, _ sources: [SelectionSource]
  ) -> BoundField.Content? {
    _ = fieldDirectives(entry.directives, over: nil)
    var inputs: [BoundExpression] = []
    let root: BoundIntrospection.Root?
    let type: MetaType
    if name.text == "__schema" {
      type = .schema
      refuse(entry.arguments, of: name)
      root = .schema
    } else {
      type = .type
      root = typeName(entry, name, into: &inputs).map { .type($0) }
    }
    let fields = metaFields(sources, of: type, name, into: &inputs)
    guard let root else { return nil }
    return .introspection(
      BoundIntrospection(
        root: root, fields: fields, inputs: inputs, schema: IntrospectionSchema(catalog, commands: options.commands)))
  }

  /// The number of the input that `name:` is.
  private func typeName(
    _ entry: SelectionEntry, _ name: Name, into inputs: inout [BoundExpression]
  ) -> Int? {
    guard let argument = only("name", of: entry, name) else {
      if entry.arguments.isEmpty { report(.missingKey(field: name.text, keys: [["name"]], list: nil), at: name.range) }
      return nil
    }
    return metaInput(argument, .string, entry.environment, into: &inputs)
  }

  private func refuse(_ arguments: [Argument], of name: Name) {
    for argument in arguments {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
  }

  /// The argument of a field that takes only one; others are reported.
  private func only(_ known: String, of entry: SelectionEntry, _ name: Name) -> Argument? {
    var found: Argument?
    for argument in entry.arguments {
      if argument.name.text != known {
        let near = suggest(argument.name, [known])
        report(.unknownArgument(name: argument.name.text, of: name.text, near: near), at: argument.name.range)
      } else if found == nil {
        found = argument
      } else {
        report(.duplicateArgument(name: known), at: argument.name.range)
      }
    }
    return found
  }

  /// A value that must not be null, over parameters.
  private func metaInput(
    _ argument: Argument, _ type: ValueType, _ environment: Environment, into inputs: inout [BoundExpression]
  ) -> Int? {
    let range = argument.value.range
    guard let bound = coerce(bindOperand(argument.value, environment), to: type, environment, at: range) else {
      return nil
    }
    if bound.constant?.isNull ?? false {
      report(.wrongValue(.null(expected: words(type))), at: range)
      return nil
    }
    if isGraphQL, case .parameter(let index) = bound.kind, !query.parameters[index].signature.isNonNull,
      query.parameters[index].defaultValue?.isNull ?? true
    {
      let article = type == .string ? "a String" : "a Boolean"
      report(
        .wrongVariableType(
          name: query.parameters[index].name, declared: "\(article) that may be null",
          expected: type == .string ? "'String!'" : "'Boolean!'"), at: range)
    }
    inputs.append(bound)
    return inputs.count - 1
  }

  /// The fields of one object of introspection.
  private func metaFields(
    _ sources: [SelectionSource], of type: MetaType, _ name: Name, into inputs: inout [BoundExpression]
  ) -> [BoundIntrospection.Field] {
    if sources.isEmpty {
      report(.missingSelection(field: name.text), at: name.range)
      return []
    }
    return nested(at: name.range, []) { binder in
      var fields: [BoundIntrospection.Field] = []
      for merged in binder.collect(sources, of: .meta(type)) {
        guard !binder.isExhausted else { break }
        let (condition, inner) = binder.merge(merged)
        guard var field = binder.metaField(merged, inner, of: type, into: &inputs) else { continue }
        if let condition {
          field.condition = inputs.firstIndex(of: condition) ?? inputs.count
          if field.condition == inputs.count { inputs.append(condition) }
        }
        fields.append(field)
      }
      return fields
    }
  }

  private func metaField(
    _ merged: MergedEntry, _ inner: [SelectionSource], of type: MetaType, into inputs: inout [BoundExpression]
  ) -> BoundIntrospection.Field? {
    let entry = merged.first
    _ = fieldDirectives(entry.directives, over: nil)
    guard let name = entry.field else {
      report(.misplacedComputation, at: entry.key.range)
      return nil
    }
    if name.text == MetaField.typename.rawValue {
      refuse(entry.arguments, of: name)
      if let set = entry.set { report(.selectionOnValue(field: name.text), at: set.range) }
      return BoundIntrospection.Field(key: merged.key, field: .typename, fields: [])
    }
    guard let definition = type.definition(named: name.text) else {
      reportUnknownField(name, of: type.rawValue, among: type.definitions.map(\.field.rawValue))
      return nil
    }
    var field = BoundIntrospection.Field(key: merged.key, field: definition.field, fields: [])
    if definition.filters {
      if let argument = only("includeDeprecated", of: entry, name) {
        field.includesDeprecated = metaInput(argument, .boolean, entry.environment, into: &inputs)
      }
    } else {
      refuse(entry.arguments, of: name)
    }
    if let next = definition.inner {
      field.fields = metaFields(inner, of: next, name, into: &inputs)
    } else if let set = entry.set {
      report(.selectionOnValue(field: name.text), at: set.range)
    }
    return field
  }
}
