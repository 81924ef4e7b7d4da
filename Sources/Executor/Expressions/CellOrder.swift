import GQLCatalog
import GQLStore

/// The order of the language among values of one type, in the form of cells. Nulls are the caller's.
package enum CellOrder {
  /// Negative, zero or positive. Total for every type; what `orderBy` follows.
  package static func compare(_ left: Cell, _ right: Cell, _ type: ValueType) -> Int { 0 }

  /// Order-preserving images, one for each position: `image(a) < image(b)` implies that a stands before b in a list
  /// ordered by this term; equal images decide nothing unless the result is true (for all batches that are sorted
  /// together), in which case they mean equal values.
  package static func images(
    _ vector: Vector, count: Int, type: ValueType, descending: Bool, nullsFirst: Bool,
    into images: UnsafeMutablePointer<UInt64>
  ) -> Bool { false }
}
