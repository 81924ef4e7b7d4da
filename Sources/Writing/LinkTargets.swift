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
    return self[target].members.compactMap { member in self.key(key, of: member).map { (member, $0) } }
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
    for relation in requiredRelations {
      // A required field of an embedded object is required where the object is there.
      if let presence = relation.presence, transaction.column(type, presence).byte(row) == 0 { continue }
      guard !isWaiting(relation) else { continue }
      if transaction.column(type, relation.column).reference(row) == PageLayout.noRow { return .relation(relation) }
    }
    return nil
  }
}
