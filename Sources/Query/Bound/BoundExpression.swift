import GQLBase
import GQLCatalog

/// An expression without names: typed, coerced, addressed by identifiers. What the planner moves and the executor
/// compiles.
///
/// Binding has put in every conversion (`.convert`), folded literals to constants of the operand's type, and replaced
/// case-insensitive properties by their folded columns.
package struct BoundExpression: Sendable, Hashable {
  /// Bytes of a node in its box, with what holds it: what preparing counts.
  package static let bytesOfNode = 384

  package var kind: Kind
  package var type: ValueType
  /// Where run-time errors of this node point: the operator or the call.
  package var range: SourceRange

  package init(_ kind: Kind, _ type: ValueType, at range: SourceRange) {
    self.kind = kind
    self.type = type
    self.range = range
  }

  package indirect enum Kind: Sendable, Hashable {
    case constant(Value)
    /// The value of `BoundQuery.parameters[i]`, already coerced to its type.
    case parameter(Int)
    /// The cell of a column of the entity; null where the entity is missing.
    case column(EntityReference, ColumnID)
    /// The entity itself, for identity: `== != in is null`.
    case entity(EntityReference)

    case not(BoundExpression)
    /// Kleene's; evaluated left to right as far as errors can tell.
    case and([BoundExpression])
    case or([BoundExpression])
    /// True where the operand is true, false where it is false or null; never null.
    case isTrue(BoundExpression)
    case isNull(BoundExpression)

    /// `equal` and `notEqual` treat null as a value and never give null; the others give null for a null.
    /// Operands have one type, or are both numeric and compare by exact value.
    case compare(ComparisonOperator, BoundExpression, BoundExpression)
    /// `x in [a, b, …]`: equality with any; never null.
    case inValues(BoundExpression, [BoundExpression])
    /// `x in list`, where `list` is a list-valued expression (parameter, column): never null; a null list has no element.
    case inList(BoundExpression, BoundExpression)
    /// `x in a..b`, `a..<b`; a nil bound is open. Null if x or a given bound is null.
    case inRange(BoundExpression, lower: BoundExpression?, upper: BoundExpression?, includesUpper: Bool)

    /// Text tests on bytes; null if either is null.
    case textTest(TextTest, BoundExpression, BoundExpression)
    /// `list contains x`: as `inList`, but null if the list is null.
    case listContains(BoundExpression, BoundExpression)
    /// `like`, `ilike`; the pattern is a constant or computed.
    case like(BoundExpression, pattern: BoundExpression, isCaseInsensitive: Bool)
    /// `=~`, PCRE2.
    case regex(BoundExpression, pattern: BoundExpression)

    /// Int by Int is checked Int, but `/` which is Float; otherwise the wider of Float and Decimal. `+` on texts joins.
    case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
    case negate(BoundExpression)
    /// A conversion that cannot fail but for range: Int to Float or Decimal, anything to JSON, ID to String.
    case convert(BoundExpression)
    /// `e as T`, may fail at run time.
    case cast(BoundExpression)
    /// The first non-null.
    case coalesce([BoundExpression])
    /// `if(c, a, …, else)`: pairs, then the last; a missing else is null.
    case conditional([BoundExpression])
    /// The case-folded text.
    case fold(BoundExpression)
    /// A member or an element of a JSON value; null where there is none. The second is a text or an Int.
    case jsonPath(BoundExpression, BoundExpression)
    /// An element of a list, from 0; null beyond the end.
    case element(BoundExpression, BoundExpression)
    case call(ScalarFunction, [BoundExpression])
    /// A function that the embedding program registered; the arguments have its parameters' types.
    case invoke(RegisteredFunction, [BoundExpression])
    /// A JSON list or object with expressions inside.
    case jsonList([BoundExpression])
    case jsonObject([String], [BoundExpression])

    /// A test over a set. The predicate, if any, sees an element as scope 0 and what encloses the call from scope 1 up.
    case quantifier(Quantifier, SetID, BoundExpression?)
    /// An aggregate over a set; the element expression has the scopes of a quantifier's predicate. `.count` has none.
    case aggregate(Aggregate, SetID, BoundExpression?)

    /// Put in by the planner: the entity is in `PhysicalPlan.rowSets[i]`; false where it is missing.
    case inRowSet(EntityReference, Int)
    /// The entity is a deleted one; false where it is missing.
    case isDeleted(EntityReference)
    /// `_inserted`: the entity is one of those that the run was told to have been created.
    case isInserted(EntityReference)
    /// A test that code of the embedding program makes of the entity, `BoundQuery.hosts[i]`; true or false. It may fail,
    /// and reads the entity alone, whatever else the query says.
    case host(EntityReference, Int)
    /// The value of `BoundGrouping.aggregates[i]` of the selection; the reference is the group's scope.
    case groupAggregate(EntityReference, SelectionID, Int)

    /// `matches`: a full-text query over one text, or over several as if they were one. Null if the query or all texts
    /// are null.
    case matches([BoundExpression], query: BoundExpression, TextSource)
    /// `_score`: the sum of the scores of those of these `matches` that hold; never null. Each is over stored fields.
    case score([BoundExpression])
    /// `highlight(text, open, close)`: the text with what these `matches` look for between the two others. Null if one
    /// of the three is.
    case highlight(BoundExpression, open: BoundExpression, close: BoundExpression, [BoundExpression])
    /// A test or an aggregate over the elements of a list; a null list has none. The body sees an element (`.item`) as
    /// scope 0 and what encloses the call from scope 1 up; that of `distinct` is the key by which elements are equal.
    case listCall(ListOperation, BoundExpression, item: Int, BoundExpression?)
    /// The element of a list that the list call with that number goes through; the reference says only how many scopes
    /// out the call's body is.
    case item(EntityReference, Int)
    /// The texts of a list, those that are there, in one, with a separator between them; "" for a null list, null if
    /// the separator is null.
    case join(BoundExpression, separator: BoundExpression)
  }
}

package enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
  case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="

  /// The operator that holds with the operands exchanged.
  package var swapped: ComparisonOperator {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

package enum TextTest: String, Sendable, Hashable, CaseIterable { case contains, startsWith, endsWith }

package enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
  case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%"
}

package enum Quantifier: String, Sendable, Hashable, CaseIterable { case some, every, none, one, exists }

package enum Aggregate: String, Sendable, Hashable, CaseIterable {
  case count, sum, avg, min, max, first, last, collect, distinct

  /// Indicates whether it is the least value or the greatest.
  package var isExtreme: Bool { self == .min || self == .max }
}

/// What is asked of the elements of a list.
package enum ListOperation: Sendable, Hashable {
  case quantifier(Quantifier)
  case aggregate(Aggregate)
  /// A choice of elements, which the call's body compares: `distinct`, `min` or `max`. Of equal ones the first counts.
  case byKey(Aggregate)

  package var name: String {
    switch self {
    case .quantifier(let quantifier): quantifier.rawValue
    case .aggregate(let aggregate), .byKey(let aggregate): aggregate.rawValue
    }
  }
}

/// What the texts of a `matches` are.
package struct TextSource: Sendable, Hashable {
  /// The code of the language whose stems and stop words are used.
  package var language: String
  /// The fields of one entity that the texts are, as columns of its type; none if they are something else.
  package var columns: [ColumnID]
  package var type: EntityTypeID?
  /// A full-text index that covers the columns.
  package var index: IndexID?
  package init(language: String, columns: [ColumnID] = [], type: EntityTypeID? = nil, index: IndexID? = nil) {
    self.language = language
    self.columns = columns
    self.type = type
    self.index = index
  }
}

/// How an expression reaches an entity.
package indirect enum EntityReference: Sendable, Hashable {
  /// The element `depth` scopes out: 0 is `.`, 1 is `^`.
  case scope(Int, EntityTypeID)
  /// The target of a to-one relation; missing where the base is missing or has no target.
  case toOne(EntityReference, RelationID)
  /// The first of the references that is there, all to entities of one type: what a to-one field of an interface leads
  /// to. They start from one scope, and at most one of them is there.
  case firstOf([EntityReference], EntityTypeID)

  /// Returns the type of the entity.
  package func type(_ catalog: Catalog) -> EntityTypeID {
    switch self {
    case .scope(_, let type), .firstOf(_, let type): type
    case .toOne(_, let relation): catalog[relation].target
    }
  }

  /// The scope that the reference starts from.
  package var scope: Int {
    switch self {
    case .scope(let depth, _): depth
    case .toOne(let base, _): base.scope
    case .firstOf(let references, _): references.first?.scope ?? 0
    }
  }
}

extension BoundExpression {
  /// Indicates whether its value is known before the run, and the same for all elements.
  package var isConstantOrParameter: Bool {
    switch kind {
    case .constant, .parameter: true
    default: false
    }
  }
}

/// Identifies a set within one ``BoundQuery``.
@usableFromInline package struct SetID: Sendable, Hashable {
  @usableFromInline package let index: Int
  @inlinable package init(_ index: Int) { self.index = index }
}
