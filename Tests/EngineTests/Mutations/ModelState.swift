/// Why the model refuses an operation: any of these codes is right.
struct ModelRefusal: Error { var codes: Set<String> }

/// An entity, living or deleted, with its links to both.
struct ModelEntity {
  /// The place in canonical order.
  let serial: Int
  let type: Int
  var id: Int
  var fields: [ModelValue?]
  /// By relation.
  var links: [Int: [Int]] = [:]
  /// The deletion that took it away.
  var deletion: Int?
  var created: Int
  var updated: Int
}

/// What the data should be, in plain dictionaries: what a deleted entity was linked with stays in the lists, and what is
/// seen are the living.
struct ModelState {
  let schema: ModelSchema
  var entities: [Int: ModelEntity] = [:]
  var serials = 0
  var deletions = 0
  /// The number of the operation, which is its time.
  var now = 0

  init(_ schema: ModelSchema) { self.schema = schema }

  // MARK: - Looking

  func isLive(_ serial: Int) -> Bool { entities[serial].map { $0.deletion == nil } ?? false }

  func living(_ type: Int) -> [ModelEntity] {
    entities.values.filter { $0.type == type && $0.deletion == nil }.sorted { $0.serial < $1.serial }
  }
  func deleted(_ type: Int) -> [ModelEntity] {
    entities.values.filter { $0.type == type && $0.deletion != nil }.sorted { $0.serial < $1.serial }
  }
  func find(_ type: Int, id: Int) -> Int? {
    entities.values.first { $0.type == type && $0.id == id && $0.deletion == nil }?.serial
  }
  /// The entity with an id that a relation may lead to.
  func found(_ relation: Int, id: Int) throws -> Int {
    let found = schema.types(of: schema.relations[relation].target).compactMap { find($0, id: id) }
    if found.count > 1 { throw refused("ambiguous-link") }
    guard let only = found.first else { throw refused("unknown-id") }
    return only
  }
  func seen(_ relation: Int, _ serial: Int) -> [Int] { (entities[serial]?.links[relation] ?? []).filter(isLive) }

  func key(_ entity: ModelEntity, _ key: ModelKey) -> [String]? {
    var parts: [String] = []
    for field in key.fields {
      if field < 0 {
        parts.append("\(entity.id)")
      } else if let value = entity.fields[field] {
        parts.append(value.key)
      } else {
        return nil
      }
    }
    return parts
  }

  /// The living entity that has a key, but one of `others`.
  func holder(_ type: Int, _ unique: ModelKey, of entity: ModelEntity, not others: Set<Int>) -> Int? {
    guard let wanted = key(entity, unique) else { return nil }
    return living(type).first { !others.contains($0.serial) && key($0, unique) == wanted }?.serial
  }

  mutating func stamp(_ serial: Int) { entities[serial]?.updated = now }

  // MARK: - Links

  private mutating func unlink(_ relation: Int, _ source: Int, _ target: Int) {
    entities[source]?.links[relation]?.removeAll { $0 == target }
    entities[target]?.links[schema.relations[relation].inverse]?.removeAll { $0 == source }
  }

  private func canUnlink(_ relation: Int, _ source: Int, _ target: Int) -> Bool {
    let forward = schema.relations[relation]
    let back = schema.relations[forward.inverse]
    return !(forward.isRequired && !forward.isMany) && !(back.isRequired && !back.isMany)
  }

  /// Links at the end; a to-one side leaves whom it was linked with, deleted ones for good.
  mutating func link(_ relation: Int, _ source: Int, _ target: Int) throws {
    if seen(relation, source).contains(target) { return }
    let forward = schema.relations[relation]
    let back = schema.relations[forward.inverse]
    if !forward.isMany, !back.isMany {
      // The partner that is left must not need one.
      if back.isRequired, let old = seen(relation, source).first, old != target { throw refused("required-reference") }
      if forward.isRequired, let old = seen(forward.inverse, target).first, old != source {
        throw refused("required-reference")
      }
    }
    if !forward.isMany { for old in entities[source]?.links[relation] ?? [] { unlink(relation, source, old) } }
    if !back.isMany { for old in entities[target]?.links[forward.inverse] ?? [] { unlink(relation, old, target) } }
    entities[source]?.links[relation, default: []].append(target)
    if forward.inverse != relation || source != target {
      entities[target]?.links[forward.inverse, default: []].append(source)
    }
  }

  mutating func remove(_ relation: Int, _ source: Int, _ target: Int) throws {
    guard seen(relation, source).contains(target) else { return }
    guard canUnlink(relation, source, target) else { throw refused("required-reference") }
    unlink(relation, source, target)
  }

