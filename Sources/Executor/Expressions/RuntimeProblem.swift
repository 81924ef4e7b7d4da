import GQLBase
import GQLCatalog
import GQLRegex

/// What can go wrong while a plan runs.
package struct RuntimeProblem: Error, Sendable, Equatable {
  package enum Kind: Sendable, Hashable {
    /// `age * 9223372036854775807`: the result has no place in its type.
    case overflow(ScalarType)
    /// An Int of the answer that GraphQL's 32 bits do not hold, where they are asked for.
    case wideInt
    /// `1 / (age - age)`
    case divisionByZero
    /// `name as Int` where the name is `Ada`.
    case conversion(to: ValueType)
    /// `name =~ $p` where `$p` is no pattern; the offset is into the pattern.
    case invalidPattern(message: String, offset: Int)
    /// `text =~ "(a+)+$"`: matching took more than the pattern limits allow.
    case patternLimit(PatternLimit)
    /// A limit of `limits.md`, by its name there.
    case limitExceeded(name: String, limit: Int)
    /// `limit: $n` where the variable is -1; the argument is `limit` or `offset`.
    case negativeLimit(argument: String)
    /// `named(id: "7")` where two members of the interface have that id.
    case ambiguousLink(EntityTypeID)
    /// A parameter that must not be null was not given a value.
    case missingParameter(name: String)
    /// `closure(friends, depth: 1..$n)` where the variable is -1; or less than the least depth of a recursion.
    case wrongDepth(minimum: Int)
    /// An argument of a fragment is null, and its variable is non-null.
    case nullArgument
    /// `User(after: "abc")`: no cursor of this list.
    case invalidCursor(CursorFault)
    case timeout(milliseconds: Int)
    case cancelled
    case memory(limit: Int)
    /// `sqrt(0 - 1)`: no number is the result.
    case outOfDomain
    /// `round(x, 40)`: more places than a number has, in either direction.
    case roundingPlaces(limit: Int)
    /// `day + "PT1H"` where `day` is a Date.
    case partialDay
    /// A function of the embedding program threw.
    case function(name: String, message: String)

    /// Whether it is a matter of the one element's values, so that `try` gives null for it.
    package var isOfOneRow: Bool {
      switch self {
      case .overflow, .wideInt, .divisionByZero, .conversion, .invalidPattern, .negativeLimit, .outOfDomain,
        .roundingPlaces, .partialDay, .function, .wrongDepth, .nullArgument:
        true
      case .patternLimit, .invalidCursor, .limitExceeded, .ambiguousLink, .missingParameter, .timeout, .cancelled,
        .memory:
        false
      }
    }
  }

  package var kind: Kind
  /// The operator or the call.
  package var range: SourceRange
  /// The element that was evaluated: the innermost scope of the failing expression.
  package var entity: (type: EntityTypeID, row: UInt32)?
  /// The operands, as JSON, in the order written.
  package var values: [Text]

  @inline(never)
  package init(
    _ kind: Kind, at range: SourceRange, entity: (type: EntityTypeID, row: UInt32)? = nil, values: [Text] = []
  ) {
    self.kind = kind
    self.range = range
    self.entity = entity
    self.values = values
  }

  package static func == (left: RuntimeProblem, right: RuntimeProblem) -> Bool {
    left.kind == right.kind && left.range == right.range && left.entity?.type == right.entity?.type
      && left.entity?.row == right.entity?.row && left.values == right.values
  }
}
