import GQLBase
import GQLCatalog
import GQLQuery

/// Values of the generated input types, `UserInput` and lists of them: objects whose members are fields of the type,
/// each coerced to its type, in the order given.
///
/// A to-many relation comes out as null, a list, or an object of `set`, `append` and `remove` with lists; a to-one
/// relation as null, a key or an object.
struct InputCoercion {
  let values: ValueCoercion
  private var catalog: Catalog { values.catalog }
  /// Objects inside each other; what is deeper is refused, since everything behind is recursive.
  private static let depthLimit = 100

  typealias Outcome = ValueCoercion.Outcome

  init(catalog: Catalog, origin: ValueCoercion.Origin, ints: ClosedRange<Int64> = Int64.min...Int64.max) {
    values = ValueCoercion(catalog: catalog, origin: origin, ints: ints)
  }

  /// Null passes unless the signature forbids it; one object becomes a list of one where a list is wanted.
  func coerce(_ raw: RawValue, to signature: TypeSignature) -> Outcome {
    let raw = raw == .typed(.null) ? .null : raw
    if raw == .null {
      return signature.isNonNull
        ? .failure(CoercionFailure(.null(expected: values.words(signature.type)))) : .success(.null)
    }
    switch signature.type {
    case .entity(let type): return record(raw, type, depth: 0)
    case .embedded(let type): return embedded(raw, type, depth: 0)
    case .list(.entity(let type)):
      return list(raw) { elements($0, signature) { record($0, type, depth: 0) } }
    case .list(.embedded(let type)):
      return list(raw) { elements($0, signature) { embedded($0, type, depth: 0) } }
    default: return values.coerce(raw, to: signature)
    }
  }

  private func elements(_ raw: RawValue, _ signature: TypeSignature, _ coerce: (RawValue) -> Outcome) -> Outcome {
    guard raw == .null, case .list(let type) = signature.type else { return coerce(raw) }
    return signature.isElementNonNull
      ? .failure(CoercionFailure(.null(expected: values.words(type)))) : .success(.null)
  }

