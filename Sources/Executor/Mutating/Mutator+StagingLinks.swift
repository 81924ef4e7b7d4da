import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// What records say of relations, and of lists of embedded objects.
extension Mutator {
  func stage(
    _ link: BoundLink, of record: Int, _ layout: EntityLayout, _ origin: Origin
  ) throws(MutationProblem) {
    let relation = catalog[link.relation]
    // Another one is made where the link of an object within is staged meanwhile.
    var targets: [RecordStage.Target] = []
    swap(&targets, &linkTargets)
    defer {
      targets.clear()
      swap(&targets, &linkTargets)
    }
    var isNull = link.isNull
    for target in link.targets {
      switch target {
      case .key(let value, let range):
        if let cell = origin.values.cell(value, origin.position) {
          targets.append(.key(kept(cell, relation, origin), at: self.origin(of: .range(range))))
          continue
        }
      case .keys(let value, let range):
        if let cell = origin.values.cell(value, origin.position) {
          let run = ListRun(cell, keyType(relation.target))
          let place = self.origin(of: .range(range))
          for index in 0..<run.count {
            if run.isNull(index) { try refuseNull(relation, layout, link, at: range) }
            targets.append(.key(kept(run.cell(index), relation, origin), at: place))
          }
          continue
        }
      case .entity(let value, let type, _):
        if let cell = origin.values.cell(value, origin.position) {
          targets.append(.row(UInt32(truncatingIfNeeded: cell.low), type))
          continue
        }
      case .set(let set, let type, let range):
        _ = try stageMembers(set, type, .range(range), of: record, origin, into: &targets)
        continue
      case .member(let set, let type, let range):
        if try stageMembers(set, type, .range(range), of: record, origin, into: &targets) > 0 { continue }
      case .input(let input):
        if !isNothing(input, origin) {
          for number in try stage(input, role: role(relation, origin), origin) {
            stage.records[number].owner = record
            targets.append(.record(number))
          }
          continue
        }
      }
      try refuseNull(relation, layout, link, at: target.range)
      isNull = true
    }
    if isNull, targets.isEmpty, !link.isWithin { try refuseNullList(relation, of: record, origin, .range(link.range)) }
    let first = stage.targets.count
    stage.link(
      record, link.relation, to: targets, mode: link.mode, isNull: isNull && targets.isEmpty, isWithin: link.isWithin,
      origin: self.origin(of: .range(link.range)))
    if first >> 10 != stage.targets.count >> 10 { try checkpoint(origin.values.execution) }
  }

  /// Adds the members of a set, for the row that the values belong to. Returns how many there are.
  private func stageMembers(
    _ set: SetID, _ type: EntityTypeID, _ source: InputSource, of record: Int, _ origin: Origin,
    into targets: inout [RecordStage.Target]
  ) throws(MutationProblem) -> Int {
    var expansion = Expansion()
    let execution = origin.values.execution
    let row = origin.row
    try running { () throws(RuntimeProblem) in
      try withUnsafePointerThrowing(to: row) { (rows) throws(RuntimeProblem) in
        try execution.expand(set, ScopeRows(count: 1, scopes: [rows]), into: &expansion)
      }
    }
    for index in 0..<expansion.rows.count {
      let row = expansion.rows[index]
      guard catalog[type].isElement else {
        targets.append(.row(row, type))
        continue
      }
      targets.append(.record(try copyElement(type, row, of: record, execution.snapshot, source, origin)))
    }
    return expansion.rows.count
  }

  /// Returns whether an object is null: one that is copied from an entity, or the value of a parameter.
  private func isNothing(_ input: BoundInput, _ origin: Origin) -> Bool {
    switch input {
    case .record(let record):
      guard let presence = record.presence else { return false }
      return (origin.values.cell(presence, origin.position)?.low ?? 0) == 0
    case .variable(let parameter, _, _):
      guard origin.context.parameters.indices.contains(parameter) else { return true }
      return origin.context.parameters[parameter].map { $0 == .null } ?? true
    }
  }

  /// Null, within a list or where the relation must have a target, is refused; what is not known may be null.
  private func refuseNull(
    _ relation: Relation, _ layout: EntityLayout, _ link: BoundLink, at range: SourceRange
  ) throws(MutationProblem) {
    if relation.isToMany, link.isList || link.mode != .assign {
      throw MutationProblem(.missingValue(type: layout.name, field: layout.name(of: relation), entity: nil), at: range)
    }
  }

