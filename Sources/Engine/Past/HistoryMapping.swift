import GQLBase
import GQLBinder
import GQLCatalog
import GQLStore
import GQLWriting

/// A mapping of records to another schema.
///
/// The records of a type go on where its relations, all their links and the types of its fields stay as they are. Fields
/// may come, go, and be renamed. One that comes has its default in rows that come back. Where one must have a value now,
/// has no default, and had none, the past begins after that.
package struct HistoryMapping: Sendable {
  package struct Former: Sendable {
    /// The type's number before.
    package var type: Int
    /// Maps its records; nil where they stay as they are.
    package var records: RecordMapping?
  }
  /// By type now: what it was; nil where its records do not go on.
  package private(set) var types: [Former?]
  /// By type now: indicates whether there was no type of its name before.
  private let isNew: [Bool]

  /// - Parameter time: When the schema changes, which is what fields get that have the time as their default.
  package init(from old: Catalog, to new: Catalog, at time: Int64) {
    let (before, after) = (HistoryTypes(old), HistoryTypes(new))
    types = Array(repeating: nil, count: new.types.count)
    guard after.isAny else {
      isNew = []
      return
    }
    let renamed = CatalogRenaming(from: old, to: new).catalog
    let known = Set(renamed.types.map(\.name))
    isNew = new.types.map { !known.contains($0.name) }
    if !before.isAny { return }
    let columns = CatalogComparison(from: old, to: new).mapping.columns
    // Without a time of its own it is made now.
    let time = time == .min || time == .max ? WallClock.now : time
    for type in new.types {
      let number = Int(type.id.index)
      guard let kept = after[number],
        let former = renamed.types.first(where: { $0.name == type.name && $0.kind == type.kind }),
        let past = before[Int(former.id.index)], past.isLeftOut.count == former.columns.count
      else { continue }
      guard let places = Self.places(former, renamed, type, new) else { continue }
      let fillings = Self.fillings(of: type, columns[number], time)
      let isSame = places.enumerated().allSatisfy { column, place in
        column == place && kept.isLeftOut[column] == past.isLeftOut[column]
      }
      types[number] = Former(
        type: Int(former.id.index),
        records: isSame && fillings.isEmpty
          ? nil : RecordMapping(columns: places, isLeftOut: kept.isLeftOut, fillings: fillings))
    }
  }

  /// Returns the types of a version that came with it, and without entities. Nothing of them was there before, which is
  /// their past.
  package func emptyBefore(_ snapshot: Snapshot) -> Set<Int> {
    Set(isNew.indices.filter { isNew[$0] && snapshot.slotCount(EntityTypeID($0)) == 0 })
  }

  /// Holds the values that rows of before get in columns that are new, or must have a value now.
  private static func fillings(
    of type: EntityType, _ columns: [CatalogMapping.Column?], _ time: Int64
  ) -> [RecordMapping.Filling] {
    let pool = CellPool()
    return zip(type.columns, columns).compactMap { descriptor, source in
      guard let source, source.old == nil || source.isRequired else { return nil }
      let cell: Cell?
      switch source.fill {
      case nil: cell = nil
      case .value(let value)?: cell = pool.cell(value, descriptor.type)
      case .now?: cell = Cell(descriptor.type.scalar == .date ? CivilTime.date(ofDateTime: time) : time)
      }
      if cell == nil, !source.isRequired { return nil }
      return RecordMapping.Filling(descriptor, presence: source.presence, isRequired: source.isRequired, cell)
    }
  }

  /// By column before: the column now; nil where one has other values.
  private static func places(
    _ former: EntityType, _ renamed: Catalog, _ type: EntityType, _ new: Catalog
  ) -> [Int?]? {
    let (relations, newRelations) = (relations(of: former, renamed), relations(of: type, new))
    guard relations.count == newRelations.count,
      zip(relations, newRelations).allSatisfy({ keepsLinks($0, renamed, $1, new) })
    else { return nil }
    var places: [Int?] = []
    for column in former.columns {
      guard let place = type.columns.firstIndex(where: { $0.name == column.name }) else {
        places.append(nil)
        continue
      }
      let found = type.columns[place]
      guard found.kind == column.kind, renamed.storedText(column.type) == new.storedText(found.type) else { return nil }
      places.append(place)
    }
    return places
  }

  /// The relations of a type in their order, which records of deletions name by their places.
  private static func relations(of type: EntityType, _ catalog: Catalog) -> [Relation] {
    catalog.relations.filter { $0.source == type.id }
  }

  /// Returns whether a relation is the same one, and no link of it goes or comes with another schema because of what stands
  /// at its other end: a field that has room for one now, another field, or an interface or union that a type has left. No
  /// record would tell of such links.
  private static func keepsLinks(
    _ relation: Relation, _ old: Catalog, _ newRelation: Relation, _ new: Catalog
  ) -> Bool {
    let (target, newTarget) = (old[relation.target], new[newRelation.target])
    let (inverse, newInverse) = (old[relation.inverse], new[newRelation.inverse])
    guard old.field(of: relation) == new.field(of: newRelation), relation.isToMany == newRelation.isToMany,
      target.name == newTarget.name, target.isAbstract == newTarget.isAbstract,
      target.isElement == newTarget.isElement, !inverse.isToMany || newInverse.isToMany
    else { return false }
    if newInverse.property != nil {
      // A field that is new takes up the links that there are; one that was there brings its own.
      let name = new.field(of: newInverse)
      let isSame = inverse.property != nil && old.field(of: inverse) == name
      let isNew = inverse.property == nil && !target.properties.contains { $0.name == name }
      guard isSame || isNew else { return false }
    }
    let members = Set(target.members.map { old[$0.type].name })
    return members.isSubset(of: newTarget.members.map { new[$0.type].name })
  }
}

extension Catalog {
  /// Returns the name of the column of a relation.
  fileprivate func field(of relation: Relation) -> String { self[relation.source][relation.column].name }

  /// Words that differ where cells of a type are not the same values.
  fileprivate func storedText(_ type: ValueType) -> String {
    switch type {
    case .enumeration(let id): "enum \(self[id].values)"
    case .entity(let id): "entity \(self[id].name)"
    case .list(let element): "[\(storedText(element))]"
    default: "\(type)"
    }
  }
}
