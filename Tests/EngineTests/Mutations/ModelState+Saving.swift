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
    /// Lists that it does not name, and links of embedded objects, are emptied.
    var replaces = false
    /// Embedded objects that were there, where only what is empty is filled.
    var filled: Set<Int> = []
    /// Another stays in its place, and nothing of it is saved.
    var isSkipped = false
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
      try restore(gone)
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
    if !saved.isSkipped { saved.nested = try nested(row.links, &field) }
    return saved
  }

  /// Saves the objects inside another, by its links.
  private mutating func nested(_ links: [ModelLink], _ field: inout Field) throws -> [[Saved]] {
    var result: [[Saved]] = []
    for link in links {
      var targets: [Saved] = []
      for case .row(let inner) in link.targets ?? [] {
        let type = inner.type ?? schema.relations[link.relation].target
        targets.append(try save(inner, type, isFragment: true, nil, &field))
      }
      result.append(targets)
    }
    return result
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
    if let (decision, other) = try makeRoom(entity) {
      saved.serial = other
      if decision == .keep {
        saved.isSkipped = true
      } else {
        saved.keepsForNull = true
        try write(other, said(row), replaceable: [])
      }
      return
    }
    for other in deleted(type) where other.id == id { purge(other.serial) }
    entities[serials] = entity
    saved.serial = serials
    field.created.append(serials)
    if saved.isFragment { field.fragments.insert(serials) } else { field.outcome.inserted.insert(serials) }
    serials += 1
  }

  /// What a row says: its values that are not null.
  private func said(_ row: ModelRow) -> [(place: Int, value: ModelValue?)] { row.fields.filter { $0.value != nil } }

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
      saved.replaces = true
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
        saved.filled = Set(declared.indices.filter { old.fields[$0] != nil })
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
    let assigned = Set(set.map(\.place) + (id == nil ? [] : [-1]))
    var freed: Set<Int> = []
    for key in schema.types[type].keys {
      let fields = key.fields.filter(assigned.contains)
      if found.count > 1 || fields.count > 1 { freed.formUnion(fields) }
    }
    for (serial, fields) in written where isLive(serial) {
      waiting.remove(serial)
      try write(serial, fields, id: id, replaceable: waiting, freed: freed)
    }
    var saved: [Saved] = []
    for (serial, _) in written {
      var entry = Saved(serial: serial, row: ModelRow(links: links), isFragment: false)
      entry.nested = try nested(links, &field)
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
      if let place = schema.relations[link.relation].within {
        // An embedded object is one value; null says nothing to who only patches, nor does one to who has one.
        let isNull = saved.row.fields.contains { $0.place == place && $0.value == nil }
        if isNull && saved.keepsForNull || saved.filled.contains(place) { continue }
      } else if link.targets == nil, saved.keepsForNull {
        continue
      } else if saved.fillsOnly, link.mode == .assign, !seen(link.relation, source).isEmpty {
        continue
      }
      var rest = nested[...]
      var targets: [Int] = []
      for target in link.targets ?? [] {
        switch target {
        case .id(let id):
          targets.append(try found(link.relation, id: id))
        // One that another row replaced is not there to be linked.
        case .row: if let found = rest.popFirst()?.serial, isLive(found) { targets.append(found) }
        }
      }
      try write(link, saved.appends && schema.relations[link.relation].within == nil, source, targets)
    }
    guard saved.replaces, !saved.isSkipped, let source = saved.serial, isLive(source), let entity = entities[source]
    else { return }
    for place in schema.all(of: entity.type) where schema.relations[place].within != nil {
      if saved.row.links.contains(where: { $0.relation == place }) { continue }
      try write(ModelLink(relation: place), false, source, [])
    }
  }

  private mutating func write(_ link: ModelLink, _ appends: Bool, _ source: Int, _ targets: [Int]) throws {
    let relation = link.relation
    if !schema.relations[relation].isMany {
      guard let target = targets.first else {
        guard link.targets == nil else { return }
        if !seen(relation, source).isEmpty { stamp(source) }
        return try clear(relation, source)
      }
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
