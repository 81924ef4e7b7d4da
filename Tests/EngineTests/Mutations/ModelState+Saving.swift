/// Changes, as the language describes them: a field's rows first, then their links, then what must be complete.
extension ModelState {
  /// Where a row of the input went.
  private struct Saved {
    var serial: Int?
    var row: ModelRow
    var isFragment: Bool
    var nested: [[Saved]] = []
    /// Null says nothing.
    var keepsForNull = false
    var appends = false
    var fillsOnly = false
  }

  /// What a field answers with.
  struct Outcome {
    var serials: [Int] = []
    var inserted: Set<Int> = []
    /// What was there, of a deletion.
    var before: ModelState?
  }

  private struct Field {
    var outcome = Outcome()
    /// Entities that objects inside others made, which a row of its own may complete.
    var fragments: Set<Int> = []
    var created: [Int] = []
  }

  mutating func apply(_ statement: ModelStatement) throws -> Outcome {
    switch statement.change {
    case .insert(let rows): return try save(rows, statement.type, nil)
    case .upsert(let rows, _, _, _, _): return try save(rows, statement.type, statement.change)
    case .update(let condition, let id, let set, let links):
      return try update(statement.type, condition, id, set, links)
    case .delete(let condition, let isHard):
      var outcome = Outcome(before: self)
      let live = living(statement.type).filter { matches($0, condition) }.map(\.serial)
      let gone = isHard ? deleted(statement.type).filter { matches($0, condition) }.map(\.serial) : []
      outcome.serials = (live + gone).sorted()
      if !live.isEmpty { try delete(live, keeps: !isHard) }
      for serial in gone { purge(serial) }
      return outcome
    case .restore(let condition):
      let gone = deleted(statement.type).filter { matches($0, condition) }.map(\.serial)
      for serial in gone where !isLive(serial) { try restore(serial) }
      return Outcome(serials: gone)
    }
  }

  func matches(_ entity: ModelEntity, _ condition: ModelCondition) -> Bool {
    switch condition {
    case .all: true
    case .ids(let ids): ids.contains(entity.id)
    case .equals(let place, let value): entity.fields[place]?.key == value.key
    case .isNull(let place): entity.fields[place] == nil
    case .below(let place, let bound): entity.fields[place]?.number.map { $0 < bound } ?? false
    }
  }

  // MARK: - Rows

  private mutating func save(_ rows: [ModelRow], _ type: Int, _ upsert: ModelChange?) throws -> Outcome {
    var field = Field()
    var saved: [Saved] = []
    for row in rows { saved.append(try save(row, type, isFragment: false, upsert, &field)) }
    for entry in saved { try link(entry) }
    for serial in field.created where isLive(serial) { try checkComplete(serial) }
    field.outcome.serials.removeAll { !isLive($0) }
    return field.outcome
  }

  private mutating func save(
    _ row: ModelRow, _ type: Int, isFragment: Bool, _ upsert: ModelChange?, _ field: inout Field
  ) throws -> Saved {
    var saved = Saved(row: row, isFragment: isFragment)
    var existing: Int?
    if isFragment {
      existing = row.id.flatMap { find(type, id: $0) }
      saved.keepsForNull = existing != nil
    } else if case .upsert(_, let on, _, _, _)? = upsert {
      existing = holder(type, schema.types[type].keys[on ?? 0], of: draft(row, type), not: [])
    }
    if let existing {
      saved.serial = existing
      if isFragment {
        try write(existing, said(row), replaceable: [])
      } else if case .upsert(_, _, let strategy, let by, let set)? = upsert {
        guard try meet(existing, row, strategy ?? .patch, by, set, &saved) else {
          field.outcome.serials.append(existing)
          return saved
        }
      }
    } else {
      try create(row, type, &saved, upsert == nil, &field)
    }
    if !isFragment, let serial = saved.serial { field.outcome.serials.append(serial) }
    for link in row.links {
      var targets: [Saved] = []
      for case .row(let inner) in link.targets ?? [] {
        targets.append(try save(inner, schema.relations[link.relation].target, isFragment: true, nil, &field))
      }
      saved.nested.append(targets)
    }
    return saved
  }

  /// The row as if it were an entity, to look for its keys; without an id it has none.
  private func draft(_ row: ModelRow, _ type: Int) -> ModelEntity {
    var entity = ModelEntity(
      serial: serials, type: type, id: row.id ?? -1,
      fields: [ModelValue?](repeating: nil, count: schema.types[type].fields.count), created: now, updated: now)
    for (place, value) in row.fields { entity.fields[place] = value }
    return entity
  }

