import GQLBase
import GQLCatalog

/// Where inside a value a problem lies: `$ids[2].name`.
package enum ValuePathStep: Sendable, Equatable {
  case index(Int)
  case member(String)

  /// The path into a variable's value as messages show it.
  package static func text(of variable: String, _ path: [ValuePathStep]) -> String {
    var text = "$\(variable)"
    func append(_ steps: some Collection<ValuePathStep>) {
      for step in steps {
        switch step {
        case .index(let index): text += "[\(index)]"
        case .member(let name): text += ".\(name)"
        }
      }
    }
    guard path.count > shownSteps * 2 else {
      append(path)
      return text
    }
    append(path.prefix(shownSteps))
    text += " … "
    append(path.suffix(shownSteps))
    return text
  }

  /// Steps that a message shows from either end of a long path.
  private static let shownSteps = 12
}

package struct CoercionFailure: Error, Sendable, Equatable {
  package var problem: CoercionProblem
  package var path: [ValuePathStep]
  package init(_ problem: CoercionProblem, path: [ValuePathStep] = []) {
    self.problem = problem
    self.path = path
  }

  package func inside(_ step: ValuePathStep) -> CoercionFailure { CoercionFailure(problem, path: [step] + path) }
}

/// Raw values to values of a type, exactly: a Decimal never passes through a Double.
package struct ValueCoercion: Sendable {
  package enum Origin: Sendable, Hashable {
    /// A document: enum values are names.
    case document
    /// A variable: enum values are texts.
    case variable
  }

  package typealias Outcome = Result<Value, CoercionFailure>

  package var catalog: Catalog
  package var origin: Origin
  /// Which Ints there are.
  package var ints: ClosedRange<Int64>

  /// Bytes of the longest text.
  var longestText = Value.longestText

  /// The Ints of GraphQL, which have 32 bits.
  package static let graphQLInts = Int64(Int32.min)...Int64(Int32.max)

  package init(catalog: Catalog, origin: Origin, ints: ClosedRange<Int64> = Int64.min...Int64.max) {
    self.catalog = catalog
    self.origin = origin
    self.ints = ints
  }

  /// Null passes unless the signature forbids it; a single value becomes a list of one where a list is wanted.
  package func coerce(_ raw: RawValue, to signature: TypeSignature) -> Outcome {
    if isNull(raw) {
      return signature.isNonNull ? .failure(CoercionFailure(.null(expected: words(signature.type)))) : .success(.null)
    }
    guard case .list(let element) = signature.type else { return coerce(raw, to: signature.type) }
    var elementSignature = TypeSignature(element, isNonNull: signature.isElementNonNull)
    elementSignature.isElementNonNull = signature.innerNonNull.first ?? false
    elementSignature.innerNonNull = Array(signature.innerNonNull.dropFirst())
    if case .typed(.list(let values)) = raw {
      return coerce(.list(values.map { RawValue($0) }), to: signature)
    }
    guard case .list(let elements) = raw else {
      return coerce(raw, to: elementSignature).map { nested([$0], of: element) }
    }
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      switch coerce(element, to: elementSignature) {
      case .success(let value): values.append(value)
      case .failure(let failure): return .failure(failure.inside(.index(index)))
      }
    }
    return .success(nested(values, of: element))
  }

  /// Lists of lists are JSON once they are checked.
  private func nested(_ values: [Value], of element: ValueType) -> Value {
    guard case .list = element else { return .list(values) }
    var buffer = ByteBuffer()
    RawValue.list(values.map(named)).json(into: &buffer)
    return .json(buffer.withUnsafeBytes { Text($0) })
  }

  /// Returns a value with names in place of values of enums, which JSON does not know.
  private func named(_ value: Value) -> RawValue {
    switch value {
    case .enumeration(let id, let code): .text(Text(catalog[id].values[code]))
    case .list(let values): .list(values.map(named))
    default: RawValue(value)
    }
  }

  /// A non-null value; null gives null.
  package func coerce(_ raw: RawValue, to type: ValueType) -> Outcome {
    if isNull(raw) { return .success(.null) }
    switch type {
    case .scalar(let scalar): return coerce(raw, to: scalar)
    case .enumeration(let id): return coerce(raw, to: catalog[id])
    case .list: return coerce(raw, to: TypeSignature(type))
    case .embedded(let id): return coerce(raw, to: catalog[id])
    // An entity is given by its id.
    case .entity(let id):
      let entity = catalog[id]
      guard entity.idProperties.count == 1, let property = entity.idProperties.first else { return wrong(raw, type) }
      return coerce(raw, to: entity[property].signature.type)
    case .null: return wrong(raw, type)
    }
  }

  private func isNull(_ raw: RawValue) -> Bool { raw == .null || raw == .typed(.null) }

  private func wrong(_ raw: RawValue, _ type: ValueType) -> Outcome {
    .failure(CoercionFailure(.wrongKind(found: raw.words, expected: words(type))))
  }

  private func tooLong(_ bytes: Int) -> Outcome {
    .failure(CoercionFailure(.tooLong(bytes: bytes, limit: longestText)))
  }

  private func coerce(_ raw: RawValue, to scalar: ScalarType) -> Outcome {
    func malformed(_ text: Text) -> Outcome {
      .failure(CoercionFailure(.malformed(text: text.string, expected: scalar)))
    }
    func outOfRange(_ digits: String) -> Outcome {
      .failure(CoercionFailure(.outOfRange(digits: digits, expected: words(.scalar(scalar)))))
    }
    switch (scalar, raw) {
    case (.json, _):
      if raw.holdsNoNumber { return wrong(raw, .scalar(.json)) }
      var buffer = ByteBuffer()
      raw.json(into: &buffer)
      return buffer.withUnsafeBytes { $0.count <= longestText ? .success(.json(Text($0))) : tooLong($0.count) }
    case (_, .text(let text)) where text.count > longestText: return tooLong(text.count)
    case (.int, .integer(let digits)), (.int, .real(let digits)):
      guard let value = parse(digits, IntCodec.read) else {
        let isWhole = parse(digits, DecimalCodec.read).map { $0 == $0.rounded(to: 0) } ?? true
        return isWhole ? outOfRange(digits) : wrong(raw, .int)
      }
      return ints.contains(value) ? .success(.int(value)) : outOfRange(digits)
    case (.float, .integer(let digits)), (.float, .real(let digits)):
      return parse(digits, FloatCodec.read).map { .success(.float($0)) } ?? outOfRange(digits)
    case (.decimal, .integer(let digits)), (.decimal, .real(let digits)):
      return parse(digits, DecimalCodec.read).map { .success(.decimal($0)) } ?? outOfRange(digits)
    // Clients without exact numbers send decimals as text.
    case (.decimal, .text(let text)) where origin == .variable:
      return parse(text, DecimalCodec.read).map { .success(.decimal($0)) } ?? malformed(text)
    case (.string, .text(let text)), (.cursor, .text(let text)): return .success(.string(text))
    case (.boolean, .boolean(let value)): return .success(.boolean(value))
    case (.id, .text(let text)): return .success(.id(text, isNumber: false))
    // As data has it, `-0` is `0`.
    case (.id, .integer(let digits)): return .success(.id(Text(digits == "-0" ? "0" : digits), isNumber: true))
    case (.dateTime, .text(let text)):
      return parse(text, DateTimeCodec.read).map { .success(.dateTime($0)) } ?? malformed(text)
    case (.date, .text(let text)):
      return parse(text, DateCodec.read).map { .success(.date($0)) } ?? malformed(text)
    case (.duration, .text(let text)):
      return parse(text, DurationCodec.read).map { .success(.duration($0)) } ?? malformed(text)
    case (.uuid, .text(let text)):
      return parse(text, UUIDCodec.read).map { .success(.uuid(Text($0))) } ?? malformed(text)
    case (.bytes, .text(let text)):
      return parse(text, BytesCodec.read).map { .success(.bytes(Text($0))) } ?? malformed(text)
    case (_, .typed(let value)): return convert(value, to: scalar)
    default: return wrong(raw, .scalar(scalar))
    }
  }

  private func parse<Output>(_ text: Text, _ parser: (UnsafeBufferPointer<UInt8>) -> Output?) -> Output? {
    text.bytes.withUnsafeBufferPointer { parser($0) }
  }

  private func parse<Output>(_ digits: String, _ parser: (UnsafeBufferPointer<UInt8>) -> Output?) -> Output? {
    var digits = digits
    return digits.withUTF8 { parser($0) }
  }

  /// Values that have a type pass where it is the wanted one or converts exactly.
  private func convert(_ value: Value, to scalar: ScalarType) -> Outcome {
    let wrong = Outcome.failure(
      CoercionFailure(.wrongKind(found: RawValue.typed(value).words, expected: words(.scalar(scalar)))))
    switch (scalar, value) {
    case (.float, .float(let number)): return number.isFinite ? .success(value) : wrong
    case (.float, .decimal(let number)): return .success(.float(number.doubleValue))
    case (.decimal, .float(let number)):
      return DecimalCodec.read(real: number).map { .success(.decimal($0)) } ?? wrong
    case (.int, .float(let number)): return IntCodec.read(real: number).map { .success(.int($0)) } ?? wrong
    case (.int, .decimal(let number)): return number.int64Value.map { .success(.int($0)) } ?? wrong
    case (.decimal, .decimal), (.id, .id), (.dateTime, .dateTime), (.date, .date), (.duration, .duration),
      (.uuid, .uuid), (.bytes, .bytes), (.json, .json):
      return .success(value)
    case (.string, .id(let text, _)), (.string, .uuid(let text)): return .success(.string(text))
    case (.id, .uuid(let text)): return .success(.id(text, isNumber: false))
    default: return wrong
    }
  }

  private func coerce(_ raw: RawValue, to type: EnumType) -> Outcome {
    let name: String
    switch raw {
    case .name(let text): name = text
    case .text(let text) where origin == .variable: name = text.string
    case .text(let text):
      let known = type.values.contains { $0.utf8.elementsEqual(text.bytes) }
      return known
        ? .failure(CoercionFailure(.quotedEnumValue(name: text.string, type: type.name)))
        : wrong(raw, .enumeration(type.id))
    case .typed(.enumeration(let id, let code)) where id == type.id && type.values.indices.contains(code):
      return .success(.enumeration(id, code: code))
    default: return wrong(raw, .enumeration(type.id))
    }
    guard let code = type.values.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      let near = nearestNames(to: name, in: type.values)
      return .failure(CoercionFailure(.unknownEnumValue(name: name, type: type.name, near: near)))
    }
    return .success(.enumeration(type.id, code: code))
  }

  /// Members come out in the type's order; what is absent takes its default or stays absent.
  private func coerce(_ raw: RawValue, to type: EmbeddedType) -> Outcome {
    guard case .object(let members) = raw else { return wrong(raw, .embedded(type.id)) }
    for member in members where !type.fields.contains(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) {
      let near = nearestNames(to: member.name, in: type.fields.map(\.name))
      return .failure(
        CoercionFailure(.unknownMember(name: member.name, type: type.name, near: near), path: [.member(member.name)]))
    }
    var result: [Value.Member] = []
    for field in type.fields {
      if let member = members.last(where: { $0.name.utf8.elementsEqual(field.name.utf8) }) {
        switch coerce(member.value, to: field.signature) {
        case .success(let value): result.append(Value.Member(Text(field.name), value))
        case .failure(let failure): return .failure(failure.inside(.member(field.name)))
        }
      } else if case .value(let value)? = field.defaultValue {
        result.append(Value.Member(Text(field.name), value))
      } else if field.signature.isNonNull, field.defaultValue == nil {
        return .failure(
          CoercionFailure(.null(expected: words(field.signature.type)), path: [.member(field.name)]))
      }
    }
    return .success(.object(result))
  }

  /// A type as messages call it: `an Int`, `a list of 'Status'`.
  package func words(_ type: ValueType) -> String { catalog.words(for: type) }
}

