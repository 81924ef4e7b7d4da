import GQLBase
import GQLCatalog

/// A check of cells that come from outside: readers rely on it that they are values of their columns.
package enum StoredValue {
  /// The check of a column's cells. Unlike a ``GQLCatalog/ValueType`` it is copied without counting references.
  package enum Check: Sendable, Hashable {
    case scalar(ScalarType)
    case below(UInt64)
    case none
    /// Elements are checked by the column's type.
    case list

    package init(_ type: ValueType, _ catalog: Catalog) {
      switch type {
      case .scalar(let scalar): self = .scalar(scalar)
      case .enumeration(let id): self = .below(UInt64(catalog[id].values.count))
      case .embedded, .null: self = .below(2)
      case .entity: self = .none
      case .list: self = .list
      }
    }
  }

  /// Returns whether a cell that is not null is a value of a column with a check and a type. What it points to must be
  /// readable.
  @inline(__always)
  package static func isValid(
    _ cell: Cell, _ check: Check, _ type: @autoclosure () -> ValueType, _ catalog: Catalog
  ) -> Bool {
    switch check {
    case .scalar(let scalar): isValid(cell, scalar)
    case .below(let end): cell.low < end
    case .none: true
    case .list: isValid(cell, type(), catalog)
    }
  }

  /// Returns whether a cell that is not null is a value of a type. What it points to must be readable.
  package static func isValid(_ cell: Cell, _ type: ValueType, _ catalog: Catalog) -> Bool {
    switch type {
    case .scalar(let scalar): isValid(cell, scalar)
    case .enumeration(let id): cell.low < UInt64(catalog[id].values.count)
    case .embedded, .null: cell.low <= 1
    case .entity: true
    case .list(let element): isValidList(cell, element, catalog)
    }
  }

  package static func isValid(_ cell: Cell, _ scalar: ScalarType) -> Bool {
    switch scalar {
    case .int, .duration, .bytes: return true
    case .boolean: return cell.low <= 1
    case .date: return CivilTime.dateRange.contains(cell.int)
    case .dateTime: return CivilTime.keptDateTimeRange.contains(cell.int)
    case .float: return cell.double.isFinite
    case .decimal:
      // So many digits at most, before and after the point.
      return cell.high >> 58 <= UInt64(Decimal.maximumDigits) && PackedDecimal(cell).hasValidDigits
    case .json:
      return TextView(cell).withBytes { start, count in
        JSONScanner.isJSON(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count))
      }
    case .string, .id, .uuid, .cursor:
      return TextView(cell).withBytes { start, count in
        UTF8Validation.firstError(
          UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)) == nil
      }
    }
  }

  private static func isValidList(_ cell: Cell, _ element: ValueType, _ catalog: Catalog) -> Bool {
    let list = ListRun(cell, element)
    for index in 0..<list.count where !list.isNull(index) {
      if !isValid(list.cell(index), element, catalog) { return false }
    }
    return true
  }
}