  private mutating func create(
    _ row: ModelRow, _ type: Int, _ saved: inout Saved, _ isInsert: Bool, _ field: inout Field
  ) throws {
    guard let id = row.id else { throw refused("missing-value") }
    var entity = draft(row, type)
    for (place, declared) in schema.types[type].fields.enumerated() {
      if !row.fields.contains(where: { $0.place == place }) {
        switch declared.standard {
        case .value(let value): entity.fields[place] = value
        case .now: entity.fields[place] = .text(ModelDump.time(now))
        case nil: break
        }
      }
      if declared.isRequired, entity.fields[place] == nil, !saved.isFragment { throw refused("missing-value") }
    }
    if let other = find(type, id: id) {
      guard isInsert, !saved.isFragment, field.fragments.remove(other) != nil else { throw refused("unique-violation") }
      try write(other, said(row), replaceable: [])
      saved.serial = other
      field.outcome.inserted.insert(other)
      field.created.append(other)
      return
    }
    try makeRoom(entity, not: [])
    for other in deleted(type) where other.id == id { purge(other.serial) }
    entities[serials] = entity
    saved.serial = serials
    field.created.append(serials)
    if saved.isFragment { field.fragments.insert(serials) } else { field.outcome.inserted.insert(serials) }
    serials += 1
  }

  /// Deletes who has the unique values of an entity where the schema says so, else refuses; key by key, as the schema
  /// has them, or as their last field is written.
  private mutating func makeRoom(_ entity: ModelEntity, not others: Set<Int>, written: [Int]? = nil) throws {
    var keys = schema.types[entity.type].keys
    if let written {
      func last(_ key: ModelKey) -> Int { key.fields.filter(written.contains).max() ?? -2 }
      keys = keys.filter { last($0) > -2 }.enumerated().sorted {
        (last($0.element), $0.offset) < (last($1.element), $1.offset)
      }.map(\.element)
    }
    for key in keys {
      while let other = holder(entity.type, key, of: entity, not: others.union([entity.serial])) {
        let replaces = key.isDecided ? entities[other].map { $0.id % 2 == 0 } ?? false : key.replaces
        guard replaces else { throw refused("unique-violation") }
        try delete([other], keeps: true)
      }
    }
  }

  /// What a row says: its values that are not null.
  private func said(_ row: ModelRow) -> [(place: Int, value: ModelValue?)] { row.fields.filter { $0.value != nil } }

  /// Writes fields of an entity; `replaceable` are those whose values move too.
  mutating func write(
    _ serial: Int, _ fields: [(place: Int, value: ModelValue?)], id: Int? = nil, replaceable: Set<Int>
  ) throws {
    guard var entity = entities[serial], !fields.isEmpty || id != nil else { return }
    for (place, value) in fields { entity.fields[place] = value }
    if let id { entity.id = id }
    if fields.contains(where: { $0.value == nil && schema.types[entity.type].fields[$0.place].isRequired }) {
      // Another value may be refused before.
      throw refused("missing-value", "unique-violation", "delete-denied", "required-reference")
    }
    try makeRoom(entity, not: replaceable, written: fields.map(\.place) + (id == nil ? [] : [-1]))
    // Who takes away what it is itself cannot be.
    guard isLive(serial) else { throw refused("unique-violation") }
    entities[serial]?.fields = entity.fields
    entities[serial]?.id = entity.id
    stamp(serial)
  }

  // MARK: - Strategies

  /// False where the row is ignored.
  private mutating func meet(
    _ serial: Int, _ row: ModelRow, _ strategy: ModelStrategy, _ by: Int?,
    _ set: [(place: Int, value: ModelExpression)], _ saved: inout Saved
  ) throws -> Bool {
    guard let old = entities[serial] else { return false }
    let declared = schema.types[old.type].fields
    // What is decided sees what was there.
    let decided = try set.map { ($0.place, try value($0.value, old, new: draft(row, old.type))) }
    var fields = said(row)
    switch strategy {
    case .fail: throw refused("unique-violation")
    case .keep: fields = []
    case .replace:
      fields = declared.indices.map { place in (place, row.fields.first { $0.place == place }?.value) }
    case .patch: saved.keepsForNull = true
    case .append:
      saved.keepsForNull = true
      saved.appends = true
      fields = fields.map { place, value in
        guard case .list(let more)? = value, case .list(let there)? = old.fields[place] else { return (place, value) }
        return (place, .list(there + more))
      }
    case .lastWrite:
      saved.keepsForNull = true
      let mine = by.flatMap { by in row.fields.first { $0.place == by }?.value }?.number
      let theirs = by.flatMap { old.fields[$0] }?.number
      let isNewer = mine.map { mine in theirs.map { mine > $0 } ?? true } ?? false
      if !isNewer {
        saved.fillsOnly = true
        fields = fields.filter { old.fields[$0.place] == nil }
      }
    }
    let places = Set(decided.map(\.0))
    try write(serial, fields.filter { !places.contains($0.place) } + decided, replaceable: [])
    return strategy != .keep
  }

