import GQLBase
import GQLCatalog
import GQLRegex
import GQLStore

/// An ``AccessPath`` made ready to run.
///
/// Unchecked because only ``PlanCompiler`` sets its properties, before the executable is shared; a class, because
/// copying all of them for each batch would cost more than the lookup.
final class AccessNode: @unchecked Sendable {
  enum Kind {
    case scan, lookup, lookupEach, range, intersection, union, rowSet, empty
    /// The targets of a relation of the referred entity.
    case relation
    /// The distinct targets of a relation of the members of another set.
    case step
    /// The distinct ends of several routes of relations from the members of another set.
    case routes
    /// The deleted entities; these and the live ones.
    case deleted, all
    /// A range of a column of times.
    case timeRange
    /// What a full-text index finds in some of its columns.
    case fullText
    /// What a trigram index offers for one of its columns.
    case trigram
    /// Relations of which at most one has targets; also one with links that sleep.
    case branches
    /// The members of another set.
    case set
    /// The rows that the run was given.
    case given
    /// What repeating a step reaches, nearest first.
    case closure
    /// The entities on a way.
    case shortestPath
    /// The members of a group of another selection.
    case groupMembers
    /// The rows under a key in a table made once a run, of the type's rows or of those that the only child gives.
    case hashJoin
  }
  let kind: Kind
  @exclusivity(unchecked) var index = IndexID(0)
  @exclusivity(unchecked) var column = ColumnID(0)
  @exclusivity(unchecked) var indexKind = IndexDescriptor.Kind.hash
  @exclusivity(unchecked) var isUnique = false
  /// Reader slots of the key columns, for what an index cannot find.
  @exclusivity(unchecked) var keyReaders: [Int] = []
  @exclusivity(unchecked) var keyKinds: [ColumnKind] = []
  /// A null key finds nothing, as nothing is null.
  @exclusivity(unchecked) var keysAreNonNull = true
  /// The columns that are searched, and the language of the index.
  @exclusivity(unchecked) var columns: [ColumnID] = []
  @exclusivity(unchecked) var language = ""
  @exclusivity(unchecked) var condition = TextCondition.contains
  /// Key components; in a range the equal ones, then what of lower, upper and prefix there is.
  @exclusivity(unchecked) var scalars: ScalarSources?
  @exclusivity(unchecked) var equalCount = 0
  @exclusivity(unchecked) var lower = -1
  @exclusivity(unchecked) var upper = -1
  @exclusivity(unchecked) var prefix = -1
  @exclusivity(unchecked) var lowerInclusive = true
  @exclusivity(unchecked) var upperInclusive = true
  @exclusivity(unchecked) var includesNulls = false
  @exclusivity(unchecked) var onlyNulls = false
  /// Of the rows that agree in so many leading components, the first only; 0 for all rows.
  @exclusivity(unchecked) var firstOfEach = 0
  /// The only source of a `lookupEach` is list-valued.
  @exclusivity(unchecked) var isListValued = false
  @exclusivity(unchecked) var listIsWide = false
  @exclusivity(unchecked) var children: [AccessNode] = []
  /// The row set, the set that a step starts from, or the grouped selection.
  @exclusivity(unchecked) var number = 0
  @exclusivity(unchecked) var relation = RelationAccess()
  @exclusivity(unchecked) var reference = CompiledReference()
  /// Of a branch: paths of reader slots to the rows that stand for the targets; none where the targets are wanted.
  @exclusivity(unchecked) var casts: [[Int]] = []
  @exclusivity(unchecked) var routes: [[RelationAccess]] = []
  @exclusivity(unchecked) var traversal: CompiledTraversal?
  /// What a hash join's table holds each row under.
  @exclusivity(unchecked) var buildProgram: ExpressionProgram?
  @exclusivity(unchecked) var buildTypes: [ValueType] = []
  /// A step from one member at most, or a group of a relation's targets: they stay in link order.
  @exclusivity(unchecked) var keepsLinkOrder = false

  init(_ kind: Kind) { self.kind = kind }
}

/// The stored side of a relation.
struct RelationAccess {
  var id = RelationID(0)
  /// Which links are followed; those that sleep are not in the column.
  var status = LinkStatus.live
  var reader = 0
  var isToMany = false
  var target = EntityTypeID(0)
}

/// An entity reference by the reader slots of its to-one columns.
struct CompiledReference {
  var depth = 0
  var path: [Int] = []
}
