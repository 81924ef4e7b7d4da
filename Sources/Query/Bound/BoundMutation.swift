import GQLBase
import GQLCatalog

/// A part of an operation that is not one plain query. Segments run in order; each appends its fields to the answer's
/// object, and sees what the earlier ones changed.
package enum BoundSegment: Sendable, Equatable {
  /// Fields that read.
  case query(BoundQuery)
  /// Fields that read an earlier version of the data.
  case past(BoundMoment, BoundQuery)
  /// One field that changes data.
  case mutation(BoundMutation)
  /// One field that takes an earlier version back.
  case undo(BoundUndo)
  /// One field that calls a command of the embedding program.
  case command(BoundCommand)
}

/// One field of a mutation, without names but for its response key.
///
/// All of its queries have the operation's parameters, in the operation's order.
package struct BoundMutation: Sendable, Equatable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case insert, upsert, update, delete, restore
    /// Forgets the history of entities, which stay.
    case erase
  }

  package var kind: Kind
  package var type: EntityTypeID
  package var key: String
  /// The field's name.
  package var range: SourceRange
  /// Expressions over parameters, evaluated once: the fields of the answer's object, by number.
  package var constants: BoundQuery
  /// Among `constants`: the field is left out where this is not true.
  package var condition: Int?
  /// Among `constants`: whether a delete leaves nothing behind.
  package var isHard: Int?
  package var refusal: BoundRefusal?
  /// What insert and upsert save; values are numbers among `constants`.
  package var rows: [BoundInput]
  package var conflict: BoundConflict?
  /// The entities that update and delete change: the first selection, of the first set. Its object has the
  /// values of `assignment`, by number, and behind them the sets that links name.
  package var locate: BoundQuery?
  /// The deleted entities that restore, and a hard delete, find: as `locate`, of given rows.
  package var locateDeleted: BoundQuery?
  /// What update writes; values are numbers among the values of `locate`.
  package var assignment: BoundInput?
  /// One field, a list over a first set with the source `.given`; nil answers with the number of entities.
  package var answer: BoundQuery?

  package init(
    kind: Kind, type: EntityTypeID, key: String, range: SourceRange, constants: BoundQuery, rows: [BoundInput] = []
  ) {
    self.kind = kind
    self.type = type
    self.key = key
    self.range = range
    self.constants = constants
    self.rows = rows
  }
}

extension BoundMutation {
  /// Indicates whether it looks at the values of parameters, which hold objects, and not only at their cells.
  package var usesParameterValues: Bool {
    (rows + [assignment, conflict?.record].compactMap(\.self)).contains(where: \.usesParameterValues)
  }
}

/// When an update or a delete is refused because it would reach everything and does not say `all: true`.
package struct BoundRefusal: Sendable, Equatable {
  /// Among the mutation's constants: what `all:` says.
  package var all: Int?
  /// Among the mutation's constants: whether the condition holds for every entity; nil where it certainly does not.
  package var premise: Int?
  /// Variables of the condition without which it would mean something else.
  package var variables: [String]
  package var range: SourceRange
  package init(all: Int?, premise: Int?, variables: [String], range: SourceRange) {
    self.all = all
    self.premise = premise
    self.variables = variables
    self.range = range
  }
}

/// What an upsert does with an entity that is there.
package struct BoundConflict: Sendable, Equatable {
  package enum Strategy: String, Sendable, Hashable, CaseIterable {
    case fail = "FAIL", keep = "KEEP", replace = "REPLACE", patch = "PATCH", append = "APPEND"
    case lastWriteWins = "LAST_WRITE_WINS"
  }
  package var strategy: Strategy
  /// The unique index by which an entity is found.
  package var index: IndexID
  /// What `LAST_WRITE_WINS` compares.
  package var by: ColumnID?
  /// `set:`: over a first set with the source `.given`, as `BoundMutation.locate`.
  package var decisions: BoundQuery?
  package var record: BoundInput?
  /// The parameters that stand for fields of the new row, `new.balance`.
  package var newParameters: [BoundNewParameter] = []
  /// Whether the decisions look at more than the entity's own fields.
  package var looksAround = false

  package init(strategy: Strategy, index: IndexID) {
    self.strategy = strategy
    self.index = index
  }
}

/// A parameter that takes the value of a column of the row to be saved.
package struct BoundNewParameter: Sendable, Equatable {
  package var parameter: Int
  package var column: ColumnID

  package init(parameter: Int, column: ColumnID) {
    self.parameter = parameter
    self.column = column
  }
}

/// One of the rows to save, or one of a relation's targets: an object of the document, or what a variable holds.
package enum BoundInput: Sendable, Equatable {
  case record(BoundRecord)
  /// The object, or the list of objects, of a parameter of the generated input type of an entity type, or of an
  /// embedded type, whose elements' hidden type is given then.
  case variable(Int, EntityTypeID, SourceRange)
}

extension BoundInput {
  /// Indicates whether a parameter holds it, or something inside it.
  fileprivate var usesParameterValues: Bool {
    guard case .record(let record) = self else { return true }
    return !record.embedded.isEmpty
      || record.links.contains { link in
        link.targets.contains { target in
          if case .input(let input) = target { input.usesParameterValues } else { false }
        }
      }
  }
}

