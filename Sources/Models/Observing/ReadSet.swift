import GQLCatalog
import GQLStore

/// A relation of deleted entities, which are read with the ids that it had.
struct DeletedLinks {
  let relation: StoredRelation
  /// The column of the targets' ids.
  let id: ColumnID

  /// Whether it is the same relation of another catalog, with targets of one form.
  func isSame(_ other: DeletedLinks, in catalog: Catalog, as old: Catalog) -> Bool {
    relation.target == other.relation.target && id == other.id
      && catalog[relation.target].name == old[other.relation.target].name
      && catalog[relation.source][relation.column].name == old[other.relation.source][other.relation.column].name
      && catalog[relation.target][id] == old[other.relation.target][id]
  }

  /// Whether nothing that they show is another in a newer version, as far as pages tell: false may be wrong, true never
  /// is. Precondition: one relation, which may have another number.
  func isUntouched(from old: Snapshot, as other: DeletedLinks, to new: Snapshot) -> Bool {
    new.hasSameGraves(relation.source, as: old) && new.hasSameGraves(relation.target, as: old)
      && new.hasSameMembers(relation.target, as: old) && new.hasSameCells(relation.target, id, as: old)
      && relation.id == other.relation.id
  }
}

/// What a query looks at: which types' members, which columns.
struct ReadSet {
  private(set) var members: Set<EntityTypeID> = []
  private(set) var columns: [EntityTypeID: Set<ColumnID>] = [:]
  /// Types of whose deleted entities it looks at what they were linked to.
  private(set) var graves: Set<EntityTypeID> = []
  /// Whether it may be anything.
  var isUnknown = false
  /// The nested queries that were met: one may stand at many places.
  private var met: Set<ObjectIdentifier> = []

  /// Whether a nested query is met first. Precondition: it lives as long as others are asked about.
  mutating func meets(_ query: AnyObject) -> Bool { met.insert(ObjectIdentifier(query)).inserted }

  mutating func insert(_ type: EntityTypeID) { members.insert(type) }
  mutating func insert(_ type: EntityTypeID, _ column: ColumnID) { columns[type, default: []].insert(column) }

  /// Notes what deleted entities were linked to: a target that goes for good is none any more.
  mutating func insert(_ links: DeletedLinks) {
    graves.formUnion([links.relation.source, links.relation.target])
    insert(links.relation.target)
    insert(links.relation.target, links.id)
  }

  /// Notes an embedded object, or a list of such.
  mutating func insert(_ object: ObjectProperty) { insert(object.place, object.type, object.types) }

  private mutating func insert(_ place: ObjectPlace, _ type: EntityTypeID, _ types: ObjectTypes) {
    for column in place.columns { insert(type, column) }
    switch place {
    case .cell: break
    case .object(_, _, let fields): for field in fields { insert(field.place, type, types) }
    case .link(let relation, let targets):
      insert(relation.target)
      for target in targets {
        insert(target.type)
        insert(target.type, target.id.id)
      }
    case .elements(let relation):
      // Elements may have lists of their own kind.
      if !members.insert(relation.target).inserted { return }
      for field in types.fields(relation.target) { insert(field.place, relation.target, types) }
    }
  }

  /// Whether nothing of it is another in a newer version, as far as pages tell: false may be wrong, true never is.
  func isUntouched(from old: Snapshot, to new: Snapshot) -> Bool {
    if old === new { return true }
    return !isUnknown && members.allSatisfy { new.hasSameMembers($0, as: old) }
      && graves.allSatisfy { new.hasSameGraves($0, as: old) }
      && columns.allSatisfy { type, columns in columns.allSatisfy { new.hasSameCells(type, $0, as: old) } }
  }
}

extension QueryReading {
  /// Notes all that a query looks at.
  func note(_ list: QueryList<Entity>, _ reads: inout ReadSet) {
    note(source: list, &reads)
    note(list.stages, &reads)
    noteValues(of: list.attributes, &reads)
    for nested in list.nested { nested.note(self, &reads) }
  }

  /// Notes that what other queries give may look at anything.
  func note(source list: QueryList<Entity>, _ reads: inout ReadSet) {
    if case .made = list.source { reads.isUnknown = true }
  }

