import GQLBase
import GQLCatalog

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
    case .list(.entity(let type)):
      return list(raw) { element in
        if element == .null {
          return signature.isElementNonNull
            ? .failure(CoercionFailure(.null(expected: values.words(.entity(type))))) : .success(.null)
        }
        return record(element, type, depth: 0)
      }
    default: return values.coerce(raw, to: signature)
    }
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
    guard case .object(let members) = raw, depth < Self.depthLimit else {
      return .failure(CoercionFailure(.wrongKind(found: raw.words, expected: values.words(.entity(type)))))
    }
    let entity = catalog[type]
    var result: [Value.Member] = []
    result.reserveCapacity(members.count)
    for member in members {
      guard let property = entity.property(named: member.name) else {
        let near = nearestNames(to: member.name, in: entity.properties.map(\.name))
        return .failure(
          CoercionFailure(
            .unknownMember(name: member.name, type: entity.name, near: near), path: [.member(member.name)]))
      }
      let outcome: Outcome
      switch property.storage {
      case .column, .embedded:
        // What null means, the save decides.
        outcome = values.coerce(
          member.value,
          to: TypeSignature(property.signature.type, isElementNonNull: property.signature.isElementNonNull))
      case .members, .computed:
        outcome = .failure(
          CoercionFailure(.wrongKind(found: "a value", expected: "no value for a computed field")))
      case .relation(let id) where catalog[catalog[id].target].kind != .entity:
        outcome = .failure(
          CoercionFailure(.wrongKind(found: member.value.words, expected: "nothing: it cannot be written yet")))
      case .relation(let id): outcome = links(member.value, catalog[id], depth: depth)
      }
      switch outcome {
      case .success(let value): result.append(Value.Member(Text(property.name), value))
      case .failure(let failure): return .failure(failure.inside(.member(property.name)))
      }
    }
    return .success(.object(result))
  }

  private func links(_ raw: RawValue, _ relation: Relation, depth: Int) -> Outcome {
    if raw == .null || raw == .typed(.null) { return .success(.null) }
    guard relation.isToMany else { return target(raw, relation.target, depth: depth) }
    if case .object(let members) = raw, !members.isEmpty,
      members.allSatisfy({ BoundLink.Mode(rawValue: $0.name).map { $0 != .assign } ?? false })
    {
      var result: [Value.Member] = []
      for member in members {
        switch list(member.value, { target($0, relation.target, depth: depth) }) {
        case .success(let value): result.append(Value.Member(Text(member.name), value))
        case .failure(let failure): return .failure(failure.inside(.member(member.name)))
        }
      }
      return .success(.object(result))
    }
    return list(raw) { target($0, relation.target, depth: depth) }
  }

  private func target(_ raw: RawValue, _ type: EntityTypeID, depth: Int) -> Outcome {
    if case .object = raw { return record(raw, type, depth: depth + 1) }
    let entity = catalog[type]
    guard entity.idProperties.count == 1, let id = entity.idProperties.first, raw != .null else {
      return .failure(CoercionFailure(.wrongKind(found: raw.words, expected: values.words(.entity(type)))))
    }
    return values.coerce(raw, to: entity[id].signature.type)
  }
}
