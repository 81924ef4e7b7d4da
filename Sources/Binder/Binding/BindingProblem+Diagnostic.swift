import GQLBase

extension BindingProblem {
  /// Every code that an operation's problems carry, but for those of values (``CoercionProblem/codes``).
  package static let codes: [DiagnosticCode] = [
    "unknown-field", "unknown-name", "unknown-argument", "duplicate-argument", "arguments-on-value",
    "selection-on-value", "missing-selection", "missing-key", "unknown-fragment", "fragment-cycle", "unknown-type",
    "impossible-fragment", "conflicting-fields", "unknown-variable", "duplicate-variable", "not-input-type",
    "wrong-variable-type", "wrong-default", "missing-argument", "unknown-directive", "unknown-index",
    "misplaced-directive", "misplaced-versions", "misplaced-splat", "wrong-type", "incomparable-types",
    "unordered-type", "wrong-operands",
    "plural-path",
    "ambiguous-name", "no-element", "invalid-pattern", "negative-limit", "unknown-function", "not-a-set",
    "impossible-cast", "wrong-filter", "unknown-operator", "wrong-order", "constant-term",
    "expansion-limit", "field-limit",
    "misplaced-range", "misplaced-computation", "depth-limit", "not-supported-yet", "unused-fragment",
    "unused-variable", "unbacked-every", "let-like-field", "element-of-place",
    "duplicate-definition", "lone-anonymous", "recursive-function", "reserved-function", "unused-function",
    "score-without-matches", "no-full-text-index", "empty-text-query",
    "computed-cycle", "wrong-computed",
    "unknown-mutation", "missing-value", "unconditional-change", "not-unique",
    "not-recursive", "wrong-depth", "misplaced-meta", "no-cursor",
    "not-a-key", "outside-group", "wrong-group-key", "wrong-grouping",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    if case .wrongValue(let problem) = self { return problem.code }
    if case .habit(let problem, _) = self { return problem.code }
    let name =
      switch self {
      case .unknownRoot, .unknownField, .fieldOfValue, .habit: "unknown-field"
      case .unknownName, .selectionName: "unknown-name"
      case .unknownArgument: "unknown-argument"
      case .duplicateArgument, .duplicateField: "duplicate-argument"
      case .repeatedDirective: "repeated-directive"
      case .argumentsOnValue, .argumentsOnLet: "arguments-on-value"
      case .selectionOnValue: "selection-on-value"
      case .missingSelection: "missing-selection"
      case .missingKey: "missing-key"
      case .unknownFragment: "unknown-fragment"
      case .fragmentCycle: "fragment-cycle"
      case .unknownType, .missingTypename: "unknown-type"
      case .impossibleFragment, .fragmentOnValue: "impossible-fragment"
      case .conflictingFields: "conflicting-fields"
      case .unknownVariable: "unknown-variable"
      case .duplicateVariable: "duplicate-variable"
      case .notInputType, .notFunctionType: "not-input-type"
      case .recursiveFunction: "recursive-function"
      case .reservedFunction: "reserved-function"
      case .unusedFunction: "unused-function"
      case .wrongVariableType: "wrong-variable-type"
      case .wrongDefault: "wrong-default"
      case .missingFragmentArgument, .missingDirectiveArgument, .missingFieldArgument, .wrongArgumentCount:
        "missing-argument"
      case .unknownMutation, .abstractMutation: "unknown-mutation"
      case .missingInputField: "missing-value"
      case .unconditionalChange: "unconditional-change"
      case .notUnique: "not-unique"
      case .unknownDirective: "unknown-directive"
      case .unknownIndex: "unknown-index"
      case .misplacedDirective, .pastOfMutation, .pastOfSubscription: "misplaced-directive"
      case .versionsOfMutation, .versionsOfPast: "misplaced-versions"
      case .momentNotOne(let isMissing): isMissing ? "missing-argument" : "duplicate-argument"
      case .misplacedSplat: "misplaced-splat"
      case .notRecursive: "not-recursive"
      case .recursionKey: "conflicting-fields"
      case .wrongDepth: "wrong-depth"
      case .needsRelation: "not-a-set"
      case .misplacedMeta: "misplaced-meta"
      case .noCursor: "no-cursor"
      case .wrongType, .wrongValue, .unlikeTypes: "wrong-type"
      case .incomparable: "incomparable-types"
      case .unordered: "unordered-type"
      case .wrongOperands: "wrong-operands"
      case .pluralPath: "plural-path"
      case .ambiguousName: "ambiguous-name"
      case .noEnclosingElement, .noElement, .conditionOfElement: "no-element"
      case .invalidPattern: "invalid-pattern"
      case .negativeLimit: "negative-limit"
      case .unknownFunction, .emptyArguments: "unknown-function"
      case .notASet: "not-a-set"
      case .impossibleCast: "impossible-cast"
      case .computedCycle: "computed-cycle"
      case .wrongComputed: "wrong-computed"
      case .wrongFilter: "wrong-filter"
      case .unknownOperator: "unknown-operator"
      case .wrongOrder, .wrongDirection, .directionBehind: "wrong-order"
      case .constantTerm: "constant-term"
      case .misplacedRange: "misplaced-range"
      case .misplacedComputation: "misplaced-computation"
      case .expansionLimit: "expansion-limit"
      case .fieldLimit: "field-limit"
      case .depthLimit: "depth-limit"
      case .notSupportedYet: "not-supported-yet"
      case .unusedFragment: "unused-fragment"
      case .unusedVariable: "unused-variable"
      case .unbackedEvery: "unbacked-every"
      case .letLikeField: "let-like-field"
      case .elementOfPlace: "element-of-place"
      case .duplicateDefinition: "duplicate-definition"
      case .loneAnonymous: "lone-anonymous"
      case .scoreWithoutMatches, .highlightWithoutMatches: "score-without-matches"
      case .ambiguousFullText: "no-full-text-index"
      case .emptyTextQuery: "empty-text-query"
      case .notAKey, .groupAsValue: "not-a-key"
      case .outsideGroup: "outside-group"
      case .wrongGroupKey: "wrong-group-key"
      case .notWithGrouping, .misplacedGrouping, .filterOfGroup: "wrong-grouping"
      }
    return DiagnosticCode(name)
  }

