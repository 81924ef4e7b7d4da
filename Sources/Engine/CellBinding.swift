import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// A parameter whose cell is made from a variable at once, for a run whose plan is ready: it needs no value besides.
/// Where a plan is to be found, ``PlainCoercion`` makes values. It holds no references, which each use would count.
struct CellBinding: Sendable {
  private enum Form: Sendable { case int, float, boolean, string, id, dateTime, date, enumeration }
  private let form: Form
  /// Whether it is the instant of the run, which is no variable.
  let isNow: Bool
  let isList: Bool
  /// Whether null is a value of it.
  private let isNullable: Bool
  /// Whether it is null where no variable is given.
  let isOptional: Bool
  /// A list of texts or ids.
  private let isWide: Bool

  /// Nil for a parameter that ``PlainCoercion`` or the binder must look at.
  init?(_ parameter: BoundParameter) {
    isNullable = !parameter.signature.isNonNull
    isOptional = isNullable && parameter.defaultValue == nil
    var type = parameter.signature.type
    if case .list(let element) = type {
      isList = true
      isWide = ColumnKind(type) == .wideList
      type = element
    } else {
      isList = false
      isWide = false
    }
    switch type {
    case .scalar(.int): form = .int
    case .scalar(.float): form = .float
    case .scalar(.boolean): form = .boolean
    case .scalar(.string): form = .string
    case .scalar(.id): form = .id
    case .scalar(.dateTime): form = .dateTime
    case .scalar(.date): form = .date
    case .enumeration: form = .enumeration
    default: return nil
    }
    switch parameter.source {
    case .variable: isNow = false
    case .now: isNow = true
    case .folded, .input, .newRow: return nil
    }
  }

  /// Gives a run the cell of a value; false for one that needs a closer look.
  ///
  /// - Parameter names: The values of the enum, by code.
  @inline(__always)
  func bind(
    _ value: Value, _ index: Int, _ run: some ParameterHolder, _ scratch: ScratchArena,
    names: @autoclosure () -> [String]
  ) -> Bool {
    let cell: Cell?
    if isNullable, case .null = value {
      run.setParameter(index, nil)
      return true
    }
    if isList {
      guard case .list(let elements) = value else { return false }
      cell = scratch.listCell(count: elements.count, isWide: isWide) { self.cell(elements[$0], scratch, names()) }
    } else {
      cell = self.cell(value, scratch, names())
    }
    guard let cell else { return false }
    run.setParameter(index, cell)
    return true
  }

  @inline(__always)
  private func cell(_ value: Value, _ scratch: ScratchArena, _ names: @autoclosure () -> [String]) -> Cell? {
    switch value {
    case .int(let number):
      switch form {
      case .int: return Cell(number)
      case .id: return scratch.cell(digitsOf: number)
      case .float: return ScalarCells.cell(.float, integer: number)
      default: return nil
      }
    case .double(let number):
      return form == .float ? ScalarCells.cell(.float, real: number) : nil
    case .bool(let flag): return form == .boolean ? Cell(low: flag ? 1 : 0) : nil
    case .string(let text):
      return text.utf8.withContiguousStorageIfAvailable { bytes in
        switch form {
        case .string, .id: scratch.cell(text: UnsafeRawBufferPointer(bytes))
        case .dateTime: ScalarCells.cell(.dateTime, text: bytes)
        case .date: ScalarCells.cell(.date, text: bytes)
        case .enumeration:
          names().firstIndex { $0.utf8.elementsEqual(bytes) }.map { Cell(low: UInt64($0)) }
        case .int, .float, .boolean: nil
        }
      } ?? nil
    // `1.0` of a client whose numbers all have a point.
    case .number(let digits):
      guard form == .float else { return nil }
      return digits.utf8.withContiguousStorageIfAvailable { ScalarCells.cell(.float, text: $0) } ?? nil
    case .null, .list, .object: return nil
    }
  }
}
