import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A selection set with what its names mean; several are merged into one object.
struct SelectionSource {
  var set: SelectionSet?
  /// The name of the field whose selections these are.
  var field: String?
  /// Stands for `...*` where there is no written set, as below `...**`.
  var splat: SourceRange?
  var environment: Environment
  /// What `@expand` adds.
  var expansion: GraphExpansion?
  /// Over parameters: everything in it is left out where this is not true.
  var condition: BoundExpression?

  /// The same as the selections of a field.
  func selected(of field: String) -> SelectionSource {
    var source = self
    source.field = field
    return source
  }

  init(set: SelectionSet, environment: Environment, condition: BoundExpression? = nil) {
    self.set = set
    self.environment = environment
    self.condition = condition
  }

  init(expansion: GraphExpansion, environment: Environment, condition: BoundExpression?) {
    self.expansion = expansion
    self.environment = environment
    self.condition = condition
  }

  init(splat: SourceRange, environment: Environment, condition: BoundExpression?) {
    self.splat = splat
    self.environment = environment
    self.condition = condition
  }
}

/// What a selection set selects from.
enum SelectionParent {
  case root
  case entity(EntityTypeID)
  case embedded(EmbeddedTypeID)
  /// A type of introspection.
  case meta(MetaType)
  /// The groups of a grouping, by its number.
  case group(EntityTypeID, Int)
}