  private var message: String {
    switch self {
    case .habit(let problem, _): problem.message
    case .unknownRoot(let name, _): "there is no type or root field '\(name)'"
    case .unknownField(let name, let type, _): "'\(type)' has no field '\(name)'"
    case .fieldOfValue(let name, let type): "\(type) has no field '\(name)'"
    case .unknownName(let name, _): "'\(name)' is no field, 'let' or type here"
    case .selectionName(let name, _, isComputed: true):
      "'\(name)' is the name of a selection, which is not seen here"
    case .selectionName(let name, _, isComputed: false):
      "'\(name)' is the name of a field in the answer, which is not seen here"
    case .unknownArgument(let name, let of, _): "'\(of)' has no argument '\(name)'"
    case .duplicateArgument(let name): "the argument '\(name)' stands here twice"
    case .repeatedDirective(let name): "'@\(name)' stands here twice"
    case .duplicateField(let name): "the field '\(name)' stands twice in this object"
    case .argumentsOnValue(let field): "'\(field)' is a value and takes no arguments"
    case .argumentsOnLet(let name): "'\(name)' is a 'let' and takes no arguments"
    case .selectionOnValue(let field): "'\(field)' is a value and has no fields"
    case .missingSelection(let field): "'\(field)' needs a selection of fields"
    case .missingKey(let field, _, _): "'\(field)' needs a key"
    case .unknownFragment(let name, _): "there is no fragment '\(name)'"
    case .fragmentCycle(let path): "fragment spreads itself: \(path.joined(separator: " → "))"
    case .unknownType(let name, _): "there is no type '\(name)'"
    case .fragmentOnValue(let name, let kind): "'\(name)' is \(kind), and fragments are on types with fields"
    case .missingTypename(let type, _): "this object does not say which type of '\(type)' it is"
    case .impossibleFragment(let condition, let type): "'\(type)' is never '\(condition)'"
    case .conflictingFields(let key, _, .names(let first, let second)):
      "'\(key)' is both '\(first)' and '\(second)'"
    case .conflictingFields(let key, _, .arguments): "'\(key)' is selected twice with different arguments"
    case .conflictingFields(let key, _, .shapes): "'\(key)' is selected twice as different things"
    case .unknownVariable(let name, _): "the variable '$\(name)' is not declared"
    case .duplicateVariable(let name): "the variable '$\(name)' is declared twice"
    case .recursiveFunction(let path):
      "'\(path.last ?? "")' calls itself: \(path.drop { $0 != path.last }.joined(separator: " → "))"
    case .reservedFunction(let name): "there is a function '\(name)' already"
    case .notFunctionType(let name): "'\(name)' cannot be the type of a parameter or a result"
    case .unusedFunction(let name): "function '\(name)' is never called"
    case .notInputType(let name): "'\(name)' cannot be the type of a variable"
    case .wrongVariableType(let name, let declared, let expected):
      "'$\(name)' is \(declared), but \(expected) is wanted here"
    case .wrongDefault(let variable, let problem): "wrong default of '$\(variable)': \(problem.message)"
    case .missingFragmentArgument(let fragment, let name): "fragment '\(fragment)' needs the argument '\(name)'"
    case .missingDirectiveArgument(let directive, let name): "'@\(directive)' needs the argument '\(name)'"
    case .unknownDirective(let name, _): "there is no directive '@\(name)'"
    case .unknownIndex(let name, let type, _): "'\(type)' has no index '\(name)'"
    case .misplacedDirective(let name): "'@\(name)' cannot stand here"
    case .momentNotOne(true): "'@asOf' needs a 'version' or a 'time'"
    case .momentNotOne(false): "'@asOf' takes a 'version' or a 'time', not both"
    case .pastOfMutation: "a mutation changes the newest version: '@asOf' cannot stand here"
    case .pastOfSubscription: "a subscription follows the newest version: '@asOf' cannot stand here"
    case .versionsOfMutation: "versions are read of what is committed, which a mutation is not yet: query them after it"
    case .versionsOfPast: "versions are those up to now: '@asOf' cannot stand over them; compare '_version' instead"
    case .notRecursive(let field, nil, _): "'\(field)' at the root cannot repeat itself"
    case .notRecursive(let field, let source?, let target) where source == target:
      "'\(field)' cannot repeat itself from an element further out"
    case .notRecursive(let field, let source?, let target):
      "'\(field)' leads from '\(source)' to '\(target)' and cannot repeat itself"
    case .recursionKey(let key): "'\(key)' stands in its own recursion, which puts it there itself"
    case .wrongDepth(let minimum):
      minimum == 0 ? "a depth cannot be negative" : "a recursion has at least one level"
    case .needsRelation(let function): "'\(function)' needs a relation to repeat"
    case .misplacedMeta("_cursor"): "'_cursor' can only be selected"
    case .misplacedMeta("_inserted"): "'_inserted' has a meaning only in what an insert or an upsert answers"
    case .misplacedMeta(let name): "'\(name)' can only be selected, inside '@recurse' and 'closure'"
    case .noCursor(let set): "\(set) has no cursors"
    case .conditionOfElement(let directive):
      "'@\(directive)' is decided once for a run, but this depends on an entity"
    case .misplacedSplat: "a splat stands for the fields of a type, and the root is none"
    case .wrongValue(let problem): problem.message
    case .wrongType(let found, let expected): "expected \(expected), found \(found)"
    case .incomparable(let left, let right): "\(left) cannot be compared with \(right)"
    case .unlikeTypes(let first, let other): "one of these is \(first), the other \(other): no type has both"
    case .unordered(let type): "\(type) has no order"
    case .wrongOperands(let symbol, let left, let right): "'\(symbol)' does not take \(left) and \(right)"
    case .pluralPath(let relation, _): "'\(relation)' is many, where one value is wanted"
    case .ambiguousName(let name, let type): "'\(name)' is a value of '\(type)' and a name in scope"
    case .noEnclosingElement(let climbed): "nothing encloses this place\(climbed == 1 ? "" : " so far out")"
    case .noElement: "there is no current element here"
    case .invalidPattern(let message): "invalid pattern: \(message)"
    case .negativeLimit(let argument): "'\(argument)' cannot be negative"
    case .unknownFunction(let name, _): "there is no function '\(name)'"
    case .emptyArguments(let name): "'\(name)' is no function, and has no arguments in its parentheses"
    case .wrongArgumentCount(let function, let expected): "'\(function)' takes \(expected)"
    case .notASet(let function): "'\(function)' needs a relation, a type or a list"
    case .impossibleCast(let from, let to): "\(from) cannot become \(to)"
    case .computedCycle(let field): "'\(field)' is computed from itself"
    case .wrongComputed(let field, let expected, let found): "'\(field)' is \(expected), but its expression is \(found)"
    case .wrongFilter(let expected): "expected \(expected) in a filter"
    case .unknownOperator(let name, let type, _): "\(type) has no operator '\(name)'"
    case .wrongOrder: "'orderBy' takes fields and expressions, '-' before descending ones"
    case .constantTerm(let what): "this is \(what), which is the same for every element"
    case .wrongDirection(let word): "'\(word)' is no direction: these are ASC and DESC"
    case .directionBehind(let word, _): "'\(word)' is read as a term of its own here"
    case .misplacedRange: "a range can only stand after 'in'"
    case .misplacedComputation: "introspection has fields only, nothing is computed in it"
    case .expansionLimit(let limit): "the operation expands to more than \(limit) nodes"
    case .fieldLimit(let limit): "more than \(limit) fields in one selection"
    case .depthLimit(let limit): "nested deeper than \(limit) levels"
    case .unknownMutation(let name, _): "there is no mutation '\(name)'"
    case .abstractMutation(let name, let type, _):
      "there is no mutation '\(name)', because '\(type)' is seen, and its types are changed"
    case .missingFieldArgument(let field, let name): "'\(field)' needs the argument '\(name)'"
    case .missingInputField(let name, let type): "'\(type).\(name)' is non-null and has no value"
    case .unconditionalChange(let verb, let type): "this would \(verb) every '\(type)'"
    case .notUnique(let fields, let type, _):
      "no unique index of '\(type)' is over \(fields.isEmpty ? "no field" : fields.map { "'\($0)'" }.joined(separator: ", "))"
    case .notSupportedYet(let feature): feature.message
    case .unusedFragment(let name): "fragment '\(name)' is never used"
    case .unusedVariable(let name): "variable '$\(name)' is never used"
    case .unbackedEvery(let relation): "'every' is true too where there are no '\(relation)'"
    case .letLikeField(let name, let type): "the let '\(name)' has the name of a field of '\(type)'"
    case .elementOfPlace(let climb):
      "'\(String(repeating: "^", count: climb))' is the element that the path is written in, not the one it begins with"
    case .duplicateDefinition(let name, _): "'\(name)' is defined twice"
    case .loneAnonymous: "an anonymous operation must be the only one"
    case .scoreWithoutMatches: "'_score' needs a 'matches' over stored fields in the 'where' of its selection"
    case .highlightWithoutMatches: "'highlight' needs a 'matches' in the 'where' of its selection"
    case .ambiguousFullText(let type, let indexes):
      indexes.isEmpty ? "'\(type)' has no full-text index" : "'\(type)' has \(indexes.count) full-text indexes"
    case .emptyTextQuery: "a query without a word to look for finds nothing"
    case .notAKey(let name, _): "'\(name)' is no key of the group"
    case .outsideGroup(let what): "'\(what)' belongs to groups, and nothing is grouped here"
    case .wrongGroupKey(.unnamed): "a key that is no path needs a name"
    case .wrongGroupKey(.duplicate(let name)): "two keys are called '\(name)'"
    case .wrongGroupKey(.reserved(let name)): "no key can be called '\(name)'"
    case .wrongGroupKey(.many): "a key must be one value for each member"
    case .notWithGrouping(let argument): "'\(argument)' cannot stand beside 'groupBy'"
    case .misplacedGrouping: "'groupBy' stands in the arguments of a selected field of many only"
    case .filterOfGroup: "a condition on groups is an expression over keys and aggregates, no object"
    case .groupAsValue: "a group is no entity"
    }
  }

