import GQLCatalog

/// The type of the column that a Swift value lies in.
///
/// It is opaque: values of it come from the types that conform to ``ColumnScalar``.
public struct ColumnShape: Sendable, Hashable {
  /// The scalar, or that of a list's elements.
  let scalar: ScalarType
  var isList = false
  var isNonNull = true
  /// Where the column holds an enum of the schema language; then the scalar says nothing.
  var enumeration: EnumShape?

  @inline(never)
  init(_ scalar: ScalarType) { self.scalar = scalar }

  /// Whether cells mean the same in both, but for null.
  func isLike(_ other: ColumnShape) -> Bool {
    scalar == other.scalar && isList == other.isList && enumeration == other.enumeration
  }

  /// Whether it holds one text.
  var isText: Bool { scalar == .string && !isList && enumeration == nil }

  /// That of a list's elements.
  var element: ColumnShape {
    var shape = ColumnShape(scalar)
    shape.enumeration = enumeration
    return shape
  }

  /// As the schema language writes it, with the name of the scalar or the enum.
  func text(_ name: String) -> String { (isList ? "[\(name)!]" : name) + (isNonNull ? "!" : "") }

  var elementIsWide: Bool { ColumnKind(.scalar(scalar)).width == 16 }
  var valueType: ValueType { isList ? .list(.scalar(scalar)) : .scalar(scalar) }
}
