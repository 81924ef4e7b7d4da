/// Random mutations over what a model holds: mostly right, sometimes not.
struct RandomStatements {
  let schema: ModelSchema
  var random: SeededRandom
  /// Mostly statements of one entity each.
  var areNarrow = false

  mutating func operation(_ state: ModelState) -> [ModelStatement] {
    if areNarrow { return [statement(state)] }
    return (0..<(random.chance(70) ? 1 : 2 + random.below(3))).map { _ in statement(state) }
  }

  private mutating func statement(_ state: ModelState) -> ModelStatement {
    let type = random.below(schema.types.count)
    let change: ModelChange
    switch random.below(20) {
    case 0..<7: change = .insert(rows(type, state, isNew: true))
    case 7..<12: change = upsert(type, state)
    case 12..<15: change = update(type, state)
    case 15..<18: change = .delete(condition(type, state.living(type)), isHard: random.chance(25))
    default: change = .restore(condition(type, state.deleted(type)))
    }
    return ModelStatement(
      type: type, change: change, usesVariable: random.chance(50), hasSelection: random.chance(areNarrow ? 15 : 80))
  }

  // MARK: - Rows

  private mutating func rows(_ type: Int, _ state: ModelState, isNew: Bool) -> [ModelRow] {
    (0..<(random.chance(areNarrow ? 90 : 60) ? 1 : 1 + random.below(3))).map { _ in
      row(type, state, depth: 0, id: id(type, state, isNew: isNew))
    }
  }

  /// An id; rarely one that is taken where a new one is wanted.
  private mutating func id(_ type: Int, _ state: ModelState, isNew: Bool) -> Int {
    let taken = state.entities.values.filter { $0.type == type }.map(\.id)
    if let old = taken.sorted().randomElement(using: &random), random.chance(isNew ? 8 : 65) { return old }
    return 1 + random.below(60)
  }

  private mutating func row(_ type: Int, _ state: ModelState, depth: Int, id: Int?) -> ModelRow {
    var row = ModelRow(id: id)
    for (place, field) in schema.types[type].fields.enumerated() {
      let isNeeded = field.isRequired && field.standard == nil
      guard random.chance(isNeeded ? 94 : 60) else { continue }
      row.fields.append((place, random.chance(field.isRequired ? 3 : 15) ? nil : value(field, state.serials)))
    }
    if random.chance(20), !row.fields.contains(where: { schema.types[type].fields[$0.place].kind == .spot }) {
      row.fields.reverse()
    }
    for (place, value) in row.fields where schema.types[type].fields[place].kind == .spot {
      row.links += within(place, type, value, state, depth: depth)
    }
    for place in schema.named(of: type) {
      let relation = schema.relations[place]
      guard random.chance(relation.isRequired ? 96 : depth == 0 && !areNarrow ? 40 : 15) else { continue }
      row.links.append(link(place, state, depth: depth))
    }
    return row
  }

  /// The links of an embedded object, all of them: what it does not name is null.
  private mutating func within(
    _ place: Int, _ type: Int, _ value: ModelValue?, _ state: ModelState, depth: Int
  ) -> [ModelLink] {
    schema.within(place, of: type).map { relation in
      guard value != nil, random.chance(70) else { return ModelLink(relation: relation) }
      var link = ModelLink(relation: relation)
      let count = schema.relations[relation].isMany ? random.below(4) : 1
      link.targets = (0..<count).map { _ in target(schema.relations[relation], state, depth: depth) }
      return link
    }
  }

  /// Unique fields need more values than the usual ones have.
  private mutating func value(_ field: ModelField, _ salt: Int) -> ModelValue {
    if field.index == .unique, random.chance(70) {
      switch field.kind {
      case .int: return .int(random.below(500))
      case .text: return .text("u\(random.below(500))")
      default: break
      }
    }
    return field.kind.value(&random)
  }

  private mutating func link(_ place: Int, _ state: ModelState, depth: Int) -> ModelLink {
    let relation = schema.relations[place]
    guard relation.isMany else {
      if random.chance(relation.isRequired ? 3 : 15) { return ModelLink(relation: place, targets: nil) }
      return ModelLink(relation: place, targets: [target(relation, state, depth: depth)])
    }
    var link = ModelLink(relation: place, mode: random.pick([.assign, .assign, .append, .set, .remove]))
    link.targets = (0..<random.below(4)).map { _ in target(relation, state, depth: depth) }
    return link
  }

