/// The rewrites, by name. Each preserves results, null semantics and errors; each can be switched off.
package enum RewriteRule: String, Sendable, Hashable, CaseIterable {
  /// `(a and b) and c` is `a and b and c`; likewise `or`; `isTrue` falls away where only truth counts.
  case flatten = "FlattenConnectives"
  /// `not (a and b)` is `not a or not b`; `not (x == y)` is `x != y`; `not (x < y)` is `x >= y`. Kleene's logic keeps
  /// both, null included.
  case pushNot = "PushNot"
  /// Operators over constants, where they cannot fail.
  case foldConstants = "FoldConstants"
  /// `x >= a and x < b` is one range test.
  case mergeBounds = "MergeBounds"
  /// `x == a or x == b` is `x in [a, b]`.
  case mergeEqualities = "MergeEqualities"
  /// `some(s, p)`, `none`, `every` become tests of the existence of members of `s(where: p)`.
  case pushQuantifier = "PushQuantifierIntoSet"
  /// `count(s) > 0` is `exists(s)`, `count(s) == 0` its negation.
  case countToExists = "CountToExists"
  /// A predicate that is never true gives no rows without looking.
  case detectEmpty = "DetectEmpty"
}
