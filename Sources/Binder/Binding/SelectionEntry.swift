import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// One appearance of a response key. A class, because it has many parts and goes through many hands.
final class SelectionEntry {
  let key: Name
  /// Nil for a computed selection.
  private(set) var field: Name?
  private(set) var expression: Expression?
  let arguments: [Argument]
  let directives: [Directive]
  let set: SelectionSet?
  let splat: SourceRange?
  let environment: Environment
  let condition: BoundExpression?
  let range: SourceRange
  /// The type whose fields the place may name: that of the innermost type condition. Nil where it is no entity's.
  private(set) var declared: EntityTypeID?
  /// Put in by `@expand`.
  private(set) var isExpanded = false
  /// What `@expand` shows of the field's own fields.
  private(set) var expansion: GraphExpansion?
  /// The key is left out where the value is null.
  private(set) var omitsNull = false

  init(
    key: Name, field: Name? = nil, expression: Expression? = nil, arguments: [Argument] = [],
    directives: [Directive] = [], set: SelectionSet? = nil, splat: SourceRange? = nil, environment: Environment,
    condition: BoundExpression?, range: SourceRange, declared: EntityTypeID? = nil
  ) {
    self.key = key
    self.field = field
    self.expression = expression
    self.arguments = arguments
    self.directives = directives
    self.set = set
    self.splat = splat
    self.environment = environment
    self.condition = condition
    self.range = range
    self.declared = declared
  }

  /// A field that `@expand` puts in.
  init(
    expanded name: Name, of type: EntityTypeID, _ expansion: GraphExpansion?, omitsNull: Bool,
    environment: Environment, condition: BoundExpression?, range: SourceRange
  ) {
    key = name
    field = name
    arguments = []
    directives = []
    set = nil
    splat = nil
    self.environment = environment
    self.condition = condition
    self.range = range
    declared = type
    isExpanded = true
    self.expansion = expansion
    self.omitsNull = omitsNull
  }

  /// A field of an embedded object that comes whole.
  init(wholeField name: Name, environment: Environment, range: SourceRange) {
    key = name
    field = name
    arguments = []
    directives = []
    set = nil
    splat = nil
    self.environment = environment
    condition = nil
    self.range = range
    declared = nil
    isExpanded = true
  }

  /// Indicates whether it is nothing but the name of a field.
  var isName: Bool {
    expression == nil && set == nil && splat == nil && expansion == nil && !isExpanded && arguments.isEmpty
      && directives.isEmpty && environment.lets.isEmpty
  }

  /// The same with an expression in the place of the field.
  func computing(_ expression: Expression, _ environment: Environment) -> SelectionEntry {
    copy(nil, expression, environment)
  }

  /// The same where names mean what they do in another environment.
  func placed(in environment: Environment) -> SelectionEntry { copy(field, expression, environment) }

  /// Returns the entry without the directives of a name.
  func without(_ directive: String) -> SelectionEntry {
    if !directives.contains(where: { $0.name.text == directive }) { return self }
    return copy(field, expression, environment, directives.filter { $0.name.text != directive })
  }

  /// Returns the entry with other arguments.
  func with(_ arguments: [Argument]) -> SelectionEntry { copy(field, expression, environment, nil, arguments) }

  /// Returns the entry with other directives.
  func with(directives: [Directive]) -> SelectionEntry { copy(field, expression, environment, directives) }

  private func copy(
    _ field: Name?, _ expression: Expression?, _ environment: Environment, _ directives: [Directive]? = nil,
    _ arguments: [Argument]? = nil
  ) -> SelectionEntry {
    let result = SelectionEntry(
      key: key, field: field, expression: expression, arguments: arguments ?? self.arguments,
      directives: directives ?? self.directives,
      set: set, splat: splat, environment: environment, condition: condition, range: range, declared: declared)
    result.isExpanded = isExpanded
    result.expansion = expansion
    result.omitsNull = omitsNull
    return result
  }
}

/// The appearances of one response key, in order.
struct MergedEntry {
  var key: String
  var entries: [SelectionEntry]
  var first: SelectionEntry { entries[0] }

  /// Names directives that are looked at where they stand, or must be the same on all appearances.
  private static let ownDirectives: Set<String> = ["skip", "include", "recurse", "expand", "asOf"]

  /// Gives the first appearance the directives of the others: it stands for all of them.
  mutating func joinDirectives() {
    guard entries.dropFirst().contains(where: { !$0.directives.isEmpty }) else { return }
    var joined = first.directives
    var places = Set(joined.map(\.range))
    for directive in entries.dropFirst().flatMap(\.directives)
    where !Self.ownDirectives.contains(directive.name.text) && places.insert(directive.range).inserted {
      joined.append(directive)
    }
    entries[0] = first.with(directives: joined)
  }
}