  private mutating func target(_ relation: ModelRelation, _ state: ModelState, depth: Int) -> ModelLink.Target {
    let type = random.pick(schema.types(of: relation.target))
    let living = state.living(type).map(\.id)
    if depth < 2, living.isEmpty || random.chance(areNarrow ? 3 : 25) {
      let id = random.chance(40) ? living.randomElement(using: &random) : nil
      var fragment = row(type, state, depth: depth + 1, id: id ?? 1 + random.below(60))
      if relation.target == ModelSchema.named { fragment.type = type }
      // What is there need not be told again.
      if id != nil, random.chance(60) {
        let kept = fragment.fields.filter { _ in random.chance(30) }
        fragment.fields = kept
        fragment.links.removeAll { link in
          schema.relations[link.relation].within.map { place in !kept.contains { $0.place == place } } ?? false
        }
      }
      return .row(fragment)
    }
    let id = random.chance(2) ? 900 : living.randomElement(using: &random) ?? 900
    // A key of several fields is named as an object.
    if schema.types[type].isCompound { return .row(ModelRow(id: id)) }
    return .id(id)
  }

  // MARK: - Changes

  private mutating func upsert(_ type: Int, _ state: ModelState) -> ModelChange {
    let keys = schema.types[type].keys
    let on = random.chance(30) ? random.below(keys.count) : nil
    var strategy = random.chance(15) ? nil : random.pick(ModelStrategy.allCases)
    let numbers = places(type, of: .int)
    let by = strategy == .lastWrite ? numbers.randomElement(using: &random) : nil
    if strategy == .lastWrite, by == nil { strategy = .patch }
    var set: [(place: Int, value: ModelExpression)] = []
    if random.chance(30) {
      for (place, field) in schema.types[type].fields.enumerated()
      where field.kind != .spot && set.count < 2 && random.chance(30) {
        set.append((place, decision(place, field, type)))
      }
    }
    return .upsert(rows(type, state, isNew: false), on: on, strategy, by: by, set: set)
  }

  private mutating func decision(_ place: Int, _ field: ModelField, _ type: Int) -> ModelExpression {
    switch random.below(3) {
    case 0 where field.kind == .int: .sum(place)
    case 1 where field.kind != .place: .copy(place)
    case 1, 2: field.kind == .place ? .value(field.kind.value(&random)) : .new(place)
    default: .value(field.kind.value(&random))
    }
  }

  private func places(_ type: Int, of kind: ModelKind) -> [Int] {
    let fields = schema.types[type].fields
    return fields.indices.filter { fields[$0].kind == kind }
  }

  private mutating func update(_ type: Int, _ state: ModelState) -> ModelChange {
    let fields = schema.types[type].fields
    var set: [(place: Int, value: ModelExpression)] = []
    for (place, field) in fields.enumerated() where random.chance(40) {
      let same = places(type, of: field.kind)
      switch random.below(5) {
      case 0 where field.kind == .int: set.append((place, .plus(place, 1 + random.below(3))))
      case 1 where field.kind == .text: set.append((place, .text(place, "!")))
      case 2 where !field.kind.isObject: set.append((place, .copy(random.pick(same))))
      case 3 where random.chance(field.isRequired ? 5 : 50): set.append((place, .value(nil)))
      default: set.append((place, .value(value(field, state.serials))))
      }
    }
    var links: [ModelLink] = []
    for (place, value) in set where fields[place].kind == .spot {
      if case .value(let value) = value { links += within(place, type, value, state, depth: 1) }
    }
    for place in schema.named(of: type) where random.chance(areNarrow ? 8 : 25) {
      links.append(link(place, state, depth: 1))
    }
    let living = state.living(type)
    var condition = condition(type, living)
    var id: Int?
    if random.chance(5), let one = living.randomElement(using: &random) {
      condition = .ids([one.id])
      id = self.id(type, state, isNew: random.chance(70))
    }
    return .update(condition, id: id, set: set, links: links)
  }

  private mutating func condition(_ type: Int, _ candidates: [ModelEntity]) -> ModelCondition {
    let fields = schema.types[type].fields
    let places = fields.indices.filter { fields[$0].kind.isIndexable }
    if areNarrow, random.chance(85) {
      let one = candidates.randomElement(using: &random)?.id
      return .ids([one ?? 1 + random.below(60)])
    }
    switch random.below(12) {
    case 0: return .all
    case 1..<4:
      if let place = places.randomElement(using: &random) { return .equals(place, fields[place].kind.value(&random)) }
    case 4:
      if let place = fields.indices.filter({ !fields[$0].isRequired }).randomElement(using: &random) {
        return .isNull(place)
      }
    case 5:
      if let place = self.places(type, of: .int).randomElement(using: &random) { return .below(place, random.below(4)) }
    default: break
    }
    let ids = candidates.shuffled(using: &random).prefix(1 + random.below(3)).map(\.id)
    return .ids(ids.isEmpty ? [1 + random.below(60)] : ids)
  }
}
