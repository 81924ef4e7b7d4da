import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What can be wrong with an operation over a catalog.
package enum BindingProblem: Sendable {
  /// A problem with a name or a value that another language has, and what to write.
  indirect case habit(BindingProblem, Remedy)
  /// `{ Usr { id } }`
  case unknownRoot(name: String, near: [String])
  /// `{ User { nmae } }`
  case unknownField(name: String, type: String, near: [String])
  /// `{ User { x := age.years } }`; the type in words.
  case fieldOfValue(name: String, type: String)
  /// `{ User(where: agee > 1) { id } }`: neither a field, nor a `let`, nor a root.
  case unknownName(name: String, near: [String])
  /// `{ User(orderBy: x) { x := age + 1 } }`; what it stands for is nil where it is too long to repeat.
  case selectionName(name: String, meaning: String?, isComputed: Bool)
  /// `{ User(wher: true) { id } }`
  case unknownArgument(name: String, of: String, near: [String])
  /// `{ User(limit: 1, limit: 2) { id } }`
  case duplicateArgument(name: String)
  /// `{ User { name @skip(if: $a) @skip(if: $b) } }`
  case repeatedDirective(name: String)
  /// `{ User { name(limit: 1) } }`
  case argumentsOnValue(field: String)
  /// `{ let r := User r(limit: 1) { id } }`
  case argumentsOnLet(name: String)
  /// `{ User { name { x } } }`
  case selectionOnValue(field: String)
  /// `{ User }` in the GraphQL dialect.
  case missingSelection(field: String)
  /// `{ user { id } }`; the list is nil for what is no field of a list's elements.
  case missingKey(field: String, keys: [[String]], list: String?)
  /// `{ User { ...Missing } }`
  case unknownFragment(name: String, near: [String])
  /// `fragment A on User { ...A }`
  case fragmentCycle(path: [String])
  /// `fragment F on Usr { id }`
  case unknownType(name: String, near: [String])
  /// `... on Status` where that is an enum; `kind` says what it is.
  case fragmentOnValue(name: String, kind: String)
  /// `{ User { ... on Chat { id } } }`
  case impossibleFragment(condition: String, type: String)
  /// `{ User { n: name n: age } }`
  case conflictingFields(key: String, first: SourceRange, reason: Conflict)
  /// `{ User(limit: $n) { id } }` without a declaration of `$n`.
  case unknownVariable(name: String, near: [String])
  /// `query($a: Int $a: Int) { User { id } }`
  case duplicateVariable(name: String)
  /// `query($u: User) { User { id } }`
  case notInputType(name: String)
  /// `query($f: ChatFilter) { User(where: $f) { id } }`
  case wrongVariableType(name: String, declared: String, expected: String)
  /// `query($a: Int = "x") { User(limit: $a) { id } }`
  case wrongDefault(variable: String, problem: CoercionProblem)
  /// `...F` without an argument that the fragment needs.
  case missingFragmentArgument(fragment: String, name: String)
  /// `{ User @using { id } }`
  case missingDirectiveArgument(directive: String, name: String)
  /// `query @asOf { User { id } }`, or with both arguments.
  case momentNotOne(isMissing: Bool)
  /// `mutation @asOf(version: 3) { … }`
  case pastOfMutation
  /// `subscription @asOf(version: 3) { … }`
  case pastOfSubscription
  /// `_versions` in what a mutation answers, or of an earlier version.
  case versionsOfMutation, versionsOfPast
  /// `{ User @foo { id } }`
  case unknownDirective(name: String, near: [String])
  /// `{ User @using(access: HASH, index: "agee") { id } }`
  case unknownIndex(name: String, type: String, near: [String])
  /// `{ User { name @using(access: SCAN) } }`
  case misplacedDirective(name: String)
  /// `{ User { ...F(a: active) } } fragment F($a: Boolean) on User { id @include(if: $a) }`
  case conditionOfElement(directive: String)
  /// `{ ...* }`
  case misplacedSplat
  /// `{ User(where: age == "x") { id } }`
  case wrongValue(CoercionProblem)
  /// `{ User(where: age) { id } }`
  case wrongType(found: String, expected: String)
  /// `{ User(where: age == name) { id } }`
  case incomparable(left: String, right: String)
  /// `{ User { x := if(active, 1, "a") } }`
  case unlikeTypes(first: String, other: String)
  /// `{ User(where: address < address) { id } }`
  case unordered(type: String)
  /// `{ User(where: name - 1 > 2) { id } }`
  case wrongOperands(symbol: String, left: String, right: String)
  /// `{ User(where: messages.text == "x") { id } }`
  case pluralPath(relation: String, suggestion: String?)
  /// `{ User(where: status == ACTIVE) { id } }` where `ACTIVE` is a field too.
  case ambiguousName(name: String, type: String)
  /// `{ User(where: ^.age > 1) { id } }`
  case noEnclosingElement(climbed: Int)
  /// `{ x := .age }`
  case noElement
  /// `{ User(where: name =~ "(") { id } }`
  case invalidPattern(message: String)
  /// `{ User(limit: -1) { id } }`
  case negativeLimit(argument: String)
  /// `{ User { x := lenght(name) } }`
  case unknownFunction(name: String, near: [String])
  /// `{ User() { name } }`
  case emptyArguments(name: String)
  /// `{ User { x := lower() } }`
  case wrongArgumentCount(function: String, expected: String)
  /// `{ User { n: count(age) } }`
  case notASet(function: String)
  /// `{ User(where: name as Foo == 1) { id } }`
  case impossibleCast(from: String, to: String)
  /// `type A { id: ID! n: Int @computed(as: "n + 1") }`
  case computedCycle(field: String)
  /// `type A { id: ID! b: B @computed(as: "1") }`
  case wrongComputed(field: String, expected: String, found: String)
  /// `{ User(where: {age: 5}) { id } }`
  case wrongFilter(expected: String)
  /// `{ User(where: {age: {gtt: 5}}) { id } }`
  case unknownOperator(name: String, type: String, near: [String])
  /// `{ User(orderBy: messages) { id } }`
  case wrongOrder
  /// `{ User(orderBy: "age") { id } }`, `{ User(groupBy: {a: "age"}) { a } }`, `{ User(where: "age" == "x") { id } }`:
  /// what is the same for every element, in words.
  case constantTerm(String)
  /// `{ User(orderBy: {age: DESCENDING}) { id } }`
  case wrongDirection(word: String)
  /// `{ User(orderBy: [age desc]) { id } }`; the term as it is written, nil where that is too long to repeat.
  case directionBehind(word: String, term: String?)
  /// `{ __schema { n := 1 } }`: introspection has fields only.
  case misplacedComputation
  /// `{ x := 1..2 }`: a range anywhere but behind `in`.
  case misplacedRange
  /// Fragments or `let`s that expand to more than the limit.
  case expansionLimit(limit: Int)
  /// More response keys in one object than the limit.
  case fieldLimit(limit: Int)
  /// Expressions, selections or `let`s deeper inside each other than the limit.
  case depthLimit(limit: Int)
  /// `mutation { inserUser(data: {id: "1"}) }`
  case unknownMutation(name: String, near: [String])
  /// `mutation { deleteNamed(all: true) }` where `Named` is an interface: what changes is of one type.
  case abstractMutation(name: String, type: String, types: [String])
  /// `mutation { insertUser }`
  case missingFieldArgument(field: String, name: String)
  /// `mutation { insertUser(data: {id: "1", address: {}}) }` where the address needs a city.
  case missingInputField(name: String, type: String)
  /// `{age: {gt: 1}, age: {lt: 3}}`
  case duplicateField(name: String)
  /// `mutation { insertNote(data: {id: "1", about: {id: "2"}}) }` where `about` leads to an interface.
  case missingTypename(type: String, members: [String])
  /// `mutation { deleteUser }`
  case unconditionalChange(verb: String, type: String)
  /// `mutation { upsertUser(data: {id: "1"}, on: [age]) }`
  case notUnique(fields: [String], type: String, keys: [[String]])
  /// `{ User { messages @recurse { id } } }`; the source is nil at the root.
  case notRecursive(field: String, source: String?, target: String)
  /// `{ User { friends @recurse { id friends { id } } } }`
  case recursionKey(key: String)
  /// `{ User { friends @recurse(depth: 0) { id } } }`
  case wrongDepth(minimum: Int)
  /// `{ User { n: count(closure(name)) } }`
  case needsRelation(function: String)
  /// `{ User { _depth } }`
  case misplacedMeta(name: String)
  /// `{ User { c: closure(friends, after: "x") { id } } }`
  case noCursor(of: String)
  /// `func f(x: Int): Int = f(x)`
  case recursiveFunction(path: [String])
  /// `func lower(x: Int): Int = x`
  case reservedFunction(name: String)
  /// `func f(x: Address): Int = 1`
  case notFunctionType(name: String)
  /// A feature of the language that this version does not run.
  case notSupportedYet(NotSupportedYet)
  /// `{ User { _score } }`: nothing that could be scored selects the element.
  case scoreWithoutMatches
  /// `{ User { x := highlight(name) } }`: nothing is searched for.
  case highlightWithoutMatches
  /// `{ User(where: . matches "x") { id } }` over a type with no full-text index, or with several.
  case ambiguousFullText(type: String, indexes: [String])
  /// `{ User(where: name matches "...") { id } }`: a query without a word, a warning.
  case emptyTextQuery

  // MARK: Of documents

  /// `fragment F on User { id }` that nothing spreads: an error in the GraphQL dialect, else a warning.
  case unusedFragment(name: String)
  /// `func f(x: Int): Int = x` that nothing calls: a warning.
  case unusedFunction(name: String)
  /// `query($a: Int) { User { id } }`: an error in the GraphQL dialect, else a warning.
  case unusedVariable(name: String)
  /// `{ Team(where: every(members, age > 1)) { id } }` without `exists(members)` beside it: a warning.
  case unbackedEvery(relation: String)
  /// `{ User { let name := 1 name } }`: a warning.
  case letLikeField(name: String, type: String)
  /// `{ Team { x := ^.cities(where: name == ^.name) } }`: the second `^` is the team, a warning.
  case elementOfPlace(climbed: Int)
  /// Two operations or two fragments of one name.
  case duplicateDefinition(name: String, first: SourceRange)
  /// `{ User { id } } query B { User { id } }`: an error in the GraphQL dialect.
  case loneAnonymous

  // MARK: Of groups

  /// `{ User(groupBy: city) { name } }`: a field of the members outside of an aggregate.
  case notAKey(name: String, isValue: Bool)
  /// `{ User { _items { id } } }`: what only groups have.
  case outsideGroup(String)
  /// `{ User(groupBy: age + 1) { id } }`
  case wrongGroupKey(GroupKeyFault)
  /// `{ User(groupBy: city, distinctOn: city) { city } }`
  case notWithGrouping(argument: String)
  /// `{ n: count(User(groupBy: city)) }`
  case misplacedGrouping
  /// `{ User(groupBy: city, having: {city: {eq: "x"}}) { city } }`
  case filterOfGroup
  /// `{ User(groupBy: city) { x := . } }`
  case groupAsValue

  /// Returns the problem of a root or a relation that is called as a function.
  static func called(_ name: String, isEmpty: Bool) -> BindingProblem {
    isEmpty ? .emptyArguments(name: name) : .unknownFunction(name: name, near: [])
  }

  /// Returns the problem that an operation which is no query cannot be of the past.
  static func past(of operation: OperationType) -> BindingProblem {
    operation == .mutation ? .pastOfMutation : .pastOfSubscription
  }

  package enum GroupKeyFault: Sendable, Hashable { case unnamed, duplicate(String), reserved(String), many }
  package enum Conflict: Sendable, Hashable { case names(String, String), arguments, shapes }
}
