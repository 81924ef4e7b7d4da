import GQLBase

/// A field of a mutation that takes an earlier version back.
package struct BoundUndo: Sendable, Equatable {
  /// The name of the field.
  package static let field = "_undo"

  /// The values of its argument 'only'.
  package static let extents = ["ALL", "UNTOUCHED"]

  package var key: String
  /// The field's name.
  package var range: SourceRange
  /// Values over parameters, by number: the version first.
  package var constants: BoundQuery
  /// Among `constants`: the field is left out where this is not true.
  package var condition: Int?
  /// Indicates whether the rest is taken back where some of it was written since.
  package var isOfUntouched = false
  /// The keys under which the answer has the new version.
  package var keys = ["_version"]

  package init(key: String, range: SourceRange, constants: BoundQuery) {
    self.key = key
    self.range = range
    self.constants = constants
  }
}
