import GQLCatalog

/// A typed query without its types and values: all that its plan depends on, nested relations included. It names
/// attributes by their places in descriptions, values and code of the program by their numbers in ``QueryValues``.
struct QueryTree: Hashable {
  /// Where the entities come from.
  indirect enum Source: Hashable {
    /// All of the type; of a list that a closure gets, all of the list.
    case all
    /// All of the type, whatever a closure gets.
    case everything
    case nothing
    /// The rows that the run is given.
    case given
    /// The entity of an id, a parameter; the entities of a list of ids.
    case key(Int)
    case keys(Int)
    /// The rows that code of the program finds.
    case host(Int)
    /// The list that a closure got, by how many others lie between: 0 is the innermost.
    case list(Int)
    case combined(Combination, [QueryTree])
    /// A tree over the targets of a relation of each entity of another.
    case each(QueryTree, RelationID, QueryTree)
  }

  /// A condition, an order and a slice, in this order.
  struct Stage: Hashable {
    /// Indicates whether it gives nothing.
    var isEmpty = false
    var condition: Term?
    /// The tests of the program, behind the condition.
    var test: Int?
    var order: [OrderKey] = []
    /// The order of the program, in the place of another.
    var sort: Int?
    var limit: Int?
    var offset: Int?
  }

  /// A relation that comes with the entities.
  enum Branch: Hashable {
    /// Nothing is put into it.
    case none
    /// It leads nowhere.
    case empty
    /// A tree over its targets.
    case targets(RelationID, QueryTree)
    /// All that a tree gives, whatever the links are.
    case all(QueryTree)
  }

  let type: EntityTypeID
  /// The number of the types in ``QueryValues/types``.
  let types: Int
  /// The schema that the types are of, if it is not that of the query.
  let schema: ObjectIdentifier?
  /// Indicates whether the attributes are those of deleted entities.
  var isOfDeleted = false
  /// Indicates whether the type keeps metadata.
  var hasMetadata = true
  var source = Source.all
  var stages: [Stage] = []
  var nested: [Branch] = []
  /// Indicates whether what is nested is left to another run.
  var isOpen = false

  /// Indicates whether it begins with what closures get, and not only with other entities.
  var hangsOnList: Bool {
    switch source {
    case .list, .everything: true
    case .all, .nothing, .given, .key, .keys, .host: false
    case .combined(_, let parts): parts.contains(where: \.hangsOnList)
    case .each(let parents, _, _): parents.hangsOnList
    }
  }

  /// Indicates whether its stages alone say what it gives of the list that a closure got.
  var isOfList: Bool {
    switch source {
    case .list(0): true
    // Which ones are the first of all, no list tells.
    case .all: stages.allSatisfy { $0.limit == nil && !$0.isEmpty }
    default: false
    }
  }

  /// Indicates whether it gives one entity at most.
  func isSingle(_ catalog: Catalog) -> Bool {
    switch source {
    case .key: true
    case .each(let parents, let relation, _): !catalog[relation].isToMany && parents.isSingle(catalog)
    default: false
    }
  }
}

/// How rows of queries for the same type are put together.
enum Combination: Hashable { case anyOf, bothOf, eachOnceOf, lastOf }
