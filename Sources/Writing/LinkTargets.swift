import GQLCatalog
import GQLStore

/// Entities that links lead to.
extension EntityLayouts {
  /// Returns a key that was read as an ID as one of a type; nil where it cannot be one.
  package func key(_ id: Cell, of type: EntityTypeID) -> Cell? {
    let layout = self[type]
    guard layout.keyColumns.count == 1 else { return nil }
    switch layout.columns[layout.keyColumns[0]].kind {
    case .text: return id
    case .int64:
      let text = TextView(id).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self)
      }
      return Int64(text).map { Cell($0) }
    default: return nil
    }
  }

  /// Returns the keys by which the entities are found that a key leads to: of each type of an interface or union.
  ///
  /// - Parameter only: The one type that comes into question, in whose form the key is.
  package func keys(
    _ key: Cell, of target: EntityTypeID, only: EntityTypeID? = nil
  ) -> [(type: EntityTypeID, key: Cell)] {
    guard self[target].isAbstract else { return [(target, key)] }
    if let only { return self[target].members.contains(only) ? [(only, key)] : [] }
    return keys(ofID: key, of: target)
  }

  /// Returns the keys by which the entities are found that an ID leads to.
  package func keys(ofID id: Cell, of target: EntityTypeID) -> [(type: EntityTypeID, key: Cell)] {
    let layout = self[target]
    return (layout.isAbstract ? layout.members : [target]).compactMap { type in
      key(id, of: type).map { (type, $0) }
    }
  }
}

extension WriteTransaction {
  /// Returns the entities that are there with some keys.
  package func entities(_ keys: [(type: EntityTypeID, key: Cell)]) -> [(type: EntityTypeID, row: UInt32)] {
    keys.compactMap { type, key in
      withUnsafePointer(to: key) { findRow(type, key: $0) }.map { (type, $0) }
    }
  }

  /// Returns the row that an entity is in the target type of a relation: its own, or the one that mirrors it there.
  package func targetRow(_ row: UInt32, of type: EntityTypeID, in target: EntityTypeID) -> UInt32? {
    type == target ? row : mirroredRow(type, row, in: target)
  }
}

/// The entity that a link of a staged record leads to.
package enum FoundTarget {
  /// A row of the relation's target type.
  case row(UInt32)
  /// An entity of the run that is there no more.
  case gone
  /// Nothing yet, under any of these keys.
  case absent([(type: EntityTypeID, key: Cell)])
  /// A key that entities of several types have.
  case ambiguous([EntityTypeID])
}

extension EntityLayouts {
  /// Finds the entity that a link leads to.
  package func find(
    _ target: RecordStage.Target, of relation: Relation, in stage: borrowing RecordStage,
    _ transaction: WriteTransaction
  ) -> FoundTarget {
    switch target {
    case .row(let row, let type): return find(row, of: type, relation, transaction)
    case .record(let number):
      let record = stage.records[number]
      return record.row == PageLayout.noRow ? .gone : find(record.row, of: record.type, relation, transaction)
    case .key(let key, _):
      if !isAbstract(relation.target) {
        let row = withUnsafePointer(to: key) { transaction.findRow(relation.target, key: $0) }
        return row.map { .row($0) } ?? .absent([(relation.target, key)])
      }
      return find(keys(key, of: relation.target), relation, transaction)
    }
  }

  /// Finds the entity that has one of some keys.
  package func find(
    _ keys: [(type: EntityTypeID, key: Cell)], _ relation: Relation, _ transaction: WriteTransaction
  ) -> FoundTarget {
    let found = transaction.entities(keys)
    guard let only = found.first else { return .absent(keys) }
    return found.count > 1 ? .ambiguous(found.map(\.type)) : find(only.row, of: only.type, relation, transaction)
  }

  /// Finds a row, which may be that of an interface or union, as the target of a relation.
  package func find(
    _ row: UInt32, of type: EntityTypeID, _ relation: Relation, _ transaction: WriteTransaction
  ) -> FoundTarget {
    guard transaction.isLive(type, row) else { return .gone }
    var (row, type) = (row, type)
    if type != relation.target, self[type].isAbstract {
      guard let entity = transaction.entity(of: type, row) else { return .gone }
      (type, row) = (entity.type, entity.row)
    }
    return transaction.targetRow(row, of: type, in: relation.target).map { .row($0) } ?? .gone
  }
}

/// A field of a row that must have a value and has none.
package enum MissingField {
  case column(Int)
  case relation(Relation)
}

extension EntityLayout {
  /// Returns the first field that a row must have and lacks.
  ///
  /// - Parameter isWaiting: Whether a relation without a target counts as one with a target, which may come.
  package func missingField(
    of row: UInt32, in transaction: WriteTransaction, isWaiting: (Relation) -> Bool = { _ in false }
  ) -> MissingField? {
    for column in required where transaction.column(type, ColumnID(column)).isNull(row) { return .column(column) }
    for column in requiredWithin where transaction.column(type, ColumnID(column)).isNull(row) {
      guard let parent = parents[column] else { continue }
      let presence = transaction.column(type, ColumnID(parent))
      if !presence.isNull(row), presence.byte(row) != 0 { return .column(column) }
    }
    for relation in requiredRelations {
      // A required field of an embedded object is required where the object is there.
      if let presence = relation.presence, transaction.column(type, presence).byte(row) == 0 { continue }
      guard !isWaiting(relation) else { continue }
      if transaction.column(type, relation.column).reference(row) == PageLayout.noRow { return .relation(relation) }
    }
    return nil
  }
}
