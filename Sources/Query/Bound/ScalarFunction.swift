import GQLCatalog

/// Scalar functions of the language, by their names in it.
package enum ScalarFunction: String, Sendable, Hashable, CaseIterable {
  case lower, upper, trim, length
  /// `slice(text or list, from, to)`; the last may be missing.
  case slice
  /// Texts or lists one behind the other.
  case concat
  /// `replace(text, part, by)`
  case replace
  /// `split(text, separator)`: a list of texts.
  case split
  /// `padStart(text, length, pad)`
  case padStart
  /// A list in the order of `orderBy`.
  case sort
  /// Of an Int, a Float, a Decimal or a Duration.
  case abs
  /// With one argument an Int; with two of the type of the first.
  case round
  /// An Int.
  case floor
  /// An Int.
  case ceil
  /// A Float.
  case sqrt
  /// Floats.
  case pow
  /// Truncating division of two operands of one type.
  case div
  /// Of operands of one type; null if one is null.
  case least
  /// Of operands of one type; null if one is null.
  case greatest
  /// Of a DateTime, or of a text that begins with a date.
  case date
  /// Parts of a Date or a DateTime; `weekday` from 1, Monday, to 7.
  case year
  case month
  case day
  case hour
  case minute
  case second
  case weekday
  /// `trunc(t, MONTH)`: the last argument is the unit's name as a constant text.
  case trunc
  /// `dateDiff(a, b, DAY)`: operands of one type; the last argument is the unit's name as a constant text.
  case dateDiff
  /// `extract(text, pattern, group)`: the group is an Int or, where the pattern is no constant, a text.
  case extract
  /// Null where evaluating the operand is an error of this row.
  case `try`
  /// Its operand, an Int or a list of them; an error where one has no place in 32 bits. No document can call it.
  case graphQLInt = "Int!"
  /// Its operand, a list of lists of ids, which is JSON, with texts in place of numbers. No document can call it.
  case textIDs = "[[ID]]"
  /// Its first operand. The second says whether null is an error, the third whether null in a list is one; both are
  /// constants. No document can call it.
  case required = "!"
  /// What a column of a DateTime holds beside its microseconds: an Int. No document can call it.
  case finer = "finer!"

  /// Those that documents call.
  package static var named: [ScalarFunction] {
    allCases.filter { ![.graphQLInt, .textIDs, .required, .finer].contains($0) }
  }

  /// Whether the call itself, operands aside, may end in a run-time error.
  package func canFail(_ arguments: [BoundExpression]) -> Bool {
    switch self {
    case .lower, .upper, .trim, .length, .slice, .sort, .least, .greatest, .year, .month, .day, .hour, .minute,
      .second, .weekday, .trunc, .dateDiff, .try, .finer:
      return false
    case .abs:
      let type = arguments.first?.type
      return type == .int || type == .scalar(.duration)
    case .date: return arguments.first?.type.scalar?.isTextual ?? true
    case .concat, .replace, .split, .padStart, .round, .floor, .ceil, .sqrt, .pow, .div, .extract, .graphQLInt,
      .textIDs, .required:
      return true
    }
  }
}
