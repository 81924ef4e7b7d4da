import GQLBase

/// Reads the JSON of an answer piece by piece, without making values of it.
///
/// The bytes must outlive the reader and what it hands out.
final class AnswerReader {
  /// A value, as the place of its JSON.
  struct Cell {
    enum Kind { case missing, null, number, text, boolean, list, object }
    var kind = Kind.missing
    var range = 0..<0
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var scratch = ByteBuffer()

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// A scanner that stands before a value.
  private func scanner(at cell: Cell) -> JSONScanner {
    var scanner = JSONScanner(bytes)
    scanner.position = cell.range.lowerBound
    return scanner
  }

  /// The whole answer.
  var root: Cell { Cell(kind: .object, range: 0..<bytes.count) }

  /// The JSON of a value.
  func json(_ cell: Cell) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[cell.range]) }

  /// Passes the bytes of a value to `body`: of a text itself, else of its JSON. They are valid until `body` returns.
  func withText<Result>(of cell: Cell, _ body: (UnsafeBufferPointer<UInt8>) -> Result) throws(JSONScanner.Failure)
    -> Result
  {
    guard cell.kind == .text else { return body(json(cell)) }
    var scanner = scanner(at: cell)
    return body(try scanner.scanString(&scratch).bytes)
  }

  /// Reads the members of an object, each with its key, which is valid until `body` returns.
  func forEachMember(
    of cell: Cell, _ body: (UnsafeBufferPointer<UInt8>, Cell) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    var scanner = scanner(at: cell)
    var scratch = ByteBuffer()
    try scanner.beginObject()
    while let key = try scanner.nextKey(&scratch) { try body(key.bytes, next(&scanner)) }
  }

  /// Reads the elements of a list.
  func forEachElement(
    of cell: Cell, _ body: (Cell) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    var scanner = scanner(at: cell)
    try scanner.beginArray()
    while try scanner.nextElement() { try body(next(&scanner)) }
  }

  /// The value before which the scanner stands, which then stands after it.
  private func next(_ scanner: inout JSONScanner) -> Cell {
    let kind: Cell.Kind =
      switch scanner.peek() {
      case .object: .object
      case .array: .list
      case .string: .text
      case .number: .number
      case .boolean: .boolean
      case .null, .end, .invalid: .null
      }
    let start = scanner.position
    scanner.position = end(of: start)
    return Cell(kind: kind, range: start..<scanner.position)
  }

  /// Returns where a value ends. An answer is JSON already, and may be nested more deeply than a scanner follows.
  private func end(of start: Int) -> Int {
    var depth = 0
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        if depth == 0 { return min(index + 1, bytes.count) }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","):
        if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return bytes.count
  }
}