  /// Null for a list that is always there: an unknown one for a strategy that keeps what is unknown, else wrong.
  func refuseNullList(
    _ relation: Relation, of record: Int, _ origin: Origin, _ source: InputSource
  ) throws(MutationProblem) {
    let layout = origin.layouts[stage.records[record].type]
    guard relation.isToMany, let property = layout.properties.first(where: { $0.id == relation.property }),
      property.signature.isNonNull
    else { return }
    switch stage.records[record].role {
    case .row: if !origin.refusesNullLists { return }
    case .assignment: break
    case .fragment, .reference, .element: return
    }
    throw problem(.missingValue(type: layout.name, field: property.name, entity: nil), at: source)
  }

  private func kept(_ key: Cell, _ relation: Relation, _ origin: Origin) -> Cell {
    origin.values.areOfRows ? memory.copy(key, keyType(relation.target)) : key
  }

  /// What objects are that a relation leads to.
  func role(_ relation: Relation, _ origin: Origin) -> RecordStage.Role {
    origin.layouts[relation.target].isElement ? .element : .fragment
  }

  /// The type of a key by which a target is found: in all types of an interface or union.
  func keyType(_ type: EntityTypeID) -> ValueType {
    let entity = catalog[type]
    if entity.isAbstract { return .scalar(.id) }
    guard !entity.indexes.isEmpty, let column = catalog[entity.primaryIndex].columns.first else { return .null }
    return entity[column].type
  }

  func addEmptyLink(of record: Int, _ relation: Relation, _ source: InputSource, isWithin: Bool) {
    stage.link(
      record, relation.id, to: [], mode: isWithin ? .set : .assign, isNull: true, isWithin: isWithin,
      origin: origin(of: source))
  }

  /// A row that replaces says all of an entity's value, lists of embedded objects included.
  func emptyUnnamed(_ number: Int, since first: Int, _ layout: EntityLayout, _ origin: Origin) {
    guard origin.replaces, stage.records[number].role == .row, !layout.ownedRelations.isEmpty else { return }
    var named: Set<RelationID> = []
    for link in stage.links[first...] where link.record == number { named.insert(link.relation) }
    for relation in layout.ownedRelations where !named.contains(relation.id) {
      addEmptyLink(of: number, relation, sources[stage.records[number].origin.start], isWithin: true)
    }
  }

  // MARK: - Copies

  /// Lists inside each other that are copied; all that is behind is recursive.
  private static let copyDepth = 100

  /// An element of a list of embedded objects once more, with what it holds.
  private func copyElement(
    _ type: EntityTypeID, _ row: UInt32, of owner: Int, _ view: Snapshot, _ source: InputSource,
    _ origin: Origin, depth: Int = 0
  ) throws(MutationProblem) -> Int {
    guard depth < Self.copyDepth else {
      throw problem(.tooLarge("lists of '\(catalog[type].name)' stand too deep inside each other"), at: source)
    }
    let layout = origin.layouts[type]
    let number = try begin(layout, role: .element, source: source, origin)
    stage.records[number].owner = owner
    for (column, descriptor) in layout.columns.enumerated() where layout.isStored[column] {
      let reader = view.column(type, descriptor.id)
      let cell = reader.isNull(row) ? nil : memory.copy(reader.wholeCell(row, kind: descriptor.kind), descriptor.type)
      stage.set(number, column, cell)
    }
    for relation in layout.namedRelations {
      let reader = view.column(type, relation.column)
      var rows = relation.isToMany ? Array(reader.references(row)) : [reader.reference(row)]
      rows.removeAll { $0 == PageLayout.noRow }
      var targets: [RecordStage.Target] = []
      for target in rows {
        if catalog[relation.target].isElement {
          let copy = try copyElement(relation.target, target, of: number, view, source, origin, depth: depth + 1)
          targets.append(.record(copy))
        } else {
          targets.append(.row(target, relation.target))
        }
      }
      stage.link(number, relation.id, to: targets, mode: .set, origin: self.origin(of: source))
    }
    stage.records[number].end = stage.records.count
    return number
  }
}

/// `withUnsafePointer(to:)` for typed errors.
private func withUnsafePointerThrowing<Value, Failure: Error>(
  to value: Value, _ body: (UnsafePointer<Value>) throws(Failure) -> Void
) throws(Failure) {
  try withUnsafePointer(to: value) { (pointer) throws(Failure) in try body(pointer) }
}
