import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// An expression half bound: what it is before its place says which type it must have.
indirect enum Operand {
  /// Reported already.
  case error
  /// A literal without a type of its own yet.
  case literal(RawValue, SourceRange)
  case list([Expression], SourceRange)
  case object([ObjectField], SourceRange)
  /// A bare name that may be an enum value (R15).
  case bare(Name)
  case value(TypedValue)
  case entity(EntityReference, EntityTypeID, SourceRange)
  case embedded(EmbeddedValue)
  case plural(PluralPath)
  /// The only member of a set that has one at most, or an embedded object of it: `first(x)`, `user(id: 1)`, a to-one
  /// step with arguments.
  case single(PluralPath)
  case interval(lower: Expression, upper: Expression, includesUpper: Bool, SourceRange)
  /// A variable of type `<Type>Filter`.
  case filter(EntityTypeID, Name)

  static func value(_ expression: BoundExpression, folded: BoundExpression? = nil) -> Operand {
    .value(TypedValue(expression: expression, folded: folded))
  }
}

struct TypedValue {
  var expression: BoundExpression
  /// The case-folded text, where the collation is CI: what comparisons and order use.
  var folded: BoundExpression?
  var type: ValueType { expression.type }
  /// What comparisons and order use.
  var key: BoundExpression { folded ?? expression }
}

/// An embedded object of an entity.
struct EmbeddedValue {
  /// Where it lies. A field of an interface has one place for each member, of which one is there.
  struct Place {
    var reference: EntityReference
    var presence: ColumnID
    var fields: [PropertyStorage]
  }
  var places: [Place]
  var type: EmbeddedTypeID
  var range: SourceRange

  init(places: [Place], type: EmbeddedTypeID, range: SourceRange) {
    self.places = places
    self.type = type
    self.range = range
  }

  init(
    reference: EntityReference, type: EmbeddedTypeID, presence: ColumnID, fields: [PropertyStorage], range: SourceRange
  ) {
    self.init(
      places: [Place(reference: reference, presence: presence, fields: fields)], type: type, range: range)
  }

  var presenceExpression: BoundExpression {
    let columns = places.map { BoundExpression(.column($0.reference, $0.presence), .boolean, at: range) }
    return columns.count == 1 ? columns[0] : BoundExpression(.coalesce(columns), .boolean, at: range)
  }
}

/// A path over a to-many relation or from a root: a set of entities, and for a bag of values what is taken of each.
struct PluralPath {
  enum Tail {
    case none
    /// Seen from the set's element as scope 0.
    case value(TypedValue)
    case embedded(EmbeddedValue)
  }
  var set: SetID
  var type: EntityTypeID
  var tail = Tail.none
  var range: SourceRange
  /// The path as written up to the set, for suggestions.
  var text: String
  /// The names behind the set, for suggestions.
  var tailText = ""

  /// Whether nothing is taken of the entities.
  var isEntity: Bool {
    if case .none = tail { return true }
    return false
  }
}

/// What `.` is in a scope.
enum ScopeElement {
  case entity(EntityTypeID)
  /// An element of a list, visited by the list call with this number.
  case item(Int, ValueType)
  /// A value of each entity of the scope, seen from it as scope 0: of the elements of a bag.
  case value(EntityTypeID, TypedValue)
}

/// What the names of an expression mean.
struct Environment {
  /// The elements around the place at run time, outermost first.
  var scopes: [ScopeElement] = []
  /// Those that `.`, `^` … see, as indices into `scopes`; a `let` sees those of where it stands.
  var chain: [Int] = []
  var lets = LetScope()
  /// The names are those of a spread, and the place is inside of an object that the spread passes to a fragment.
  var isOfSpread = false
  /// Nil where nothing of it is there.
  private var rare: RareBox?

  struct View {
    var reference: EntityReference
    var type: EntityTypeID
    /// How many scopes there were where the reference was made.
    var scopes: Int
  }
  /// The scope that a function's body is called from, as an index into `scopes`: what was searched for there is so in
  /// the body.
  var called: Int?
  /// The grouping whose computed selections have names here: in its `having` and `orderBy`.
  var aliases: Int?
  /// True while the arguments of a step are bound whose path begins with another element than `.`.
  var pathBeginsElsewhere = false

  /// An expression together with what its names mean.
  struct Binding {
    var expression: Expression?
    var chain: [Int]
    var lets: LetScope
    var arguments: [String: Binding]
    var views: [Int: View]
    var aliases: Int?
    /// The place of the name of a `let`.
    var letName: SourceRange?
    /// For the parameter of a function, which has a type.
    var parameter: FunctionArgument?
    /// For an argument of a fragment: the variable that it is a value of.
    var variable: FragmentVariable?
  }

  func entering(_ type: EntityTypeID) -> Environment { entering(.entity(type)) }

  func entering(_ element: ScopeElement) -> Environment {
    var result = self
    // A group is no element scope.
    if group() != nil { result.chain.removeLast() }
    result.isOfSpread = false
    result.pathBeginsElsewhere = false
    result.chain.append(scopes.count)
    result.scopes.append(element)
    return result
  }

  /// The element `climb` scopes out is `.` once more, and what was `.` is `^`.
  func returning(to climb: Int) -> Environment {
    var result = self
    if climb >= 0, climb < chain.count { result.chain.append(chain[chain.count - 1 - climb]) }
    return result
  }

  /// A scope that the expression itself does not see, as around the left side of `x in path`.
  func enteringUnseen(_ element: ScopeElement) -> Environment {
    var result = self
    result.scopes.append(element)
    return result
  }