extension Catalog {
  /// A type as messages call it: `an Int`, `a list of String`.
  package func words(for type: ValueType) -> String {
    switch type {
    case .scalar(.int): "an Int"
    case .scalar(.id): "an ID"
    case .scalar(.uuid): "a UUID"
    case .scalar(.bytes): "Bytes"
    case .scalar(.json): "JSON"
    case .null: "null"
    case .scalar(let scalar): "a \(scalar.rawValue)"
    case .enumeration, .embedded, .entity: "'\(name(of: type))'"
    case .list: "a list of \(name(of: type).dropFirst().dropLast())"
    }
  }

  /// A type as SDL writes it: `[String!]!`.
  package func text(of signature: TypeSignature) -> String {
    let mark = signature.isNonNull ? "!" : ""
    guard case .list(let inner) = signature.type else { return name(of: signature.type) + mark }
    var element = TypeSignature(inner, isNonNull: signature.isElementNonNull)
    element.isElementNonNull = signature.innerNonNull.first ?? false
    element.innerNonNull = Array(signature.innerNonNull.dropFirst())
    return "[\(text(of: element))]\(mark)"
  }

  /// A type as SDL writes it, without nullability.
  package func name(of type: ValueType) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): self[id].name
    case .embedded(let id): self[id].name
    case .entity(let id): self[id].name
    case .list(let element): "[\(name(of: element))]"
    case .null: "null"
    }
  }
}
