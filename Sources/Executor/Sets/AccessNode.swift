import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// An ``AccessPath`` made ready to run.
final class AccessNode: @unchecked Sendable {
  enum Kind {
    case scan, lookup, lookupEach, range, intersection, union, rowSet, empty
    /// The targets of a relation of the referred entity.
    case relation
    /// The distinct targets of a relation of the members of another set.
    case step
  }
  let kind: Kind
  var index = IndexID(0)
  var indexKind = IndexDescriptor.Kind.hash
  var isUnique = false
  /// Reader slots of the key columns, for what an index cannot find.
  var keyReaders: [Int] = []
  var keyKinds: [ColumnKind] = []
  /// A null key finds nothing, as nothing is null.
  var keysAreNonNull = true
  /// Key components; in a range the equal ones, then what of lower, upper and prefix there is.
  var scalars: ScalarSources?
  var equalCount = 0
  var lower = -1
  var upper = -1
  var prefix = -1
  var lowerInclusive = true
  var upperInclusive = true
  var includesNulls = false
  var onlyNulls = false
  /// The only source of a `lookupEach` is list-valued.
  var isListValued = false
  var listIsWide = false
  var children: [AccessNode] = []
  /// The row set, or the set that a step starts from.
  var number = 0
  var relation = RelationAccess()
  var reference = CompiledReference()

  init(_ kind: Kind) { self.kind = kind }
}

/// The stored side of a relation.
struct RelationAccess {
  var reader = 0
  var isToMany = false
  var target = EntityTypeID(0)
}

/// An entity reference by the reader slots of its to-one columns.
struct CompiledReference {
  var depth = 0
  var path: [Int] = []
}