  func binding(_ expression: Expression?) -> Binding {
    Binding(expression: expression, chain: chain, lets: lets, arguments: arguments, views: views, aliases: aliases)
  }

  /// Returns the binding of a `let`.
  func binding(of node: LetBinding) -> Binding {
    var result = binding(node.expression)
    result.letName = node.name.range
    return result
  }

  /// Returns whether `^`, `climb` scopes out, leaves the arguments of a step whose path begins with another element.
  func leavesForeignStep(_ climb: Int) -> Bool {
    guard !foreignSteps.isEmpty, climb >= 1, climb <= chain.count else { return false }
    return foreignSteps.contains(chain[chain.count - climb])
  }

  /// The binding of a fragment's variable.
  func binding(_ expression: Expression?, for variable: FragmentVariable) -> Binding {
    var result = binding(expression)
    result.variable = variable
    return result
  }

  /// The same place without names, for what is decided before there are elements: the arguments of the fragment remain.
  var withoutElements: Environment {
    var result = Environment()
    result.scopes = scopes
    result.arguments = arguments
    result.groups = groups
    return result
  }

  /// Where a binding's expression is bound when it is used here.
  func inside(_ binding: Binding) -> Environment {
    var result = Environment()
    result.scopes = scopes
    result.chain = binding.chain
    result.lets = binding.lets
    result.arguments = binding.arguments
    result.matches = matches
    result.views = binding.views
    result.called = called
    result.groups = groups
    result.aliases = binding.aliases
    return result
  }

  /// The entity `climb` visible scopes out; nil where the element is none.
  func element(_ climb: Int = 0) -> EntityReference? {
    guard climb >= 0, climb < chain.count else { return nil }
    if let view = views[chain.count - 1 - climb] {
      return view.reference.shifted(by: scopes.count - view.scopes)
    }
    let index = chain[chain.count - 1 - climb]
    guard case .entity(let type) = scopes[index] else { return nil }
    return .scope(scopes.count - 1 - index, type)
  }

  /// Returns the place around each level of a recursion, whose parents are of the given type.
  ///
  /// The parent is a scope of its own: `.` is the parent of each level, while `let`s and arguments of fragments from
  /// outside of the recursion keep the element that it starts from.
  func repeating(_ type: EntityTypeID) -> Environment {
    var result = self
    if let place = chain.indices.last {
      result.chain[place] = scopes.count
      result.views[place] = nil
    }
    result.scopes.append(.entity(type))
    return result
  }

  /// The same place with the current element seen as another type.
  func viewing(_ reference: EntityReference, as type: EntityTypeID) -> Environment {
    var result = self
    result.views[chain.count - 1] = View(reference: reference, type: type, scopes: scopes.count)
    return result
  }

  /// The grouping whose group is the element `climb` visible scopes out.
  func group(_ climb: Int = 0) -> Int? {
    guard !groups.isEmpty, climb >= 0, climb < chain.count else { return nil }
    return groups[chain[chain.count - 1 - climb]]
  }

  /// What `.` or `^` is, and how many scopes out it stands at run time.
  func scope(_ climb: Int = 0) -> (depth: Int, element: ScopeElement)? {
    guard climb >= 0, climb < chain.count else { return nil }
    let index = chain[chain.count - 1 - climb]
    return (scopes.count - 1 - index, scopes[index])
  }

  var elementType: EntityTypeID? {
    if let view = views[chain.count - 1] { return view.type }
    return if case .entity(let type)? = scope()?.element { type } else { nil }
  }
}

/// The parts that few environments have.
private struct RareParts {
  var arguments: [String: Environment.Binding] = [:]
  var spreads: [SourceRange] = []
  var matches: [Int: [BoundExpression]] = [:]
  var views: [Int: Environment.View] = [:]
  var groups: [Int: Int] = [:]
  var foreignSteps: Set<Int> = []
}

/// A box of rare parts: an environment is copied for each field and expression, and copies one reference to them.
private final class RareBox {
  var parts: RareParts
  init(_ parts: RareParts) { self.parts = parts }
}

extension Environment {
  /// The arguments of the fragment that encloses the place.
  var arguments: [String: Binding] {
    get { rare?.parts.arguments ?? [:] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.arguments = newValue } }
  }

  /// The spreads with arguments around the place, outermost first.
  var spreads: [SourceRange] {
    get { rare?.parts.spreads ?? [] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.spreads = newValue } }
  }

  /// By scope, as an index into `scopes`: the `matches` of the condition that selected its element.
  var matches: [Int: [BoundExpression]] {
    get { rare?.parts.matches ?? [:] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.matches = newValue } }
  }

  /// By place in `chain`: what the element is seen as, where that is not the scope's entity itself: inside `... on T`,
  /// and in the expression of a computed field.
  var views: [Int: View] {
    get { rare?.parts.views ?? [:] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.views = newValue } }
  }

  /// The groupings whose groups, not members, stand for an element here, by its index in `scopes`.
  var groups: [Int: Int] {
    get { rare?.parts.groups ?? [:] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.groups = newValue } }
  }

  /// The scopes of the steps whose path begins with another element than `.`, as indices into `scopes`.
  var foreignSteps: Set<Int> {
    get { rare?.parts.foreignSteps ?? [] }
    set { if rare != nil || !newValue.isEmpty { ownRare().parts.foreignSteps = newValue } }
  }

  /// Returns the box, which no other environment has.
  private mutating func ownRare() -> RareBox {
    if isKnownUniquelyReferenced(&rare), let rare { return rare }
    let own = RareBox(rare?.parts ?? RareParts())
    rare = own
    return own
  }
}
