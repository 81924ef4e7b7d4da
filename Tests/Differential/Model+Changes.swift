import GQLite

/// Changes of the data: the engine is told with a mutation, the model changes its dictionaries.
struct Change {
  var text: String
  var variables: [String: Value] = [:]
}

extension Model {
  /// Some deletions, restorations, insertions and updates.
  mutating func changes(_ random: inout SeededRandom) -> [Change] {
    var changes: [Change] = []
    if let large = entities.max(by: { count($0) < count($1) }), count(large) > 1_024, random.chance(70) {
      changes += deleteRun(of: large, &random)
    }
    for _ in 0..<(4 + random.below(8)) {
      let shape = random.pick(entities)
      switch random.below(7) {
      case 0, 1, 2: changes += delete(shape, &random)
      case 3: changes += restore(shape, &random)
      case 4: changes += update(shape, &random)
      default: changes.append(insert(shape, &random))
      }
    }
    return changes
  }

  /// An entity that comes, and then goes for good: everything else is in every past what it was.
  func passing(_ random: inout SeededRandom) -> [Change] {
    var model = self
    let shape = random.pick(entities)
    let insertion = model.insert(shape, &random)
    guard let id = model.rows[shape.name]?.last?["id"] else { return [] }
    return [insertion, Change(text: "mutation { delete\(shape.name)(where: id == \(id.literal), hard: true) }")]
  }

  private func id(_ entity: Datum) -> Datum? {
    guard case .entity(let type, let row) = entity else { return nil }
    return rows[type]?[row]["id"]
  }

  private mutating func delete(_ shape: Shape, _ random: inout SeededRandom) -> [Change] {
    delete(Array(all(shape.name).shuffled(using: &random).prefix(1 + random.below(3))), of: shape)
  }

  /// Deletes neighbors in canonical order, so that a page of the store may end up empty.
  private mutating func deleteRun(of shape: Shape, _ random: inout SeededRandom) -> [Change] {
    let live = all(shape.name)
    guard !live.isEmpty else { return [] }
    return delete(Array(live.dropFirst(random.below(live.count)).prefix(random.pick([100, 600, 1_100]))), of: shape)
  }

  private mutating func delete(_ chosen: [Datum], of shape: Shape) -> [Change] {
    guard !chosen.isEmpty else { return [] }
    for entity in chosen { deleted.insert(entity.key()) }
    let list = chosen.compactMap { id($0)?.literal }.joined(separator: ", ")
    return [Change(text: "mutation { delete\(shape.name)(where: id in [\(list)]) }")]
  }

  private mutating func restore(_ shape: Shape, _ random: inout SeededRandom) -> [Change] {
    let gone = all(shape.name, deleted: "ONLY")
    guard let chosen = gone.randomElement(using: &random), let id = id(chosen) else { return [] }
    deleted.remove(chosen.key())
    return [Change(text: "mutation { restore\(shape.name)(where: id == \(id.literal)) }")]
  }

  private mutating func update(_ shape: Shape, _ random: inout SeededRandom) -> [Change] {
    let fields = shape.fields.filter {
      Kind.scalars.contains($0.kind) && $0.computed == nil && !["id", "key", "d", "dd"].contains($0.name)
    }
    guard let field = fields.randomElement(using: &random),
      let chosen = all(shape.name).randomElement(using: &random), let id = id(chosen),
      case .entity(let type, let row) = chosen
    else { return [] }
    let value = !field.isNonNull && random.chance(20) ? .null : Self.value(field.kind, &random)
    rows[type]?[row][field.name] = value
    return [
      Change(
        text:
          "mutation($v: \(field.kind.typeName)) { update\(shape.name)(where: id == \(id.literal), set: {\(field.name): $v}) }",
        variables: ["v": value.value])
    ]
  }

  private mutating func insert(_ shape: Shape, _ random: inout SeededRandom) -> Change {
    let number = 10_000 + insertion.count
    var values = Self.values(of: shape, number, hasTextIds: random.chance(50), &random)
    if case .id(let text, _)? = values["id"] { values["id"] = .id(text, isNumber: false) }
    let row = rows[shape.name]?.count ?? 0
    let entity = Datum.entity(shape.name, row)
    var members = shape.fields.filter { $0.computed == nil }.map { field in
      Value.Member(field.name, (values[field.name] ?? .null).value)
    }
    for other in shape.relations { links[shape.name, default: [:]][other.name, default: []].append([]) }
    for relation in shape.relations where relation.isWritten {
      // One to whom only one may link would be taken away from another.
      if let inverse = relation.inverse, self.shape(relation.target)?.relation(inverse)?.isMany == false { continue }
      let wanted = relation.isMany ? random.below(4) : random.below(2)
      let chosen = Array(all(relation.target).shuffled(using: &random).prefix(wanted))
      links[shape.name]?[relation.name]?[row] = chosen
      for case .entity(let type, let target) in chosen {
        guard let inverse = relation.inverse else { continue }
        links[type]?[inverse]?[target].append(entity)
      }
      let ids = chosen.map { id($0)?.value ?? .null }
      members.append(Value.Member(relation.name, relation.isMany ? .list(ids) : ids.first ?? .null))
    }
    rows[shape.name, default: []].append(values)
    places[shape.name, default: []].append(insertion.count)
    insertion.append(entity)
    return Change(
      text: "mutation($d: \(shape.name)Input!) { insert\(shape.name)(data: $d) }", variables: ["d": .object(members)])
  }
}
