import GQLBase
import GQLCatalog

/// An operation without names but for response keys: what to select, from which sets, in which shape.
///
/// Text and Swift models both end here; nothing behind it knows which it was.
@usableFromInline package struct BoundQuery: Sendable, Equatable {
  package var name: String?
  package var parameters: [BoundParameter]
  /// Sets and selections refer to each other by index, parents before children.
  @usableFromInline package var sets: [BoundSet]
  @usableFromInline package var selections: [BoundSelection]
  /// The fields of the answer's object.
  package var fields: [BoundField]
  package var catalogVersion: UInt64
  /// The names of the variables on whose values the structure depends: those of the types `<Type>Filter` and
  /// `<Type>Order`, and those that may be absent and stand in an object-form filter, where an absent one is an absent
  /// key. Their values go into `BindingOptions.structuralValues`, where provided, and such a query is bound again for
  /// other values; other variables are slots.
  package var structuralParameters: [String] = []
  /// What the operation does, in order, where it is more than one plain query; then there are no `fields`.
  package var segments: [BoundSegment] = []
  /// Holds what the lists of changes of the operation must have; nil where there are none.
  package var changeRanges: [BoundChangeRange]?
  /// How many list calls there are: the numbers of `.item`.
  package var itemCount = 0
  /// Descriptions of code of the embedding program that a run is given; the code of a number is no part of the query.
  package var hosts: [BoundHost] = []
  /// Whether the answer has every `ID` as a string, as GraphQL has it; else numbers stay numbers.
  package var writesIDsAsText = false

  package init(
    name: String?, parameters: [BoundParameter] = [], sets: [BoundSet] = [], selections: [BoundSelection] = [],
    fields: [BoundField] = [], catalogVersion: UInt64
  ) {
    self.name = name
    self.parameters = parameters
    self.sets = sets
    self.selections = selections
    self.fields = fields
    self.catalogVersion = catalogVersion
  }

  // Inlined, so that who asks for one part of a set copies that alone.
  @inlinable package subscript(_ id: SetID) -> BoundSet {
    get { sets[id.index] }
    set { sets[id.index] = newValue }
  }
  @inlinable package subscript(_ id: SelectionID) -> BoundSelection { selections[id.index] }
}

/// A description of code of the embedding program: of a test of entities, of an order, or of where rows come from.
package struct BoundHost: Sendable, Equatable {
  /// Says what it does, for `explain`.
  package var words: String
  /// The relations that it reads of an entity, each with those that lead there.
  package var inputs: [[RelationID]]

  package init(words: String = "", inputs: [[RelationID]] = []) {
    self.words = words
    self.inputs = inputs
  }
}

/// A variable's slot: parameters are given by place, in the order of `BoundQuery.parameters`.
package struct BoundParameter: Sendable, Equatable {
  package var name: String
  package var signature: TypeSignature
  /// What stands in where the variable was not provided; nil means null (or an error, if non-null).
  package var defaultValue: Value?
  package var range: SourceRange
  package var source = Source.variable

  /// Where the value of a run comes from.
  package enum Source: Sendable, Equatable {
    /// What the variable of this name was given.
    case variable
    /// The instant of the run, `now()`.
    case now
    /// The list of another parameter that stands before, its texts case-folded.
    case folded(of: Int)
    /// What the variable of this name was given: objects to save. It has no cell.
    case input
    /// A field of the row that an upsert saves, `new.balance`.
    case newRow
  }
  package init(name: String, signature: TypeSignature, defaultValue: Value?, range: SourceRange) {
    self.name = name
    self.signature = signature
    self.defaultValue = defaultValue
    self.range = range
  }

  /// The parameter behind every `now()` of an operation; its name cannot be a variable's.
  package static func now(at range: SourceRange) -> BoundParameter {
    var parameter = BoundParameter(
      name: "now()", signature: TypeSignature(.scalar(.dateTime), isNonNull: true), defaultValue: nil, range: range)
    parameter.source = .now
    return parameter
  }
}

