/// What people type who come from SQL, a GraphQL server, MongoDB, jq or another language, where gqlite's grammar has a
/// form of its own. `docs/habits.md` has a row for each.
package enum SyntaxHabit: String, Sendable, Equatable, CaseIterable {
  // MARK: SQL

  /// `SELECT name FROM Person`
  case statement
  /// `ORDER BY age`, `LIMIT 5`, `where age > 30`
  case clause
  /// `Person(age > 30)`
  case conditionAlone
  /// `age BETWEEN 20 AND 30`
  case between
  /// `age in (20, 30)`
  case listInParentheses
  /// `orderBy: age desc`, `orderBy: desc age`, `orderBy: age NULLS FIRST`
  case directionAfterTerm
  /// `count(DISTINCT level)`
  case distinctInCall
  /// `DATE '1990-01-01'`
  case typedLiteral
  /// `CASE WHEN a THEN b ELSE c END`
  case caseExpression
  /// `:min`, `@min`, `?`
  case parameter
  /// `-- text`, `// text`, `/* text */`
  case comment

  /// `exists(SELECT 1 FROM Team)`
  case subquery
  /// `name REGEXP "b"`, `quota gt 1`, `name starts with "B"`
  case wordOperator
  /// `name COLLATE NOCASE`
  case collation
  /// `CAST(age AS TEXT)`
  case typeCast
  /// `EXTRACT(YEAR FROM born)`
  case timePart
  /// `set: name = "x"`, `set: {quota += 1}`
  case assignment
  /// `.tables`, `SHOW TABLES`, `DESCRIBE Team`, `EXPLAIN SELECT …`
  case shellCommand

  // MARK: GraphQL servers

  /// `query(min: Int)`
  case missingDollar
  /// `query($min)`
  case missingType
  /// `Person limit: 3 { name }`
  case argumentsOutside
  /// `Person { name }` without braces around it
  case missingBraces

  // MARK: MongoDB and jq

  /// `db.Person.find({age: 30})`, `.[] | .name`
  case pipeline
  /// `{$gt: 5}`
  case dollarKey
  /// `{age: > 30}`
  case comparisonInObject
  /// `{"address.city": "Paris"}`
  case pathAsKey
  /// `{ "Person": { … } }`
  case quotedSelection

  // MARK: Other languages

  /// `===`, `!==`
  case tripleEquals
  /// `=>`, `=<`
  case reversedComparison
  /// `p => p.age > 30`
  case closure
  /// `a ? b : c`
  case ternary
  /// `team?.name`
  case optionalChain
  /// `age ** 2`
  case power
  /// `age // 2`
  case wholeDivision
  /// `age >= 20 and <= 30`
  case halfComparison
  /// `/b/i`
  case regularExpression
  /// `Person[0]`
  case indexedSelection

  var message: String {
    switch self {
    case .statement: "a statement of SQL is no document"
    case .clause: "an argument is written 'name: value'"
    case .conditionAlone: "a condition stands in the argument 'where'"
    case .between: "'between' is no operator"
    case .listInParentheses: "a list stands in brackets"
    case .directionAfterTerm: "a direction does not stand beside what it orders"
    case .distinctInCall: "'distinct' is a function"
    case .typedLiteral: "a literal has the type that its place wants"
    case .caseExpression: "'case' is no expression"
    case .parameter: "a variable begins with '$'"
    case .comment: "a comment begins with '#'"
    case .subquery: "a list stands in an expression by its name"
    case .wordOperator: "this word is no operator"
    case .collation: "'collate' is a function"
    case .typeCast: "a cast is a function"
    case .timePart: "a part of a time is a function"
    case .assignment: "new values stand in an object"
    case .shellCommand: "a command of a database's shell is no document"
    case .missingDollar: "a variable begins with '$'"
    case .missingType: "a variable needs a type"
    case .argumentsOutside: "arguments stand in parentheses"
    case .missingBraces: "a document begins with a brace"
    case .pipeline: "this is no document"
    case .dollarKey: "the key of an object begins with a letter"
    case .comparisonInObject: "a comparison in an object is an object"
    case .pathAsKey: "the key of an object is a name, and a path is objects in each other"
    case .quotedSelection: "a field stands without quotation marks"
    case .tripleEquals: "equality has two signs"
    case .reversedComparison: "the equals sign stands last"
    case .closure: "a condition is no function"
    case .ternary: "'?' is no operator"
    case .optionalChain: "a path needs no '?', and is null over a missing link"
    case .power: "'**' is no operator"
    case .wholeDivision: "'//' is no operator"
    case .halfComparison: "each comparison has two sides"
    case .regularExpression: "a regular expression is a text"
    case .indexedSelection: "a field takes arguments, no index"
    }
  }

  /// What is to be typed where the user's own text is too long, or not understood, to be repeated.
  var help: String {
    switch self {
    case .statement, .pipeline: "write '{ Person(where: …) { … } }'"
    case .clause: "write 'name: value'"
    case .conditionAlone: "write 'where: …'"
    case .between: "write 'in low..high'"
    case .listInParentheses: "write '[…]'"
    case .directionAfterTerm: "write 'desc(…)'"
    case .distinctInCall: "write 'distinct(…)'"
    case .typedLiteral: "leave out the type"
    case .caseExpression, .ternary: "write 'if(condition, value, else)'"
    case .parameter: "write '$name', and declare it: 'query($name: Int)'"
    case .comment: "write '#'"
    case .subquery: "write 'Person(where: …)'"
    case .wordOperator: "write '=='"
    case .collation: "write 'collate(name, CI)'"
    case .typeCast: "write 'int(…)', 'string(…)' or '… as Date'"
    case .timePart: "write 'year(…)'"
    case .assignment: "write '{name: …}'"
    case .shellCommand: "write '{ __schema { types { name } } }'"
    case .missingDollar: "write '$name'"
    case .missingType: "write '$name: Int', or another type"
    case .argumentsOutside: "write 'field(limit: 3)'"
    case .missingBraces: "write '{ … }'"
    case .dollarKey: "leave out the '$'"
    case .comparisonInObject: "write '{gt: …}'"
    case .pathAsKey: "write 'a: {b: {eq: …}}'"
    case .quotedSelection: "put the name in backquotes"
    case .tripleEquals: "write '=='"
    case .reversedComparison: "write '>='"
    case .closure: "leave out the arrow and what is before it, and write '.field' for the element's field"
    case .optionalChain: "leave it out"
    case .power: "write 'pow(base, exponent)'"
    case .wholeDivision: "write 'div(a, b)'"
    case .halfComparison: "write 'a >= 1 and a <= 2'"
    case .regularExpression: "put it in quotation marks"
    case .indexedSelection: "write '(offset: …, limit: 1)'"
    }
  }
}
