import GQLBase

/// Nested objects that have an id: they are entities of a type of their own.
extension SchemaInference {
  /// Makes types of nested objects that have an id.
  mutating func liftNested() {
    var named = TypeNames()
    for index in types.indices { named.add(SourceNames.legalType(types[index].source ?? ""), index) }
    // Once more for objects of an id alone: what has their type may be found behind them.
    for _ in 0..<2 { liftNested(&named) }
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
    guard inner.objects > 0, !inner.isMap else { return }
    guard let id = Self.nestedID(inner) else {
      if inner.kinds == .object { lift(&inner, owner + SourceNames.type(name), &named, &queue) }
      return
    }
    let type: String
    if let typename = inner.typename, !typename.isEmpty { type = typename } else { type = name }
    // An id alone is a link. Where nothing has the type that it leads to, it stays readable as it is written.
    if inner.members.count == 1, named.find(type) == nil { return }
    var nested = inner
    inner.removeMembers()
    inner.objects = 0
    nested.nulls = 0
    let target: Int
    if let found = named.find(type), types[found].table == nil, types[found].identity == .id(id) {
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

  /// Returns the member that tells nested objects from each other.
  private static func nestedID(_ shape: ValueShape) -> Text? {
    guard shape.kinds.subtracting(.object).isSubset(of: .keys) else { return nil }
    return CollectedNames.ids.first { name in
      guard name != "pk", let place = shape.place(of: name) else { return false }
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
