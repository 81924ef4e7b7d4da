/// Keys that two entities want.
extension ModelState {
  private func decision(_ key: ModelKey, _ other: Int) -> ModelDecision {
    key.isDecided ? ModelKey.decision(entities[other]?.id ?? 0) : key.replaces ? .replace : .fail
  }

  /// Deletes who has the unique values of a new entity where the schema says so, key by key, as the schema has them;
  /// the entity that is kept in its place, or patched with it, where the program says so.
  mutating func makeRoom(_ entity: ModelEntity) throws -> (ModelDecision, Int)? {
    for key in schema.types[entity.type].keys {
      while let other = holder(entity.type, key, of: entity, not: []) {
        let decision = decision(key, other)
        switch decision {
        case .fail: throw refused("unique-violation")
        case .replace: try delete([other], keeps: true)
        case .keep, .patch: return (decision, other)
        }
      }
    }
    return nil
  }

  /// Writes fields of an entity; `replaceable` are those whose values move too. What is `freed` has lost its value to
  /// begin with; without it, the last of several changed fields of a key.
  ///
  /// Keys are compared as their last field is written. Where the program keeps what another has, that field keeps its
  /// value.
  mutating func write(
    _ serial: Int, _ fields: [(place: Int, value: ModelValue?)], id: Int? = nil, replaceable: Set<Int>,
    freed: Set<Int>? = nil
  ) throws {
    guard var entity = entities[serial], !fields.isEmpty || id != nil else { return }
    let old = entity
    for (place, value) in fields { entity.fields[place] = value }
    if let id { entity.id = id }
    if fields.contains(where: { $0.value == nil && schema.types[entity.type].fields[$0.place].isRequired }) {
      // Another value may be refused before.
      throw refused("missing-value", "unique-violation", "delete-denied", "required-reference")
    }
    let written = Set(fields.map(\.place) + (id == nil ? [] : [-1]))
    let keys = schema.types[entity.type].keys.map { ($0, $0.fields.filter(written.contains).max()) }
    var kept = 0
    for (key, last) in keys.enumerated().sorted(by: {
      ($0.element.1 ?? -2, $0.offset) < ($1.element.1 ?? -2, $1.offset)
    }).map(\.element) {
      guard let last else { continue }
      var attempts = 0
      while let other = holder(entity.type, key, of: entity, not: replaceable.union([serial])) {
        attempts += 1
        switch attempts > 2 ? .fail : decision(key, other) {
        case .fail, .patch: throw refused("unique-violation")
        case .replace:
          try delete([other], keeps: true)
          // Who takes away what it is itself cannot be.
          guard isLive(serial) else { throw refused("unique-violation") }
          continue
        case .keep:
          let changed = key.fields.filter { $0 >= 0 && old.fields[$0] != entity.fields[$0] }
          let place = freed == nil ? changed.max() ?? last : last
          let hadNone = old.fields[place] == nil
          entity.fields[place] = old.fields[place]
          if !hadNone, freed?.contains(place) ?? (changed.count > 1) {
            attempts = 2
            continue
          }
          kept += 1
        }
        break
      }
    }
    entities[serial]?.fields = entity.fields
    if let id, id != old.id {
      for other in deleted(entity.type) where other.id == id { purge(other.serial) }
      entities[serial]?.id = id
    }
    if kept < fields.count || id != nil { stamp(serial) }
  }
}