  private var help: String? {
    switch self {
    case .habit(_, let remedy): remedy.help
    case .unknownRoot(_, let near), .unknownField(_, _, let near), .unknownName(_, let near),
      .unknownArgument(_, _, let near), .unknownFragment(_, let near), .unknownType(_, let near),
      .unknownVariable(_, let near), .unknownDirective(_, let near), .unknownIndex(_, _, let near),
      .unknownFunction(_, let near), .unknownOperator(_, _, let near), .unknownMutation(_, let near):
      didYouMean(near)
    case .selectionName(let name, let meaning, isComputed: true):
      "repeat the expression, or put 'let \(name) := \(meaning ?? "…")' before it in the selection"
    case .selectionName(_, let meaning, isComputed: false): meaning.map { "write '\($0)'" }
    case .unconditionalChange: "add 'all: true' if that is meant"
    case .abstractMutation(_, _, let types):
      types.isEmpty ? nil : "change " + types.map { "'\($0)'" }.joined(separator: " and ")
    case .missingTypename(_, let members):
      members.first.map { "add '__typename: \"\($0)\"'" + (members.count > 1 ? ", or another of its types" : "") }
    case .notUnique(_, _, let keys):
      "unique are: " + keys.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
    case .missingKey(_, let keys, let list):
      [
        keys.isEmpty
          ? nil : "give one of: " + keys.map { $0.map { "\($0):" }.joined(separator: " ") }.joined(separator: ", or "),
        list.map { "write '\($0) { … }' for the list" },
      ].compactMap(\.self).joined(separator: ", or ")
    case .wrongValue(let problem), .wrongDefault(_, let problem): problem.help
    case .pluralPath(_, let suggestion):
      suggestion.map { "did you mean '\($0)'?" } ?? "use some(…), every(…) or an aggregate"
    case .ambiguousName(let name, let type): "write '.\(name)' for the field or '\(type).\(name)' for the value"
    case .unbackedEvery(let relation): "if that is not meant, write 'exists(\(relation)) and' before it"
    case .letLikeField(let name, _):
      "selected, '\(name)' is the field, and in an expression it is the let; rename it: 'let \(name)Value := …'"
    case .elementOfPlace: "if the other is meant, name its value by a 'let' before the path"
    case .ambiguousFullText(_, let indexes):
      indexes.isEmpty
        ? "name the field, or declare one with @fulltext(fields: […])"
        : "name the field; the indexes are " + indexes.map { "'\($0)'" }.joined(separator: ", ")
    case .directionBehind(_, let term): term.map { "write '\($0)'" }
    case .constantTerm: "write the name of a field, or an expression over fields"
    case .wrongFilter: "a condition is written {age: {gte: 18}}"
    case .wrongDirection(let word) where ["ASC", "DESC"].contains(word.uppercased()): "write '\(word.uppercased())'"
    case .notAKey(_, isValue: false): "aggregate it, or select it in '_items'"
    case .notAKey(let name, isValue: true): "add it to 'groupBy', or take one member's with first(\(name))"
    case .outsideGroup: "'groupBy' makes groups"
    case .wrongGroupKey(.unnamed): "write {name: expression}"
    case .wrongGroupKey(.many): "count or aggregate it"
    case .groupAsValue: "its keys and aggregates are values, its members are '_items'"
    case .expansionLimit: "the limit 'expansion' can be raised"
    case .fieldLimit: "the limit 'fields' can be raised"
    case .depthLimit(let limit):
      limit < BindingOptions.Limits().depth ? "the limit 'nesting' can be raised" : "the limit cannot be higher"
    case .notRecursive(_, let source, let target) where source == target: "select it of the element itself"
    case .notRecursive(_, _, let target): "repeat a relation from '\(target)' to '\(target)'"
    case .recursionKey: "leave it out, or give one of the two another name"
    case .noCursor: "page it with 'limit' and 'offset'"
    case .wrongComputed(_, _, found: Binder.onlyMember): "follow relations to one, or declare a list of one"
    default: nil
    }
  }

