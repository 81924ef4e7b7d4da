import GQLBase
import GQLStore

/// Equality and order of JSON values: structural, numbers by exact value, members in any order.
///
/// Once the run is to end, what these give has no meaning; see ``Execution/shouldContinue(_:holding:)``. Without an execution
/// they end when they are done.
enum JSONOrder {
  static func isEqual(_ left: Cell, _ right: Cell, _ execution: Execution?) -> Bool {
    CellOrder.isEqualText(left, right) || compare(left, right, execution) == 0
  }

  /// Whether `<` means something: values of one JSON type.
  static func isOrdered(_ left: Cell, _ right: Cell) -> Bool {
    let kind = kind(left)
    return kind != .none && kind == self.kind(right)
  }

  private static func kind(_ cell: Cell) -> JSONReader.Kind {
    TextView(cell).withBytes { start, count in
      var reader = JSONReader(start, count, nil)
      return reader.kind()
    }
  }

  /// null < bool < number < string < list < object; lists by element; objects by their members in the order of names.
  static func compare(_ left: Cell, _ right: Cell, _ execution: Execution?) -> Int {
    let order = TextView(left).withBytes { start, count in
      TextView(right).withBytes { other, otherCount in
        let comparison = execution?.jsonComparison ?? JSONComparison()
        return comparison.compare((start, count), (other, otherCount), execution)
      }
    }
    return order ?? CellOrder.compareTexts(left, right)
  }
}