  /// Notes what finding entities looks at.
  func note(_ stages: [QueryStage<Entity>], _ reads: inout ReadSet) {
    reads.insert(mapping.type)
    for stage in stages {
      for conjunct in stage.conjuncts {
        if let term = conjunct.term, isPlannable(term) {
          note(term, &reads)
        } else {
          noteValues(of: nil, &reads)
          noteUpdates(&reads)
          for route in conjunct.routes { note(route: route, &reads) }
        }
      }
      for order in stage.order {
        switch order.key.flatMap({ isPlannable($0) ? $0 : nil }) {
        case .attribute(let number, _), .optional(let number, _), .finer(let number, _): note([number], &reads)
        case .updatedAt: noteUpdates(&reads)
        // Of what the condition looks for.
        case .score: break
        case nil: noteValues(of: nil, &reads)
        }
      }
    }
  }

  /// Notes what reading entities looks at.
  func noteValues(of attributes: Set<Int>?, _ reads: inout ReadSet) {
    for column in valueColumns(of: attributes) { reads.insert(mapping.type, column) }
    for object in valueObjects(of: attributes) { reads.insert(object) }
    for links in deletedLinks { reads.insert(links) }
    // Values without a column change with the time of the save.
    if mapping.layout.opaqueCount > 0 { noteUpdates(&reads) }
  }

  /// The columns that reading an entity looks at, the id's among them.
  func valueColumns(of attributes: Set<Int>?) -> [ColumnID] {
    let wanted = mapping.mustRead(attributes)
    var columns = [ColumnID(mapping.idColumn)]
    for number in 0..<mapping.layout.count where wanted?[number] ?? true {
      if let object = mapping.layout.object(number) {
        if object.place.isInCells { columns += object.place.columns }
        continue
      }
      let column = mapping.layout.places[number].column
      if column >= 0, Int(column) != mapping.idColumn { columns.append(ColumnID(Int(column))) }
    }
    return columns
  }

  /// The embedded objects that reading an entity looks at and that do not lie in columns alone.
  func valueObjects(of attributes: Set<Int>?) -> [ObjectProperty] {
    let wanted = mapping.mustRead(attributes)
    return mapping.layout.objects.enumerated().compactMap { number, object in
      object.flatMap { $0.place.isInCells || !(wanted?[number] ?? true) ? nil : $0 }
    }
  }

  /// The relations whose ids deleted entities are read with.
  var deletedLinks: [DeletedLinks] {
    if !isDeleted { return [] }
    return schema.byNumber[Int(mapping.type.index)].relations.compactMap { relation in
      relation.map { DeletedLinks(relation: $0, id: ColumnID(schema.byNumber[Int($0.target.index)].idColumn)) }
    }
  }

  private func noteUpdates(_ reads: inout ReadSet) {
    if let column = mapping.updatedColumn { reads.insert(mapping.type, column) }
  }

  private func note(_ attributes: [Int], _ reads: inout ReadSet) {
    for number in attributes { if let column = mapping.columns[number] { reads.insert(mapping.type, column.id) } }
  }

  private func note(_ term: Term, _ reads: inout ReadSet) {
    var columns = TermColumns(types, mapping.type, isNoting: true)
    // Moved there and back, because what two have is copied when it grows.
    swap(&reads, &columns.reads)
    columns.walk(term)
    swap(&reads, &columns.reads)
  }

  /// Notes the entities that a route of relations leads to.
  private func note(route: [Int], _ reads: inout ReadSet) {
    var type: AnyTypeMapping = mapping
    for place in route {
      guard place < type.relations.count, let relation = type.relations[place] else { return }
      reads.insert(relation.source, relation.column)
      reads.insert(relation.target)
      type = schema.byNumber[Int(relation.target.index)]
    }
    note(type, &reads)
  }

  /// Notes the entities that relations lead to which a condition in Swift has asked for.
  func note(_ relations: [RelationID: ModelSchema], _ reads: inout ReadSet) {
    for (id, schema) in relations {
      let relation = schema.catalog[id]
      reads.insert(relation.source, relation.column)
      reads.insert(relation.target)
      note(schema.byNumber[Int(relation.target.index)], &reads)
    }
  }

  /// Notes all values of a type's entities.
  private func note(_ type: AnyTypeMapping, _ reads: inout ReadSet) {
    for column in type.columns { if let column { reads.insert(type.type, column.id) } }
    for case let object? in type.layout.objects { reads.insert(object) }
    if type.layout.opaqueCount > 0, let column = type.updatedColumn { reads.insert(type.type, column) }
  }
}
