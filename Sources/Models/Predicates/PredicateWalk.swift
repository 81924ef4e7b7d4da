import Foundation
import GQLCatalog
import GQLWriting

/// A part of a `#Predicate` that says what it is for the planner.
///
/// Each of Foundation's expressions walks all that it consists of, also where it cannot be translated itself: the walk
/// notes relations that evaluating it will look at.
protocol PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart
  /// The part as people write it.
  func words(_ walk: PredicateWalk) -> String
}

/// What a part of a predicate is for the planner.
indirect enum PredicatePart {
  /// Columns cannot tell.
  case unknown
  case constant(PredicateConstant)
  case term(Term, TermType)
  case entity(EntityPart)
  /// An embedded object, or one in it, that is described.
  case object(EntityPart, EmbeddedNode)
  case members(MembersPart)
  /// A nil bound is open.
  case range(lower: PredicatePart?, upper: PredicatePart?, includesUpper: Bool)

  static func boolean(_ term: Term, canBeNull: Bool = false) -> Self {
    .term(term, TermType(_ColumnShape(.boolean), canBeNull: canBeNull))
  }
}

/// The type of a term.
struct TermType {
  let shape: _ColumnShape
  let canBeNull: Bool
  /// Whether equal cells are equal values.
  var comparesAsStored = true
  /// Whether cells are ordered as values are.
  var isOrdered = true
  /// The key path that led here, from an entity.
  var origin: EntityPart?
  var isID = false
  /// The attribute whose values these are. Their type in a schema, which enum, is known when the query runs.
  var attribute: AttributePlace?

  init(_ shape: _ColumnShape, canBeNull: Bool? = nil) {
    self.shape = shape
    self.canBeNull = canBeNull ?? !shape.isNonNull
  }

  func nullable() -> TermType {
    var type = like(shape, canBeNull: true)
    type.isOrdered = isOrdered
    type.isID = isID
    return type
  }

  /// What has the same values, though maybe in another order.
  func like(_ shape: _ColumnShape, canBeNull: Bool? = nil) -> TermType {
    var type = TermType(shape, canBeNull: canBeNull)
    type.comparesAsStored = comparesAsStored
    type.attribute = attribute
    return type
  }

  /// Whether cells mean the same in both.
  func isLike(_ other: TermType) -> Bool {
    // Two enums of a schema may stand for one of Swift.
    shape.isLike(other.shape) && (shape.enumeration == nil || attribute == other.attribute)
  }
}

/// A value that a predicate has captured.
struct PredicateConstant {
  let value: Any
  /// The value as a column of the shape holds it; nil if it has no place there.
  let stored: (_ColumnShape, _ isID: Bool) -> GQLCatalog.Value?

  init<Output>(_ value: Output) {
    self.value = value
    stored = { storedValue(value, $0, isID: $1) }
  }

  var isNil: Bool { (value as? any _OptionalValue)?._isMissing ?? false }
}

/// An entity, or something in it that has no column itself.
struct EntityPart {
  /// The key path from the entity.
  enum Path {
    case itself
    case known(AnyKeyPath)
    /// It goes through an optional, behind which no key path can be put together.
    case lost

    func appending(_ next: AnyKeyPath) -> Self {
      switch self {
      case .itself: .known(next)
      case .known(let path): path.appending(path: next).map(Self.known) ?? .lost
      case .lost: .lost
      }
    }

    var isItself: Bool { if case .itself = self { true } else { false } }
  }

  let place: Term.Place
  let cursor: any EntityCursor
  var path = Path.itself
  /// The relations that lead to the entity from the one that is asked.
  let route: [Int]
  /// Whether the entity may not be there.
  var canBeMissing = false

  /// A term about the targets of its relation: null if it is not there.
  func guarding(_ term: Term, _ shape: _ColumnShape) -> PredicatePart {
    if !canBeMissing { return .term(term, TermType(shape)) }
    let missing = Term.NullBase.place(place).isMissing
    return .term(.conditional([missing, .null, term]), TermType(shape, canBeNull: true))
  }
}

/// What a walk asks a type's description.
protocol EntityCursor {
  func attribute(at path: AnyKeyPath) -> CursorAttribute?
  func attribute(_ number: Int) -> CursorAttribute?
  func node(at path: AnyKeyPath) -> EmbeddedNode?
  func relation(at path: AnyKeyPath) -> (number: Int, isToMany: Bool, target: any EntityCursor, isStored: Bool)?
}

/// What a description says of an attribute.
struct CursorAttribute {
  let place: AttributePlace
  let shape: _ColumnShape
  let comparesAsStored: Bool
  let isID: Bool
  /// Whether it is of something that a property holds.
  let isEmbedded: Bool
}

extension EntityInfo: EntityCursor {
  func attribute(at path: AnyKeyPath) -> CursorAttribute? {
    guard let key = key(path), !key.isDescending else { return nil }
    return attribute(key.attribute)
  }

  func attribute(_ number: Int) -> CursorAttribute? {
    guard let shape = attributes[number].shape else { return nil }
    return CursorAttribute(
      place: AttributePlace(type: ObjectIdentifier(Entity.self), attribute: number), shape: shape,
      comparesAsStored: attributes[number].comparesAsStored, isID: number == idAttribute,
      isEmbedded: attributes[number].place != nil)
  }