  private func value(
    _ expression: ModelExpression, _ old: ModelEntity, new: ModelEntity?
  ) throws -> ModelValue? {
    switch expression {
    case .value(let value): return value
    case .copy(let place): return old.fields[place]
    case .plus(let place, let number):
      guard let value = old.fields[place]?.number else { return nil }
      return .int(value + number)
    case .text(let place, let text): return old.fields[place]?.string.map { .text($0 + text) }
    case .sum(let place): return .int((old.fields[place]?.number ?? 0) + (new?.fields[place]?.number ?? 0))
    case .new(let place): return new?.fields[place]
    }
  }

  // MARK: - Update

  private mutating func update(
    _ type: Int, _ condition: ModelCondition, _ id: Int?, _ set: [(place: Int, value: ModelExpression)],
    _ links: [ModelLink]
  ) throws -> Outcome {
    let found = living(type).filter { matches($0, condition) }
    var field = Field()
    var written: [(serial: Int, fields: [(place: Int, value: ModelValue?)])] = []
    for entity in found {
      written.append((entity.serial, try set.map { ($0.place, try value($0.value, entity, new: nil)) }))
    }
    var waiting = Set(found.map(\.serial))
    for (serial, fields) in written where isLive(serial) {
      waiting.remove(serial)
      try write(serial, fields, id: id, replaceable: waiting)
    }
    var saved: [Saved] = []
    for (serial, _) in written {
      var entry = Saved(serial: serial, row: ModelRow(links: links), isFragment: false)
      for link in links {
        var targets: [Saved] = []
        for case .row(let inner) in link.targets ?? [] {
          targets.append(try save(inner, schema.relations[link.relation].target, isFragment: true, nil, &field))
        }
        entry.nested.append(targets)
      }
      saved.append(entry)
    }
    for entry in saved { try link(entry) }
    for serial in field.created where isLive(serial) { try checkComplete(serial) }
    return Outcome(serials: found.map(\.serial).filter(isLive))
  }

  // MARK: - Links

  /// The links inside an object come before the link to it.
  private mutating func link(_ saved: Saved) throws {
    for (link, nested) in zip(saved.row.links, saved.nested) {
      for inner in nested { try self.link(inner) }
      guard let source = saved.serial, isLive(source) else { continue }
      if link.targets == nil, saved.keepsForNull { continue }
      if saved.fillsOnly, link.mode == .assign, !seen(link.relation, source).isEmpty { continue }
      var rest = nested[...]
      var targets: [Int] = []
      for target in link.targets ?? [] {
        switch target {
        case .id(let id):
          guard let found = find(schema.relations[link.relation].target, id: id) else { throw refused("unknown-id") }
          targets.append(found)
        // One that another row replaced is not there to be linked.
        case .row: if let found = rest.popFirst()?.serial, isLive(found) { targets.append(found) }
        }
      }
      try write(link, saved.appends, source, targets)
    }
  }

  private mutating func write(_ link: ModelLink, _ appends: Bool, _ source: Int, _ targets: [Int]) throws {
    let relation = link.relation
    if !schema.relations[relation].isMany {
      guard let target = targets.first else { return link.targets == nil ? try clear(relation, source) : () }
      try self.link(relation, source, target)
      return stamp(source)
    }
    switch link.mode {
    case .assign where appends, .append:
      for target in targets { try self.link(relation, source, target) }
      if !targets.isEmpty { stamp(source) }
    case .assign, .set:
      try set(relation, source, targets)
      stamp(source)
    case .remove:
      for target in targets where seen(relation, source).contains(target) {
        try remove(relation, source, target)
        stamp(source)
      }
    }
  }

  private func checkComplete(_ serial: Int) throws {
    guard let entity = entities[serial] else { return }
    let fields = schema.types[entity.type].fields
    if fields.indices.contains(where: { fields[$0].isRequired && entity.fields[$0] == nil }) {
      throw refused("missing-value")
    }
    for place in schema.named(of: entity.type)
    where schema.relations[place].isRequired && seen(place, serial).isEmpty {
      throw refused("missing-value")
    }
  }
}