/// An object of the document that is saved as an entity, or what an update writes.
package struct BoundRecord: Sendable, Equatable {
  package var type: EntityTypeID
  /// In the order written; columns of embedded objects are among them.
  package var cells: [BoundCell] = []
  /// Embedded objects that parameters hold.
  package var embedded: [BoundEmbeddedInput] = []
  package var links: [BoundLink] = []
  /// The number of a value: where it is not true there is no object. Nil where there always is one.
  package var presence: Int?
  package var range: SourceRange
  package init(type: EntityTypeID, range: SourceRange) {
    self.type = type
    self.range = range
  }

  /// What was added to an earlier state of it is left out where a parameter is not provided.
  package mutating func leaveOut(since earlier: BoundRecord, without parameter: Int) {
    for index in earlier.cells.count..<cells.count { cells[index].unless = parameter }
    for index in earlier.embedded.count..<embedded.count { embedded[index].unless = parameter }
    for index in earlier.links.count..<links.count { links[index].unless = parameter }
  }

  /// Whether it says other things where parameters are not provided.
  package var hasAbsentParameters: Bool {
    cells.contains { $0.unless != nil } || embedded.contains { $0.unless != nil }
      || links.contains { link in
        link.unless != nil
          || link.targets.contains { target in
            if case .input(.record(let record)) = target { record.hasAbsentParameters } else { false }
          }
      }
  }

  /// Whether what it says of relations is written when all rows are in; embedded objects of parameters may have links.
  package var hasLinks: Bool { !links.isEmpty || !embedded.isEmpty }
}

package struct BoundCell: Sendable, Equatable {
  package var column: ColumnID
  /// The number of the value.
  package var value: Int
  package var range: SourceRange
  /// A parameter without which the cell is left out,
  package var unless: Int?
  /// or has the value of this number.
  package var otherwise: Int?

  package init(column: ColumnID, value: Int, range: SourceRange, unless: Int? = nil, otherwise: Int? = nil) {
    self.column = column
    self.value = value
    self.range = range
    self.unless = unless
    self.otherwise = otherwise
  }
}

package struct BoundEmbeddedInput: Sendable, Equatable {
  package var property: PropertyID
  package var storage: PropertyStorage
  package var parameter: Int
  package var range: SourceRange
  /// A parameter without which nothing is said of it.
  package var unless: Int?

  package init(
    property: PropertyID, storage: PropertyStorage, parameter: Int, range: SourceRange, unless: Int? = nil
  ) {
    self.property = property
    self.storage = storage
    self.parameter = parameter
    self.range = range
    self.unless = unless
  }
}

/// What happens to a relation of a saved entity.
package struct BoundLink: Sendable, Equatable {
  package var relation: RelationID
  package var mode: LinkMode
  /// No target stands for null, or for the empty list.
  package var targets: [BoundLinkTarget]
  package var isNull: Bool
  /// Whether the relation is a field of an embedded object, which is written as a whole: what it does not name is
  /// among the links, as null.
  package var isWithin = false
  /// Whether the targets stand in a list, which holds no nulls.
  package var isList = false
  package var range: SourceRange
  /// A parameter without which nothing is said of it.
  package var unless: Int?

  package init(
    relation: RelationID, mode: LinkMode, targets: [BoundLinkTarget], isNull: Bool, isWithin: Bool = false,
    isList: Bool = false, range: SourceRange, unless: Int? = nil
  ) {
    self.relation = relation
    self.mode = mode
    self.targets = targets
    self.isNull = isNull
    self.isWithin = isWithin
    self.isList = isList
    self.range = range
    self.unless = unless
  }
}

package enum BoundLinkTarget: Sendable, Equatable {
  /// The target's primary key: the number of the value. Null is no target.
  case key(Int, SourceRange)
  /// A list of primary keys: the number of the value.
  case keys(Int, SourceRange)
  /// An entity of a type: the number of the value, a row.
  case entity(Int, EntityTypeID, SourceRange)
  /// All members of a set, which is one of the sets behind the values of the query that has the values. Elements of
  /// lists of embedded objects are copied.
  case set(SetID, EntityTypeID, SourceRange)
  /// The only member of such a set, which has one at most. None is no target.
  case member(SetID, EntityTypeID, SourceRange)
  /// An object, saved as an entity of its own, or as an element of a list.
  case input(BoundInput)

  package var range: SourceRange {
    switch self {
    case .key(_, let range), .keys(_, let range), .entity(_, _, let range), .set(_, _, let range),
      .member(_, _, let range):
      range
    case .input(.record(let record)): record.range
    case .input(.variable(_, _, let range)): range
    }
  }
}

/// A call of a command that the embedding program registered.
package struct BoundCommand: Sendable, Equatable {
  package var name: String
  package var key: String
  package var range: SourceRange
  /// As `BoundMutation.constants`; the first are the arguments in the order declared.
  package var constants: BoundQuery
  package var condition: Int?
  /// The types of the arguments.
  package var arguments: [ValueType]
  /// The type of the entities that it answers with; nil where it answers with a value.
  package var entities: EntityTypeID?
  package var isList: Bool
  /// One field, over a first set with the source `.given`; nil where the command's value is the answer.
  package var answer: BoundQuery?

  package init(
    name: String, key: String, range: SourceRange, constants: BoundQuery, condition: Int? = nil, arguments: [ValueType],
    entities: EntityTypeID? = nil, isList: Bool, answer: BoundQuery? = nil
  ) {
    self.name = name
    self.key = key
    self.range = range
    self.constants = constants
    self.condition = condition
    self.arguments = arguments
    self.entities = entities
    self.isList = isList
    self.answer = answer
  }
}
