import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A `__schema` or `__type` field made ready to be written. Immutable.
final class CompiledIntrospection: Sendable {
  let bound: BoundIntrospection
  let inputs: ScalarSources

  init(_ bound: BoundIntrospection, _ compiler: PlanCompiler) {
    self.bound = bound
    inputs = ScalarSources(bound.inputs, compiler)
  }
}

extension ResponseWriter {
  /// Writes the object, or null where `__type` names no type.
  func writeIntrospection(
    _ compiled: CompiledIntrospection, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let vectors = try compiled.inputs.vectors(.root, execution)
    let bound = compiled.bound
    var truths: [Bool] = []
    for index in 0..<compiled.inputs.count {
      truths.append(compiled.inputs.cell(index, vectors, 0, execution)?.low == 1)
    }
    let writer = IntrospectionWriter(schema: bound.schema, truths: truths, writer: self)
    switch bound.root {
    case .schema: try writer.write(bound.fields, into: &output)
    case .type(let input):
      guard let cell = compiled.inputs.cell(input, vectors, 0, execution) else { return output.append("null") }
      let name = TextView(cell).withBytes { start, count in
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
      }
      guard let number = bound.schema.numbers[name] else { return output.append("null") }
      try writer.write(bound.fields, .named(number), into: &output)
    }
  }

  /// Counts an object of introspection, and looks whether the run may go on.
  func visitIntrospection(_ output: borrowing ByteBuffer) throws(RuntimeProblem) {
    try countNodes(1)
    guard nodes & 255 == 0 else { return }
    try execution.checkpoint()
    try checkBytes(output.count)
  }
}

/// Writes parts of a schema as the fields of a selection want them.
///
/// Recursion goes as deep as the selection, which the binder bounds.
private struct IntrospectionWriter {
  typealias Schema = IntrospectionSchema
  typealias Field = BoundIntrospection.Field

  let schema: Schema
  /// The inputs that are Booleans, by number.
  let truths: [Bool]
  let writer: ResponseWriter

  // MARK: - Objects

  /// An object: the fields that are there, each by `value`.
  ///
  /// Never inlined, as `list`: the writers call each other, and the optimizer would copy them into each other for seconds.
  @inline(never)
  private func object(
    _ fields: [Field], _ type: StaticString, into output: inout ByteBuffer,
    _ value: (Field, inout ByteBuffer) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    try writer.visitIntrospection(output)
    var separator: UInt8 = 0x7B
    for field in fields {
      if let condition = field.condition, !truths[condition] { continue }
      output.append(separator)
      separator = 0x2C
      output.append(json: field.key)
      output.append(0x3A)
      if field.field == .typename {
        output.append(type)
      } else {
        try value(field, &output)
      }
    }
    if separator == 0x7B { output.append(separator) }
    output.append(0x7D)
  }

