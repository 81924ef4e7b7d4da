import GQLStore

/// The values of one expression for a batch, position by position; positions beyond the batch's count are undefined.
///
/// | kind | a value | null |
/// |---|---|---|
/// | truth | `UInt8`: 0 false, 2 true | 1 (unknown) |
/// | word | `Int64`: Int, times, enum codes, rows of entities | validity 0 |
/// | double | `Double` | validity 0 |
/// | wide | ``Cell``: a text view, a packed decimal, a list's run | validity 0 |
///
/// The memory belongs to the program's state in the execution (or to a page of the snapshot): never write to it.
package struct Vector: @unchecked Sendable {
  package enum Kind: UInt8, Sendable {
    case truth, word, double, wide
    /// `UInt32` rows with `PageLayout.noRow`; inside programs only.
    case rows
  }
  package var kind: Kind
  /// Every position holds the same value.
  package var isConstant: Bool
  /// No position is null. False does not mean that one is.
  package var allValid: Bool
  package var values: UnsafeMutableRawPointer
  /// One byte a position, 1 where there is a value; always readable, but without meaning for `.truth`.
  package var validity: UnsafeMutablePointer<UInt8>

  package init(
    kind: Kind, values: UnsafeMutableRawPointer, validity: UnsafeMutablePointer<UInt8>, isConstant: Bool = false,
    allValid: Bool = false
  ) {
    self.kind = kind
    self.isConstant = isConstant
    self.allValid = allValid
    self.values = values
    self.validity = validity
  }

  /// Bytes from one value to the next.
  package var stride: Int {
    switch kind {
    case .truth: 1
    case .rows: 4
    case .word, .double: 8
    case .wide: 16
    }
  }

  /// The positions from one on.
  func advanced(by start: Int) -> Vector {
    var rest = self
    rest.values += start &* stride
    rest.validity += start
    return rest
  }

  package func isNull(_ position: Int) -> Bool {
    switch kind {
    case .truth: values.load(fromByteOffset: position, as: UInt8.self) == 1
    case .rows: values.load(fromByteOffset: position &* 4, as: UInt32.self) == PageLayout.noRow
    case .word, .double, .wide: validity[position] == 0
    }
  }

  /// The value in the form of a column's cell; all zeros where it is null. A Boolean is 0 or 1.
  package func cell(_ position: Int) -> Cell {
    if isNull(position) { return Cell(low: 0) }
    switch kind {
    case .truth: return Cell(low: values.load(fromByteOffset: position, as: UInt8.self) == 2 ? 1 : 0)
    case .rows: return Cell(low: UInt64(values.load(fromByteOffset: position &* 4, as: UInt32.self)))
    case .word, .double: return Cell(low: values.load(fromByteOffset: position &* 8, as: UInt64.self))
    case .wide: return values.load(fromByteOffset: position &* 16, as: Cell.self)
    }
  }

  package var truths: UnsafeMutablePointer<UInt8> { values.assumingMemoryBound(to: UInt8.self) }
  package var words: UnsafeMutablePointer<Int64> { values.assumingMemoryBound(to: Int64.self) }
  package var doubles: UnsafeMutablePointer<Double> { values.assumingMemoryBound(to: Double.self) }
  package var cells: UnsafeMutablePointer<Cell> { values.assumingMemoryBound(to: Cell.self) }
  package var rows: UnsafeMutablePointer<UInt32> { values.assumingMemoryBound(to: UInt32.self) }
}
