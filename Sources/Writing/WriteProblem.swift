import GQLCatalog
import GQLStore

/// A reason why a record is not written. Doors add where it stands, and the words.
package struct WriteProblem: Error {
  package enum Kind: Sendable {
    /// A refusal of the store: a second `User` with the e-mail address of another.
    case refused(StoreProblem)
    /// A second record of its own with the key of a row.
    case duplicate(EntityTypeID, row: UInt32)
    /// A row that lacks a field which must have a value.
    case missingValue(EntityTypeID, field: String)
    /// A link to an interface or union by a key that entities of several types have.
    case ambiguousLink(RelationID, key: Cell, of: [EntityTypeID])
  }

  /// A place of a record.
  package struct Place: Sendable {
    /// Holds the number of the source, as its door counts them.
    package var source: Int
    package var start: Int
    package var end: Int
  }

  package var kind: Kind
  /// Nil where it is no single record's.
  package var place: Place?

  init(_ kind: Kind, at place: Place? = nil) {
    self.kind = kind
    self.place = place
  }
}

/// A finding about links or values of a whole run, which refuses nothing.
package enum WriteNote {
  /// Links to keys that are not there; each connects if its entity comes later.
  case danglingLinks(RelationID, keys: [Cell])
  /// A link that is left out, see ``WriteProblem/Kind/ambiguousLink(_:key:of:)``.
  case ambiguousLink(RelationID, key: Cell, of: [EntityTypeID])
  /// Links that are left out because others contradict them; the first of them.
  case contradictions(LinkContradiction, of: RelationID, count: Int)
  /// Values that objects with one key give differently.
  case contradictingValues(EntityTypeID, ColumnID, count: Int)
}