/// Entities of one type: where they come from, which of them, in which order.
///
/// Evaluation: source → predicate → order → distinctOn → offset and limit. The predicate, the order terms and
/// `distinctOn` see an element as scope 0 and what encloses the set from scope 1 up; `limit` and `offset` see what
/// encloses the set from scope 0 up. At the root nothing encloses.
@usableFromInline package struct BoundSet: Sendable, Equatable {
  package enum Source: Sendable, Equatable {
    /// All live entities of the type, in canonical order.
    case all
    /// At most one: the unique index's key equals the values (which see the scopes that `limit` sees).
    case key(IndexID, [BoundExpression])
    /// The targets of a relation, in link order; the reference sees the scopes that `limit` sees.
    case relation(EntityReference, RelationID)
    /// The distinct targets of a relation of all members of another set, in canonical order.
    case step(SetID, RelationID)
    /// The deleted entities of the type that are kept, or all entities with them, in canonical order.
    case deleted(includesLive: Bool)
    /// Rows that the run was given, in their order: what a mutation answers with.
    case given
    /// The members of a group of the selection, in the order of its set; the reference is the group's scope, among those
    /// that `limit` sees.
    case items(EntityReference, SelectionID)
    /// The targets of a relation of the only member of another set, which has at most one, in link order.
    case linked(SetID, RelationID)
    /// The distinct ends of several routes of relations from the members of another set, in canonical order. In link
    /// order the other set has at most one member, which has links along one of the routes.
    case routes(SetID, [[RelationID]], inLinkOrder: Bool)
    /// The targets of several relations, one behind the other: a to-many field of an interface, of which the members
    /// have one each, and an entity is of one member only. The references see the scopes that `limit` sees.
    case branches([RelationBranch])
    /// The distinct members of several sets of one type, in canonical order; they see what this set's `limit` sees.
    case union([SetID])
    /// What repeating a step reaches, nearest first.
    case closure(BoundClosure)
    /// The entities on a shortest way, in its order.
    case shortestPath(BoundShortestPath)
    /// The entities under the keys of a list, in its order, each as often as its key. The list sees the scopes that
    /// `limit` sees; the index is unique and has one column.
    case keys(IndexID, BoundExpression)
    /// Members of other sets of the type, put together by a rule; they see what this set's `limit` sees.
    case members(MemberRule, [SetID])
    /// For each member of a set the members of another one, which sees it as scope 0, one list after the other.
    case each(SetID, SetID)
    /// Rows that the embedding program finds, by the number of the code in `BoundQuery.hosts`.
    case host(Int)
  }

  /// A rule by which the members of other sets are put together.
  package enum MemberRule: Sendable, Hashable {
    /// Those of the only set, as they stand.
    case all
    /// Those of the only set, each once, where it stands first.
    case once
    /// The last one of the only set.
    case last
    /// Those of the first set that are members of all others too, in the order of the first.
    case common
    /// Those of the only set, in the order that the code of the embedding program with that number gives them.
    case sorted(Int)
  }

  package var type: EntityTypeID
  package var source: Source
  /// Which links a source that follows relations takes: of a step the step's own, not those of the set before it.
  package var linkStatus = LinkStatus.live
  package var predicate: BoundExpression?
  package var order: [BoundOrderTerm]
  package var distinctOn: [BoundExpression]
  package var limit: BoundExpression?
  package var offset: BoundExpression?
  /// `@using`.
  package var hint: AccessHint?
  /// `after`, `before`, and what `_cursor` needs; nil where there are no cursors.
  package var paging: BoundPaging?
  /// Stands for the member behind those that offset and limit give, if there is one: `hasMore`.
  package var isProbe = false
  /// Stands for the one entity of an interface or union that a key finds. A second member is `ambiguous-link`.
  package var isOneByKey = false
  package var range: SourceRange

  package init(
    type: EntityTypeID, source: Source, predicate: BoundExpression? = nil, order: [BoundOrderTerm] = [],
    distinctOn: [BoundExpression] = [], limit: BoundExpression? = nil, offset: BoundExpression? = nil,
    hint: AccessHint? = nil, range: SourceRange
  ) {
    self.type = type
    self.source = source
    self.predicate = predicate
    self.order = order
    self.distinctOn = distinctOn
    self.limit = limit
    self.offset = offset
    self.hint = hint
    self.range = range
  }
}

