import GQLBase
import GQLBinder
import GQLCatalog
import GQLStore
import GQLWriting

/// A mapping of records to another schema.
///
/// The records of a type go on where its relations, all their links and the types of its fields stay as they are.
/// Fields may come, go, and be renamed, and enums may get more values after those that they have. A field that comes has
/// its default in rows, and in embedded objects, that come back. Where one must have a value now, has no default, and had
/// none, the past begins after that.
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

  /// - Parameter time: When the schema changes, where the new catalog does not say it. Fields get it that have the time
  ///   as their default.
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
    let mapping = CatalogComparison(from: old, to: new).mapping
    // Without a time of its own it is made now.
    let time = new.moment ?? (time == .min || time == .max ? WallClock.now : time)
    for type in new.types {
      let number = Int(type.id.index)
      guard let kept = after[number],
        let former = renamed.types.first(where: { $0.name == type.name && $0.kind == type.kind }),
        let past = before[Int(former.id.index)], past.isLeftOut.count == former.columns.count
      else { continue }
      let (relations, newRelations) = (Self.relations(of: former, renamed), Self.relations(of: type, new))
      guard relations.count == newRelations.count,
        zip(relations, newRelations).allSatisfy({ Self.keepsLinks($0, renamed, $1, new) })
      else { continue }
      let kinds = HistoryValues(from: old, renamed, to: new, mapping)
      guard let found = kinds.places(former, type) else { continue }
      let fillings = Self.fillings(of: type, mapping.columns[number], time) + Self.links(relations, newRelations)
      let isSame = found.places.enumerated().allSatisfy { column, place in
        guard case .same = found.values[column] else { return false }
        return column == place && kept.isLeftOut[column] == past.isLeftOut[column]
      }
      types[number] = Former(
        type: Int(former.id.index),
        records: isSame && fillings.isEmpty
          ? nil
          : RecordMapping(
            columns: found.places, values: found.values, isLeftOut: kept.isLeftOut, fillings: fillings))
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

  /// Holds the links that must not be null now, and might be so before.
  private static func links(_ relations: [Relation], _ newRelations: [Relation]) -> [RecordMapping.Filling] {
    zip(relations, newRelations).compactMap { relation, newRelation in
      guard newRelation.isRequired, !relation.isRequired, !newRelation.isToMany, !newRelation.isMirror else {
        return nil
      }
      return RecordMapping.Filling(link: newRelation.column, presence: newRelation.presence)
    }
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
}

/// A view of the columns of two catalogs, by which their values go on.
private struct HistoryValues {
  private let old: Catalog
  /// The one before, with the names that the new one gives.
  private let renamed: Catalog
  private let new: Catalog
  private let mapping: CatalogMapping

  init(from old: Catalog, _ renamed: Catalog, to new: Catalog, _ mapping: CatalogMapping) {
    (self.old, self.renamed, self.new, self.mapping) = (old, renamed, new, mapping)
  }

  /// Returns the column now by column before, with what becomes of its values; nil where one has other values.
  func places(_ former: EntityType, _ type: EntityType) -> (places: [Int?], values: [RecordMapping.Values])? {
    var places: [Int?] = []
    var values: [RecordMapping.Values] = []
    for column in former.columns {
      guard let place = type.columns.firstIndex(where: { $0.name == column.name }) else {
        places.append(nil)
        values.append(.same)
        continue
      }
      let found = type.columns[place]
      let conversion = mapping.columns[Int(type.id.index)][place]?.conversion
      guard found.kind == column.kind, let value = value(column.type, found.type, conversion) else { return nil }
      places.append(place)
      values.append(value)
    }
    return (places, values)
  }

  /// - Parameter conversion: Of live rows; nil where their cells stay as they are.
  private func value(
    _ before: ValueType, _ after: ValueType, _ conversion: CatalogMapping.Conversion?
  ) -> RecordMapping.Values? {
    // The columns of lists of lists are of JSON.
    if let conversion, case (.list(.list), .list(.list)) = (conversion.from.type, conversion.to.type) {
      guard let renaming = NestedRenaming(conversion, from: old, to: new, mapping.enumValues), renaming.isComplete
      else { return nil }
      return .renamed(renaming)
    }
    guard keepsCells(before, after) else { return nil }
    if conversion == nil { return .same }
    // Their elements must not be null any more.
    if case .list = after { return .withoutNulls }
    return nil
  }

  /// Returns whether cells of two types are the same values.
  private func keepsCells(_ before: ValueType, _ after: ValueType) -> Bool {
    switch (before, after) {
    case (.enumeration(let id), .enumeration(let newID)): new[newID].values.starts(with: renamed[id].values)
    case (.entity(let id), .entity(let newID)): renamed[id].name == new[newID].name
    case (.list(let element), .list(let newElement)): keepsCells(element, newElement)
    default: before == after
    }
  }
}
