import GQLBase

/// A GraphQL `Value` or a gqlite expression. Every GraphQL value is one of `.variable`, `.int`, `.float`, `.string`,
/// `.boolean`, `.null`, `.name` (GraphQL's `EnumValue`), `.list` and `.object`.
package struct Expression: Sendable, Equatable {
  package var kind: Kind
  package var range: SourceRange

  package init(_ kind: Kind, at range: SourceRange) {
    self.kind = kind
    self.range = range
  }

  /// The expression without the parentheses around it.
  package var unparenthesized: Expression {
    var expression = self
    while case .parenthesized(let inner) = expression.kind { expression = inner }
    return expression
  }

  package indirect enum Kind: Sendable, Equatable {
    /// The digits as written, with a folded sign (R5).
    case int(String)
    /// The digits as written, with a folded sign (R5).
    case float(String)
    case string(StringLiteral)
    case boolean(Bool)
    case null
    /// A bare name: an enum value, a field, a `let`, a parameter or a root; the binder decides (R15).
    case name(Name)
    case variable(Name)
    case list([Expression])
    case object([ObjectField])
    /// `(e)`, kept so that printing gives the same tree.
    case parenthesized(Expression)
    /// `.` (nil) or `.name` without a base: the current element or its field.
    case current(Name?)
    /// `^`, `^^` …: the number of scopes to climb, at least 1.
    case outer(Int)
    /// `base.name` or `base.name(args)`.
    case member(Expression, Name, CallArguments?)
    /// `base[index]`.
    case index(Expression, Expression)
    /// `name(args)`.
    case call(Name, CallArguments)
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    /// Two or more terms between which `and` stands, or `or`: flat, because generated conditions have thousands.
    case chain(BinaryOperator, [Expression])
    /// `e is null`, `e is not T`: the name is `null` or a type.
    case isTest(Expression, negated: Bool, Name)
    /// `e as T`.
    case cast(Expression, Name)
    /// What stands where no expression could be read; never without an error.
    case missing
  }
}

package struct ObjectField: Sendable, Equatable {
  package var name: Name
  package var value: Expression
  package var range: SourceRange
  package init(name: Name, value: Expression, range: SourceRange) {
    self.name = name
    self.value = value
    self.range = range
  }
}

/// Positional arguments first, then named ones.
package struct CallArguments: Sendable, Equatable {
  package var positional: [Expression]
  package var named: [Argument]
  /// From `(` to `)`.
  package var range: SourceRange
  package init(positional: [Expression], named: [Argument], range: SourceRange) {
    self.positional = positional
    self.named = named
    self.range = range
  }
}

package enum UnaryOperator: String, Sendable, CaseIterable {
  case not
  case minus = "-"
  case plus = "+"
  /// `!x`, the symbolic `not` at prefix level.
  case bang = "!"
}

/// Infix operators; `&&` and `and` are one operator, as are `||` and `or`.
package enum BinaryOperator: String, Sendable, CaseIterable {
  case or, and
  case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
  case match = "=~", notMatch = "!~"
  case `in` = "in", notIn = "not in"
  case like, notLike = "not like", ilike, notIlike = "not ilike"
  case contains, notContains = "not contains"
  case startsWith, notStartsWith = "not startsWith"
  case endsWith, notEndsWith = "not endsWith"
  case matches, notMatches = "not matches"
  case coalesce = "??"
  case closedRange = "..", halfOpenRange = "..<"
  case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%"

  /// Tells whether it is `==`, `!=`, `<`, `<=`, `>` or `>=`.
  var isComparison: Bool {
    [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(self)
  }

  /// Tells whether it tests its left side: a comparison, `in`, `like` or another operator of texts.
  var isTest: Bool {
    switch self {
    case .or, .and, .coalesce, .closedRange, .halfOpenRange, .add, .subtract, .multiply, .divide, .remainder: false
    default: true
    }
  }
}