  /// A to-one relation to nothing, so that what it led to before a deletion does not come back.
  mutating func clear(_ relation: Int, _ source: Int) throws {
    if let old = seen(relation, source).first { try remove(relation, source, old) }
    for old in entities[source]?.links[relation] ?? [] { unlink(relation, source, old) }
  }

  /// Makes `targets` the whole list. A deleted one stays behind as many living ones as it was before.
  mutating func set(_ relation: Int, _ source: Int, _ targets: [Int]) throws {
    var wanted: [Int] = []
    for target in targets where !wanted.contains(target) { wanted.append(target) }
    let old = entities[source]?.links[relation] ?? []
    let removed = old.filter { isLive($0) && !wanted.contains($0) }
    for target in removed where !canUnlink(relation, source, target) { throw refused("required-reference") }
    for target in removed { unlink(relation, source, target) }
    for target in wanted { try link(relation, source, target) }
    var merged: [Int] = []
    var next = 0
    var kept = 0
    for element in old {
      if isLive(element) {
        if wanted.contains(element) { kept += 1 }
        continue
      }
      while next < min(kept, wanted.count) {
        merged.append(wanted[next])
        next += 1
      }
      merged.append(element)
    }
    entities[source]?.links[relation] = merged + wanted[next...]
  }

  // MARK: - Deleting

  /// Deletes living entities as one, with what the rules say.
  mutating func delete(_ serials: [Int], keeps: Bool) throws {
    var doomed = serials.filter(isLive)
    var next = 0
    while next < doomed.count {
      let serial = doomed[next]
      next += 1
      guard let entity = entities[serial] else { continue }
      for relation in schema.all(of: entity.type) where schema.relations[relation].rule == .cascade {
        for target in seen(relation, serial) where !doomed.contains(target) { doomed.append(target) }
      }
    }
    var codes: Set<String> = []
    for serial in doomed {
      guard let entity = entities[serial] else { continue }
      for place in schema.all(of: entity.type) {
        let back = schema.relations[schema.relations[place].inverse]
        let survives = seen(place, serial).contains { !doomed.contains($0) }
        if survives, schema.relations[place].rule == .deny { codes.insert("delete-denied") }
        if survives, back.isRequired, !back.isMany { codes.insert("required-reference") }
      }
    }
    if !codes.isEmpty { throw ModelRefusal(codes: codes) }
    deletions += 1
    for serial in doomed {
      if keeps {
        entities[serial]?.deletion = deletions
        stamp(serial)
      } else {
        purge(serial)
      }
    }
  }

  mutating func purge(_ serial: Int) {
    guard let entity = entities[serial] else { return }
    for (relation, targets) in entity.links {
      for target in targets { entities[target]?.links[schema.relations[relation].inverse]?.removeAll { $0 == serial } }
    }
    entities[serial] = nil
  }

  /// Brings deleted entities back as one, with what the deletion of each reached from it by cascade.
  mutating func restore(_ serials: [Int]) throws {
    var revived = serials.filter { entities[$0]?.deletion != nil }
    var next = 0
    while next < revived.count {
      guard let entity = entities[revived[next]] else { break }
      next += 1
      for relation in schema.all(of: entity.type) where schema.relations[relation].rule == .cascade {
        for target in entity.links[relation] ?? []
        where entities[target]?.deletion == entity.deletion && !revived.contains(target) {
          revived.append(target)
        }
      }
    }
    var codes: Set<String> = []
    var keys: Set<[String]> = []
    for serial in revived {
      guard let entity = entities[serial] else { continue }
      for (number, key) in schema.types[entity.type].keys.enumerated() {
        guard let parts = self.key(entity, key) else { continue }
        let isNew = keys.insert(["\(entity.type)", "\(number)"] + parts).inserted
        if !isNew || holder(entity.type, key, of: entity, not: []) != nil { codes.insert("unique-violation") }
      }
      for place in schema.all(of: entity.type) where schema.relations[place].isRequired {
        let targets = entity.links[place] ?? []
        if !targets.contains(where: { isLive($0) || revived.contains($0) }) { codes.insert("required-reference") }
      }
    }
    if !codes.isEmpty { throw ModelRefusal(codes: codes) }
    for serial in revived {
      entities[serial]?.deletion = nil
      stamp(serial)
    }
  }

  func refused(_ codes: String...) -> ModelRefusal { ModelRefusal(codes: Set(codes)) }
}