  func node(at path: AnyKeyPath) -> EmbeddedNode? { nodes[path] }

  func relation(at path: AnyKeyPath) -> (number: Int, isToMany: Bool, target: any EntityCursor, isStored: Bool)? {
    guard let number = relation(value: path) else { return nil }
    func cursor<Target: EntityModelProtocol>(_ type: Target.Type) -> any EntityCursor { EntityInfo<Target>.shared }
    let relation = relations[number]
    return (number, relation.isToMany, cursor(relation.target), !(relation.target is any Tombstone.Type))
  }
}

/// The translation of one condition.
final class PredicateWalk {
  private(set) var parameters: [Parameter] = []
  /// The relations that evaluating the condition looks at, each with those that lead to it.
  ///
  /// Those that the walk can tell, so that they are loaded for many entities together. What else is asked for is loaded
  /// then.
  private(set) var routes: Set<[Int]> = []
  /// Whether a term reckons with floating-point numbers.
  var reckonsWithFloats = false
  /// Whether a term reckons with whole numbers.
  var reckonsWithIntegers = false
  /// Whether a term is about embedded objects.
  var seesObjects = false
  /// The embedded objects that were met, by whether they are there.
  private var objects: [Term: Term.NullBase] = [:]
  private var variables: [PredicateExpressions.VariableID: PredicatePart] = [:]
  private var names: [PredicateExpressions.VariableID: String] = [:]
  /// How many tests of members or elements enclose what is walked.
  private var level = 0

  init<Entity: EntityModelProtocol>(_ variable: PredicateExpressions.Variable<Entity>) {
    let root = EntityPart(place: .level(0), cursor: EntityInfo<Entity>.shared, route: [])
    variables[variable.key] = .entity(root)
    names[variable.key] = "$0"
  }

  func lowered(_ expression: Any) -> PredicatePart {
    (expression as? any PredicateLowering)?.lowered(self) ?? .unknown
  }

  func words(_ expression: Any) -> String {
    (expression as? any PredicateLowering)?.words(self) ?? "\(expression)"
  }

  /// The level of tests that are asked next.
  var nextLevel: Int { level + 1 }

  func part(_ variable: PredicateExpressions.VariableID) -> PredicatePart { variables[variable] ?? .unknown }

  func name(_ variable: PredicateExpressions.VariableID) -> String {
    if let name = names[variable] { return name }
    let name = "$\(names.count)"
    names[variable] = name
    return name
  }

  /// Walks what stands within a closure whose argument is `part`.
  func lowered(_ body: Any, where variable: PredicateExpressions.VariableID, is part: PredicatePart) -> PredicatePart {
    variables[variable] = part
    return lowered(body)
  }

  /// The same for a closure that is called for each member or element.
  func lowered(
    _ body: Any, eachAs variable: PredicateExpressions.VariableID, _ part: (_ level: Int) -> PredicatePart
  ) -> PredicatePart {
    level += 1
    defer { level -= 1 }
    return lowered(body, where: variable, is: part(level))
  }

  func note(_ route: [Int]) { routes.insert(route) }

  /// Notes an embedded object that may be missing.
  func note(_ node: EmbeddedNode, at place: Term.Place) {
    objects[.hasObject(place, node.attribute)] = .object(place, node)
  }

  /// The embedded object of which a term says whether it is there.
  func object(_ term: Term) -> Term.NullBase? { objects[term] }

  /// A value, with what it, or its elements, are in Swift.
  func parameter(
    _ value: GQLCatalog.Value, _ type: ValueType, of attribute: AttributePlace? = nil, from values: [Any] = []
  ) -> Term {
    if value.isNull { return .null }
    var parameter = Parameter(value: value, type: type, attribute: attribute)
    parameter.takeFiner(of: values)
    parameters.append(parameter)
    return .parameter(parameters.count - 1)
  }
}

/// A value as a column of the shape holds it; nil if it has no place there, as a number that is too large. An enum's
/// value is its code.
func storedValue<Value>(_ value: Value, _ shape: _ColumnShape, isID: Bool) -> GQLCatalog.Value? {
  if let optional = value as? any StorableOptional { return optional.stored(shape, isID: isID) }
  var slot = _ColumnSlot(StagingArena())
  let codec = ValueCodec<Value>.make()
  if let own = codec.shape, own.isLike(shape), !own.isList {
    guard (try? codec.write(value, into: &slot)) != nil else { return nil }
  } else if isID, let id = value as? any LosslessStringConvertible, shape.isText {
    guard (try? slot.set(id.description)) != nil else { return nil }
  } else {
    return nil
  }
  guard let cell = slot.cell else { return .null }
  if shape.enumeration != nil { return .int(cell.int) }
  return withExtendedLifetime(slot.memory) { GQLCatalog.Value(cell, shape.scalar) }
}

/// An optional, whatever it wraps.
private protocol StorableOptional {
  func stored(_ shape: _ColumnShape, isID: Bool) -> GQLCatalog.Value?
}

extension Optional: StorableOptional {
  fileprivate func stored(_ shape: _ColumnShape, isID: Bool) -> GQLCatalog.Value? {
    if let value = self { return storedValue(value, shape, isID: isID) }
    return .null
  }
}
