import GQLCatalog

/// Why a literal or a variable's value is none of the type that its place wants.
package indirect enum CoercionProblem: Sendable, Equatable {
  /// A value of another kind: `age == "x"`.
  case wrongKind(found: String, expected: String)
  /// An integer that does not fit: `age == 9223372036854775808`.
  case outOfRange(digits: String, expected: String)
  /// Text that is none of the scalar: `born == "2026-13-01"`.
  case malformed(text: String, expected: ScalarType)
  /// `status == ACTVE`.
  case unknownEnumValue(name: String, type: String, near: [String])
  /// `status == "ACTIVE"` in a document, where enum values stand without quotes.
  case quotedEnumValue(name: String, type: String)
  /// `null` for a non-null type.
  case null(expected: String)
  /// `{city: "x", street: 1}` for an embedded type without such a field.
  case unknownMember(name: String, type: String, near: [String])
  /// A text of more bytes than a value can have.
  case tooLong(bytes: Int, limit: Int)
  /// Objects of a variable inside each other, deeper than they are saved.
  case tooDeep(limit: Int)
  /// An expression where only a constant may stand.
  case notConstant
}