/// The targets of a relation, each as the row that it has in an interface or union, where that is wanted.
package struct RelationBranch: Sendable, Equatable {
  package var reference: EntityReference
  package var relation: RelationID
  /// Paths of to-one relations from a target to the row that stands for it, of which one leads there; none at all where
  /// the targets are what is wanted.
  package var casts: [[RelationID]]
  package init(reference: EntityReference, relation: RelationID, casts: [[RelationID]] = []) {
    self.reference = reference
    self.relation = relation
    self.casts = casts
  }
}

/// One key of an order. Nulls come last in both directions unless `nullsFirst`.
package struct BoundOrderTerm: Sendable, Equatable {
  package var expression: BoundExpression
  package var isDescending: Bool
  package var nullsFirst: Bool
  package init(_ expression: BoundExpression, isDescending: Bool, nullsFirst: Bool = false) {
    self.expression = expression
    self.isDescending = isDescending
    self.nullsFirst = nullsFirst
  }
}

/// `@using(access:, index:)`.
package struct AccessHint: Sendable, Equatable {
  package enum Access: Sendable, Hashable, RawRepresentable, CaseIterable {
    case scan, id
    case index(IndexDescriptor.Kind)

    package static let allCases = [scan, id] + IndexDescriptor.Kind.allCases.map { index($0) }

    package init?(rawValue: String) {
      guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = found
    }

    package var rawValue: String {
      switch self {
      case .scan: "SCAN"
      case .id: "ID"
      case .index(let kind): kind.rawValue
      }
    }
  }
  package var access: Access
  package var index: String?
  package var range: SourceRange
  package init(access: Access, index: String?, range: SourceRange) {
    self.access = access
    self.index = index
    self.range = range
  }
}

/// Identifies a selection within one ``BoundQuery``.
@usableFromInline package struct SelectionID: Sendable, Hashable {
  @usableFromInline package let index: Int
  @inlinable package init(_ index: Int) { self.index = index }
}

/// A set and what is written of each of its members.
@usableFromInline package struct BoundSelection: Sendable, Equatable {
  package enum Shape: Sendable, Equatable {
    case object([BoundField])
    /// One value a member: a relation named without a selection set gives ids.
    case value(BoundExpression)
    /// One object a group.
    case groups(BoundGrouping)
  }
  package var set: SetID
  package var shape: Shape
  /// `@recurse`.
  package var recursion: BoundRecursion?
  package init(set: SetID, shape: Shape) {
    self.set = set
    self.shape = shape
  }

  /// Indicates whether `_depth` is one of its fields.
  package var showsDepth: Bool {
    guard case .object(let fields) = shape else { return false }
    return fields.contains { if case .depth = $0.content { true } else { false } }
  }
}

/// One response key. Fields with equal keys are already merged.
package struct BoundField: Sendable, Equatable {
  package enum Content: Sendable, Equatable {
    case typename(String)
    /// A value of the member (scope 0), or at the root of nothing.
    case value(BoundExpression)
    /// An embedded object: null where the presence column is false or null, else its fields.
    case embedded(presence: BoundExpression, [BoundField])
    /// An object or null: the only member of the selection's set.
    case one(SelectionID)
    /// A list.
    case many(SelectionID)
    /// What the schema is; at the root only.
    indirect case introspection(BoundIntrospection)
    /// Fields of the object itself, where the condition is true for the member; the field's own key is not written.
    case inlined(when: BoundExpression, [BoundField])
    /// The last field of a selection with ``BoundSelection/recursion``: that selection again.
    case recursion
    /// `_depth`, `_cycle`, `_cursor` of the member.
    case depth
    case cycle
    case cursor
  }
  package var key: String
  /// Over parameters only: the field is left out where this is not true.
  package var condition: BoundExpression?
  package var content: Content
  /// The key is left out where the value is null: in fragments of `@expand`.
  package var omitsNull = false
  package var range: SourceRange
  package init(key: String, condition: BoundExpression? = nil, content: Content, range: SourceRange) {
    self.key = key
    self.condition = condition
    self.content = content
    self.range = range
  }
}
