import Foundation
import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// The property equals the value; nil equals nil.
public func == <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  comparison(.equal, path, value, ofNothing: false, isEqual(to: value))
}

/// The property does not equal the value; nil equals nil.
public func != <Entity: EntityModelProtocol, Value: Equatable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  let isEqual = isEqual(to: value)
  return comparison(.notEqual, path, value, ofNothing: true) { !isEqual($0) }
}

/// The property is less than the value.
public func < <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.less, path, value) { $0 }
}

/// The property is at most the value.
public func <= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.lessOrEqual, path, value) { $0 }
}

/// The property is greater than the value.
public func > <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.greater, path, value) { $0 }
}

/// The property is at least the value.
public func >= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.greaterOrEqual, path, value) { $0 }
}

/// Tells whether there is a value, and it is less than another.
public func < <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value?> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.less, path, value) { $0 }
}

/// Tells whether there is a value, and it is at most another.
public func <= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value?> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.lessOrEqual, path, value) { $0 }
}

/// Tells whether there is a value, and it is greater than another.
public func > <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value?> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.greater, path, value) { $0 }
}

/// Tells whether there is a value, and it is at least another.
public func >= <Entity: EntityModelProtocol, Value: Comparable & Sendable>(
  path: KeyPath<Entity, Value?> & Sendable, value: Value
) -> QueryPredicate<Entity> {
  ordering(.greaterOrEqual, path, value) { $0 }
}

/// Returns the test whether values equal another one, texts by their code points.
private func isEqual<Value: Equatable>(to value: Value) -> (Value) -> Bool {
  guard let texts = CodePointOrder<Value>.make() else { return { $0 == value } }
  return { texts.rank($0, value) == 0 }
}

/// Returns the test how values are to another one, texts by their code points.
private func isOrdered<Value: Comparable>(_ op: ComparisonOperator, _ value: Value) -> (Value) -> Bool {
  let texts = CodePointOrder<Value>.make()
  switch op {
  case .equal: return isEqual(to: value)
  case .notEqual:
    let isEqual = isEqual(to: value)
    return { !isEqual($0) }
  case .less: return texts.map { texts in { texts.rank($0, value) < 0 } } ?? { $0 < value }
  case .lessOrEqual: return texts.map { texts in { texts.rank($0, value) <= 0 } } ?? { $0 <= value }
  case .greater: return texts.map { texts in { texts.rank($0, value) > 0 } } ?? { $0 > value }
  case .greaterOrEqual: return texts.map { texts in { texts.rank($0, value) >= 0 } } ?? { $0 >= value }
  }
}

/// Orders of raw types are not those of their raw values: only columns of the type itself are ordered as it is.
private func ordering<Entity: EntityModelProtocol, Property, Value: Comparable & Sendable>(
  _ op: ComparisonOperator, _ path: KeyPath<Entity, Property> & Sendable, _ value: Value,
  _ known: @escaping (Property) -> Value?
) -> QueryPredicate<Entity> {
  let isOrdered = isOrdered(op, value)
  let test: (Property) -> Bool = { known($0).map(isOrdered) ?? false }
  guard Value.self is any _ColumnValue.Type else {
    let reader = PathReader(path)
    return QueryPredicate(nil) { entity, _ in reader.read(entity).map(test) ?? false }
  }
  return comparison(op, path, value, ofNothing: false, test)
}