  @inline(never)
  private func list<Element>(
    _ elements: [Element], into output: inout ByteBuffer,
    _ write: (Element, inout ByteBuffer) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    output.append(0x5B)
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(0x2C) }
      try write(element, &output)
    }
    output.append(0x5D)
  }

  /// Those of a list that are wanted: without deprecated ones unless `includeDeprecated:` is true.
  private func wanted<Element>(
    _ elements: [Element], _ field: Field, _ deprecation: (Element) -> String?
  ) -> [Element] {
    if let input = field.includesDeprecated, truths[input] { return elements }
    return elements.filter { deprecation($0) == nil }
  }

  private func text(_ text: String?, into output: inout ByteBuffer) {
    if let text { output.append(json: text) } else { output.append("null") }
  }

  // MARK: - The schema

  func write(_ fields: [Field], into output: inout ByteBuffer) throws(RuntimeProblem) {
    try object(fields, "\"__Schema\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .types:
        try list(Array(schema.types.indices), into: &output) { (number, output) throws(RuntimeProblem) in
          try write(field.fields, .named(number), into: &output)
        }
      case .queryType: try write(field.fields, .named(schema.queryType), into: &output)
      case .mutationType: try write(field.fields, schema.mutationType, into: &output)
      case .subscriptionType: try write(field.fields, schema.subscriptionType, into: &output)
      case .directives:
        try list(schema.directives, into: &output) { (directive, output) throws(RuntimeProblem) in
          try write(field, directive, into: &output)
        }
      default: output.append("null")
      }
    }
  }

  private func write(_ fields: [Field], _ number: Int?, into output: inout ByteBuffer) throws(RuntimeProblem) {
    guard let number else { return output.append("null") }
    try write(fields, .named(number), into: &output)
  }

  private func write(
    _ parent: Field, _ directive: Schema.Directive, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try object(parent.fields, "\"__Directive\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .name: output.append(json: directive.name)
      case .description: text(directive.description, into: &output)
      case .isRepeatable: output.append(bool: directive.isRepeatable)
      case .locations:
        try list(directive.locations, into: &output) { (name, output) throws(RuntimeProblem) in
          output.append(json: name)
        }
      case .args: try write(directive.arguments, field, into: &output)
      default: output.append("null")
      }
    }
  }

  // MARK: - Types

  func write(
    _ fields: [Field], _ reference: Schema.Reference, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    switch reference {
    case .named(let number): try write(fields, schema.types[number], into: &output)
    case .list(let inner): try write(fields, "\"LIST\"", around: inner, into: &output)
    case .nonNull(let inner): try write(fields, "\"NON_NULL\"", around: inner, into: &output)
    }
  }

  private func write(
    _ fields: [Field], _ kind: StaticString, around inner: Schema.Reference, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try object(fields, "\"__Type\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .kind: output.append(kind)
      case .ofType: try write(field.fields, inner, into: &output)
      default: output.append("null")
      }
    }
  }

  private func write(
    _ fields: [Field], _ type: Schema.NamedType, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try object(fields, "\"__Type\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .kind: output.append(json: type.kind.rawValue)
      case .name: output.append(json: type.name)
      case .description: text(type.description, into: &output)
      case .specifiedByURL: text(type.specifiedByURL, into: &output)
      case .isOneOf: output.append(type.kind == .inputObject ? "false" : "null")
      case .fields where type.kind == .object || type.kind == .interface:
        try list(wanted(type.fields, field, \.deprecation), into: &output) { (inner, output) throws(RuntimeProblem) in
          try write(field, inner, into: &output)
        }
      case .interfaces where type.kind == .object || type.kind == .interface:
        try write(field, type.interfaces, into: &output)
      case .possibleTypes where type.kind == .interface || type.kind == .union:
        try write(field, type.possibleTypes, into: &output)
      case .enumValues where type.kind == .enumeration:
        try list(wanted(type.values, field, \.deprecation), into: &output) { (value, output) throws(RuntimeProblem) in
          try write(field, value, into: &output)
        }
      case .inputFields where type.kind == .inputObject: try write(type.inputs, field, into: &output)
      default: output.append("null")
      }
    }
  }

  private func write(_ field: Field, _ numbers: [Int], into output: inout ByteBuffer) throws(RuntimeProblem) {
    try list(numbers, into: &output) { (number, output) throws(RuntimeProblem) in
      try write(field.fields, .named(number), into: &output)
    }
  }

  // MARK: - What types have

  private func write(
    _ parent: Field, _ member: Schema.Field, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try object(parent.fields, "\"__Field\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .name: output.append(json: member.name)
      case .description: text(member.description, into: &output)
      case .args: try write(member.arguments, field, into: &output)
      case .type: try write(field.fields, member.type, into: &output)
      case .isDeprecated: output.append(bool: member.deprecation != nil)
      case .deprecationReason: text(member.deprecation, into: &output)
      default: output.append("null")
      }
    }
  }

  private func write(
    _ parent: Field, _ value: Schema.EnumValue, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try object(parent.fields, "\"__EnumValue\"", into: &output) { (field, output) throws(RuntimeProblem) in
      switch field.field {
      case .name: output.append(json: value.name)
      case .description: text(value.description, into: &output)
      case .isDeprecated: output.append(bool: value.deprecation != nil)
      case .deprecationReason: text(value.deprecation, into: &output)
      default: output.append("null")
      }
    }
  }

  private func write(
    _ values: [Schema.InputValue], _ parent: Field, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    try list(wanted(values, parent, \.deprecation), into: &output) { (value, output) throws(RuntimeProblem) in
      try object(parent.fields, "\"__InputValue\"", into: &output) { (field, output) throws(RuntimeProblem) in
        switch field.field {
        case .name: output.append(json: value.name)
        case .description: text(value.description, into: &output)
        case .type: try write(field.fields, value.type, into: &output)
        case .defaultValue: text(value.defaultValue, into: &output)
        case .isDeprecated: output.append(bool: value.deprecation != nil)
        case .deprecationReason: text(value.deprecation, into: &output)
        default: output.append("null")
        }
      }
    }
  }
}