  private func list(_ raw: RawValue, _ coerce: (RawValue) -> Outcome) -> Outcome {
    let elements: [RawValue] = if case .list(let elements) = raw { elements } else { [raw] }
    var result: [Value] = []
    result.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      switch coerce(element == .typed(.null) ? .null : element) {
      case .success(let value): result.append(value)
      case .failure(let failure):
        if case .list = raw { return .failure(failure.inside(.index(index))) }
        return .failure(failure)
      }
    }
    return .success(.list(result))
  }

  private func record(_ raw: RawValue, _ type: EntityTypeID, depth: Int) -> Outcome {
    guard case .object(let members) = raw else {
      return .failure(CoercionFailure(.wrongKind(found: raw.words, expected: values.words(.entity(type)))))
    }
    if depth >= Self.depthLimit { return .failure(CoercionFailure(.tooDeep(limit: Self.depthLimit))) }
    let entity = catalog[type]
    var result: [Value.Member] = []
    result.reserveCapacity(members.count)
    for member in members {
      if member.name == "__typename" {
        guard case .text(let name) = member.value, name.string == entity.name else {
          return .failure(
            CoercionFailure(
              .wrongKind(
                found: member.value.text.map { "'\($0)'" } ?? member.value.words, expected: "'\(entity.name)'"),
              path: [.member(member.name)]))
        }
        result.append(Value.Member(Text(member.name), .string(name)))
        continue
      }
      guard let property = entity.property(named: member.name) else {
        let near = nearestNames(to: member.name, in: entity.properties.map(\.name))
        return .failure(
          CoercionFailure(
            .unknownMember(name: member.name, type: entity.name, near: near), path: [.member(member.name)]))
      }
      let outcome: Outcome
      switch property.storage {
      case .embedded(let type, _, _) where member.value != .null && member.value != .typed(.null):
        outcome = embedded(member.value, type, depth: depth + 1)
      case .column, .embedded:
        // What null means, the save decides.
        outcome = values.coerce(
          member.value,
          to: TypeSignature(property.signature.type, isElementNonNull: property.signature.isElementNonNull))
      case .members, .computed:
        outcome = .failure(
          CoercionFailure(.wrongKind(found: "a value", expected: "no value for a computed field")))
      case .relation(let id):
        outcome = links(member.value, catalog[id].target, isToMany: catalog[id].isToMany, depth: depth)
      }
      switch outcome {
      case .success(let value): result.append(Value.Member(Text(property.name), value))
      case .failure(let failure): return .failure(failure.inside(.member(property.name)))
      }
    }
    return .success(.object(result))
  }

  /// An embedded object: complete, its members in the type's order.
  private func embedded(_ raw: RawValue, _ id: EmbeddedTypeID, depth: Int) -> Outcome {
    guard case .object(let members) = raw else {
      return .failure(CoercionFailure(.wrongKind(found: raw.words, expected: values.words(.embedded(id)))))
    }
    if depth >= Self.depthLimit { return .failure(CoercionFailure(.tooDeep(limit: Self.depthLimit))) }
    let type = catalog[id]
    for member in members where !type.fields.contains(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) {
      let near = nearestNames(to: member.name, in: type.fields.map(\.name))
      return .failure(
        CoercionFailure(.unknownMember(name: member.name, type: type.name, near: near), path: [.member(member.name)]))
    }
    var result: [Value.Member] = []
    for field in type.fields {
      guard let member = members.last(where: { $0.name.utf8.elementsEqual(field.name.utf8) }) else {
        if case .value(let value)? = field.defaultValue {
          result.append(Value.Member(Text(field.name), value))
        } else if field.signature.isNonNull, field.defaultValue == nil, !field.signature.type.isRelationToMany {
          return .failure(
            CoercionFailure(.null(expected: values.words(field.signature.type)), path: [.member(field.name)]))
        }
        continue
      }
      switch self.field(member.value, field.signature, depth: depth) {
      case .success(let value): result.append(Value.Member(Text(field.name), value))
      case .failure(let failure): return .failure(failure.inside(.member(field.name)))
      }
    }
    return .success(.object(result))
  }

  /// A field of an embedded object.
  private func field(_ raw: RawValue, _ signature: TypeSignature, depth: Int) -> Outcome {
    if raw == .null || raw == .typed(.null) { return values.coerce(.null, to: signature) }
    switch signature.type {
    case .entity(let target): return links(raw, target, isToMany: false, depth: depth)
    case .list(.entity(let target)): return links(raw, target, isToMany: true, depth: depth)
    case .embedded(let inner): return embedded(raw, inner, depth: depth + 1)
    default: return values.coerce(raw, to: signature)
    }
  }

  private func isMode(_ name: String, _ target: EntityTypeID) -> Bool {
    guard let mode = LinkMode(rawValue: name), mode != .assign else { return false }
    return !catalog[target].isElement || catalog[target].property(named: name) == nil
  }

  private func links(_ raw: RawValue, _ type: EntityTypeID, isToMany: Bool, depth: Int) -> Outcome {
    if raw == .null || raw == .typed(.null) { return .success(.null) }
    guard isToMany else { return target(raw, type, depth: depth) }
    if case .object(let members) = raw, !members.isEmpty, members.allSatisfy({ isMode($0.name, type) }) {
      var result: [Value.Member] = []
      for member in members {
        if member.name == LinkMode.remove.rawValue, catalog[type].isElement {
          return .failure(
            CoercionFailure(
              .wrongKind(
                found: "'remove'",
                expected: "'set' or 'append': the elements of a list of '\(catalog[type].name)' have no ids"),
              path: [.member(member.name)]))
        }
        switch list(member.value, { target($0, type, depth: depth) }) {
        case .success(let value): result.append(Value.Member(Text(member.name), value))
        case .failure(let failure): return .failure(failure.inside(.member(member.name)))
        }
      }
      return .success(.object(result))
    }
    return list(raw) { target($0, type, depth: depth) }
  }

  private func target(_ raw: RawValue, _ type: EntityTypeID, depth: Int) -> Outcome {
    let entity = catalog[type]
    if case .element(let id) = entity.kind {
      if raw == .null { return .failure(CoercionFailure(.null(expected: values.words(.embedded(id))))) }
      return embedded(raw, id, depth: depth + 1)
    }
    if case .object(let members) = raw {
      if !entity.isAbstract { return record(raw, type, depth: depth + 1) }
      let possible = entity.members.map { catalog[$0.type].name }
      let given = members.last { $0.name == "__typename" }
      guard let name = given?.value.text, possible.contains(name), let member = catalog.type(named: name) else {
        let expected = "'__typename' with " + possible.map { "'\($0)'" }.joined(separator: " or ")
        return .failure(
          CoercionFailure(
            .wrongKind(found: given?.value.text.map { "'\($0)'" } ?? "an object without", expected: expected))
        )
      }
      return record(raw, member.id, depth: depth + 1)
    }
    if entity.isAbstract, raw != .null { return values.coerce(raw, to: .scalar(.id)) }
    guard entity.idProperties.count == 1, let id = entity.idProperties.first, raw != .null else {
      return .failure(CoercionFailure(.wrongKind(found: raw.words, expected: values.words(.entity(type)))))
    }
    return values.coerce(raw, to: entity[id].signature.type)
  }
}

extension RawValue {
  /// The text that it is.
  fileprivate var text: String? {
    switch self {
    case .text(let text), .typed(.string(let text)): text.string
    default: nil
    }
  }
}

extension ValueType {
  fileprivate var isRelationToMany: Bool {
    if case .list(.entity) = self { true } else { false }
  }
}

extension Catalog {
  /// Whether objects of an embedded type hold links or lists of objects, however deep.
  func holdsRelations(_ id: EmbeddedTypeID) -> Bool {
    self[id].fields.contains { field in
      switch field.signature.type {
      case .entity, .list(.entity): true
      case .embedded(let inner): holdsRelations(inner)
      default: false
      }
    }
  }
}