/// `ofNothing` says whether it holds where the key path leads to nothing.
private func comparison<Entity: EntityModelProtocol, Property, Value>(
  _ op: ComparisonOperator, _ path: KeyPath<Entity, Property> & Sendable, _ value: Value, ofNothing: Bool,
  _ test: @escaping (Property) -> Bool
) -> QueryPredicate<Entity> {
  let reader = PathReader(path)
  let holds: (Entity, EntityFacts) -> Bool = { entity, _ in reader.read(entity).map(test) ?? ofNothing }
  let info = EntityInfo<Entity>.shared
  if op == .equal || op == .notEqual, let node = info.nodes[path], (value as? any _OptionalValue)?._isMissing == true {
    let hasObject = Term.hasObject(.level(0), node.attribute)
    var predicate = QueryPredicate<Entity>(op == .equal ? .not(hasObject) : hasObject, holds: holds)
    predicate.seesObjects = true
    return predicate
  }
  guard let key = info.key(path), !(Property.self is any Tombstone.Type),
    let shape = info.attributes[key.attribute].shape, !shape.isList,
    info.attributes[key.attribute].comparesAsStored,
    let constant = constant(value, shape, isID: key.attribute == info.idAttribute, Entity.self)
  else { return QueryPredicate(nil, holds: holds) }
  if constant.isNull {
    // Nothing is less or more than nil.
    guard op == .equal || op == .notEqual else { return QueryPredicate(nil, holds: holds) }
    let isNull = Term.isNull(.attribute(.level(0), key.attribute))
    return QueryPredicate(op == .equal ? isNull : .not(isNull), holds: holds)
  }
  let op = key.isDescending ? op.swapped : op
  var parameter = Parameter(
    value: constant, type: shape.valueType,
    attribute: AttributePlace(type: ObjectIdentifier(Entity.self), attribute: key.attribute))
  parameter.takeFiner(of: [value])
  return QueryPredicate(
    .compare(op, .attribute(.level(0), key.attribute), .parameter(0)), [parameter], holds: holds)
}

/// The value as the column would hold it; nil if it has no place there, as a number that is too large. The code of an
/// enum's value is an integer, because what it is the code of shows in a schema only.
private func constant<Entity: EntityModelProtocol, Value>(
  _ value: Value, _ shape: _ColumnShape, isID: Bool, _ type: Entity.Type
) -> GQLCatalog.Value? {
  if let optional = value as? any _OptionalValue {
    guard let wrapped = optional._anyValue else { return .null }
    func opened<Wrapped>(_ value: Wrapped) -> GQLCatalog.Value? { constant(value, shape, isID: isID, type) }
    return _openExistential(wrapped, do: opened)
  }
  var slot = _ColumnSlot(StagingArena())
  do {
    if isID, let id = value as? Entity.ID {
      try EntityInfo<Entity>.shared.idCodec.write(id, into: &slot)
    } else if let value = value as? any _ColumnValue {
      try value._write(into: &slot)
    } else {
      let codec = ValueCodec<Value>.make()
      // A property's own codec may be another one than that of its type alone.
      guard codec.shape?.scalar == shape.scalar, codec.shape?.enumeration == shape.enumeration else { return nil }
      try codec.write(value, into: &slot)
    }
  } catch { return nil }
  guard let cell = slot.cell else { return .null }
  return withExtendedLifetime(slot.memory) {
    shape.enumeration == nil ? GQLCatalog.Value(cell, shape.scalar) : .int(cell.int)
  }
}

extension Parameter {
  /// Notes what instants have beside their microseconds.
  mutating func takeFiner(of values: [Any]) {
    guard type == .scalar(.dateTime) || type == .list(.scalar(.dateTime)) else { return }
    let finer = values.map { Date.finer(of: $0) }
    if finer.contains(where: { $0 != 0 }) { self.finer = finer }
  }
}

extension GQLCatalog.Value {
  /// A scalar's cell as a value.
  init(_ cell: Cell, _ type: ScalarType) {
    func text() -> Text { TextView(cell).withBytes { Text(UnsafeRawBufferPointer(start: $0, count: $1)) } }
    self =
      switch type {
      case .int: .int(cell.int)
      case .float: .float(cell.double)
      case .boolean: .boolean(cell.low & 1 != 0)
      case .decimal: .decimal(Decimal(packed: (cell.low, cell.high)))
      case .dateTime: .dateTime(cell.int)
      case .date: .date(cell.int)
      case .duration: .duration(cell.int)
      case .uuid: .uuid(text())
      case .bytes: .bytes(text())
      case .json: .json(text())
      case .id: .id(text(), isNumber: false)
      case .string, .cursor: .string(text())
      }
  }
}
