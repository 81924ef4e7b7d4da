import GQLBase
import GQLCatalog
import GQLStore

/// A pool of cells for values from outside the store (constants, parameters, defaults), with what they point to.
///
/// One thread fills it; what it gave may then be read by all as long as the pool lives.
package final class CellPool: CellMemory, @unchecked Sendable {
  private var allocations: [UnsafeMutableRawPointer] = []

  package init() {}

  deinit { removeAll() }

  /// Frees what all cells pointed to.
  package func removeAll() {
    for allocation in allocations { allocation.deallocate() }
    allocations.removeAll(keepingCapacity: true)
  }

  /// Returns the value as a cell of a column of that type; nil for null (and for objects and mismatched values, which
  /// have none).
  package func cell(_ value: Value, _ type: ValueType) -> Cell? {
    switch value {
    case .null, .object: return nil
    case .boolean(let value): return Cell(low: value ? 1 : 0)
    case .int(let value):
      switch type {
      case .scalar(.float): return Cell(Double(value))
      case .scalar(.decimal): return Cell(Decimal(value))
      default: return Cell(value)
      }
    case .dateTime(let value), .date(let value), .duration(let value): return Cell(value)
    case .float(let value): return Cell(value)
    case .decimal(let value): return Cell(value)
    case .enumeration(_, let code): return Cell(Int64(code))
    case .string(let text), .uuid(let text), .bytes(let text), .json(let text):
      return text.withUnsafeBytes { self.text($0) }
    case .id(let text, let isNumber):
      return text.withUnsafeBytes { self.text($0, flags: isNumber ? TextView.numberFlag : 0) }
    case .list(let elements):
      guard case .list(let element) = type else { return nil }
      return list(count: elements.count, isWide: ListRun.width(element) == 16) { cell(elements[$0], element) }
    }
  }

  package func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 16), alignment: 16)
    allocations.append(memory)
    return memory
  }
}