  /// The problem without what to write.
  private var bare: BindingProblem {
    if case .habit(let problem, _) = self { return problem }
    return self
  }

  /// The name that most likely was meant.
  private var replacement: String? {
    switch self {
    case .unknownRoot(_, let near), .unknownField(_, _, let near), .unknownName(_, let near),
      .unknownArgument(_, _, let near), .unknownFragment(_, let near), .unknownType(_, let near),
      .unknownDirective(_, let near), .unknownFunction(_, let near), .unknownOperator(_, _, let near),
      .unknownMutation(_, let near):
      near.first
    case .pluralPath(_, let suggestion): suggestion
    case .selectionName(_, let meaning, isComputed: false): meaning
    case .wrongDirection(let word) where ["ASC", "DESC"].contains(word.uppercased()): word.uppercased()
    default: nil
    }
  }

  package func diagnostic(
    at range: SourceRange, severity: Diagnostic.Severity = .error
  ) -> Diagnostic {
    var result = Diagnostic(code, severity: severity, message, at: range, help: help)
    if case .habit(_, let remedy) = self, !remedy.edits.isEmpty {
      result.fixIts.append(Diagnostic.FixIt(remedy.help, remedy.edits))
    }
    if let replacement {
      result.fixIts.append(Diagnostic.FixIt("write '\(replacement)'", [Diagnostic.FixIt.Edit(range, replacement)]))
    }
    switch bare {
    case .ambiguousName(let name, let type):
      for text in [".\(name)", "\(type).\(name)"] {
        result.fixIts.append(Diagnostic.FixIt("write '\(text)'", [Diagnostic.FixIt.Edit(range, text)]))
      }
    case .conflictingFields(_, let first, _), .duplicateDefinition(_, let first):
      result.notes.append(Diagnostic.Note("the first one", range: first))
    default: break
    }
    return result
  }
}
