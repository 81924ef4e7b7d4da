import GQLBase

/// Nested objects that have an id: they are entities of a type of their own.
extension SchemaInference {
  /// Makes types of nested objects that have an id.
  ///
  /// An object of an id alone is a link to what has that id. Where nothing has it, the objects at that place stay
  /// embedded: as a link it would lead nowhere, and the id would be lost.
  mutating func liftNested() {
    let count = numberBareObjects()
    var embedded: Set<Int> = []
    // Objects that stay embedded have no ids any more that others lead to.
    for attempt in 0..<Self.liftAttempts where count > 0 {
      var lifted = self
      lifted.lift(embedded)
      let lost = lifted.placesOfLostObjects()
      if lost.isEmpty {
        self = lifted
        return
      }
      embedded.formUnion(attempt + 1 == Self.liftAttempts ? Set(0..<count) : lost)
    }
    lift(embedded)
  }

  private static var liftAttempts: Int { 8 }

  /// Numbers the places where objects of an id alone stand. Returns how many there are.
  private mutating func numberBareObjects() -> Int {
    var count = 0
    for index in types.indices {
      types[index].shape.forEach { shape in
        guard shape.bare.count > 0 else { return }
        shape.bare.places = [count]
        count += 1
      }
    }
    return count
  }

  /// Returns the places of objects of an id alone of which some lead nowhere.
  private mutating func placesOfLostObjects() -> Set<Int> {
    let ids = types.map { draft in
      draft.identity.member.flatMap { draft.shape.place(of: $0) }.flatMap {
        draft.shape.members[$0].shape.distinct?.hashed
      }
    }
    var lost: Set<Int> = []
    for index in types.indices {
      types[index].shape.forEach { shape in
        guard let target = shape.entity else { return }
        for id in shape.bare.ids {
          guard let found = id.shape.distinct, !found.isOverfull, let known = ids[target], !known.isOverfull,
            found.countShared(with: known) < found.count
          else { continue }
          lost.formUnion(shape.bare.places)
        }
      }
    }
    return lost
  }

  private mutating func lift(_ embedded: Set<Int>) {
    var named = TypeNames()
    for index in types.indices { named.add(SourceNames.legalType(types[index].source ?? ""), index) }
    if !embedded.isEmpty {
      for index in types.indices {
        types[index].shape.forEach { shape in
          guard shape.bare.places.contains(where: embedded.contains) else { return }
          shape.settleBare()
          shape.staysEmbedded = true
        }
      }
    }
    // Once more for objects of an id alone: what has their type may be found behind them.
    for _ in 0..<2 { liftNested(&named) }
    for index in types.indices {
      types[index].shape.forEach { shape in
        // A type of nothing but an id is one of entities all the same.
        if shape.bare.count > 0, shape.entity == nil { shape.settleBare() }
      }
    }
  }

  private mutating func liftNested(_ named: inout TypeNames) {
    var queue = Array(types.indices.reversed())
    while let index = queue.popLast() {
      guard types[index].table == nil else { continue }
      // Objects of the type itself may be nested in it: they are added to what stands in its place meanwhile.
      var shape = ValueShape()
      swap(&shape, &types[index].shape)
      let owner = types[index].source.map { SourceNames.legalType($0) } ?? types[index].name
      lift(&shape, owner, &named, &queue)
      shape.merge(types[index].shape)
      types[index].shape = shape
    }
  }

  private mutating func lift(_ shape: inout ValueShape, _ owner: String, _ named: inout TypeNames, _ queue: inout [Int])
  {
    for place in shape.members.indices {
      let name = shape.members[place].name.string
      let kinds = shape.members[place].shape.kinds
      if kinds.contains(.list) {
        guard kinds == .list, shape.members[place].shape.element.count == 1,
          shape.members[place].shape.element[0].nulls == 0
        else { continue }
        lift(&shape.members[place].shape.element[0], named: name, owner, &named, &queue)
      } else if kinds.contains(.object) {
        lift(&shape.members[place].shape, named: name, owner, &named, &queue)
      }
    }
  }

  private mutating func lift(
    _ inner: inout ValueShape, named name: String, _ owner: String, _ named: inout TypeNames, _ queue: inout [Int]
  ) {
    guard inner.objects + inner.bare.count > 0, !inner.isMap, inner.entity == nil else { return }
    guard !inner.staysEmbedded, let id = Self.nestedID(inner) else {
      if inner.kinds == .object { lift(&inner, owner + SourceNames.type(name), &named, &queue) }
      return
    }
    let type: String
    if let typename = inner.typename, !typename.isEmpty { type = typename } else { type = name }
    let found = named.find(type).flatMap { types[$0].table == nil && types[$0].identity == .id(id) ? $0 : nil }
    // An id alone is a link. Where nothing has the type that it leads to, it stays readable as it is written.
    if inner.objects == 0, found == nil { return }
    var nested = inner
    nested.bare = BareObjects()
    nested.nulls = 0
    inner.removeMembers()
    inner.objects = 0
    let target: Int
    if let found {
      target = found
      // Only what records of their own say tells whether an id comes twice.
      types[target].shape.merge(nested)
    } else {
      let plain = SourceNames.legalType(SourceNames.singular(type))
      let name = named.find(type) == nil ? plain : owner + plain
      target = addNested(named: name, nested, id: id)
      named.add(name, target)
    }
    inner.entity = target
    queue.append(target)
  }

  /// Returns the member that tells nested objects from each other: each of them must have it.
  static func nestedID(_ shape: ValueShape) -> Text? {
    guard shape.kinds.subtracting(.object).isSubset(of: .keys), shape.bare.ids.allSatisfy({ isLinkable($0.shape) })
    else { return nil }
    return CollectedNames.nestedIDs.first { name in
      guard shape.bare.ids.allSatisfy({ $0.name == name }) else { return false }
      if shape.objects == 0 { return !shape.bare.ids.isEmpty }
      guard let place = shape.place(of: name) else { return false }
      let member = shape.members[place].shape
      return isLinkable(member) && member.nulls == 0 && member.values >= shape.objects
    }
  }
}

/// A table of the places of types by their names, without case, underscores and the plural.
struct TypeNames {
  private var places: [String: Int] = [:]

  mutating func add(_ name: String, _ index: Int) {
    let plain = SourceNames.plain(name)
    if places[plain] == nil { places[plain] = index }
    let one = SourceNames.singular(plain)
    if places[one] == nil { places[one] = index }
  }

  /// Returns the type that a field is named for: `user`, `users` and `userList` are for `User` and `Users`.
  func find(_ field: String) -> Int? {
    let plain = SourceNames.plain(field)
    if let place = places[plain] ?? places[SourceNames.singular(plain)] { return place }
    return plain.hasSuffix("list") ? places[String(plain.dropLast(4))] : nil
  }
}
