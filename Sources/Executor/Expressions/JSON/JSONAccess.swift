#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase

/// Finding parts of JSON text. Once the run is to end, what these give has no meaning.
enum JSONAccess {
  /// The text of the first member of that name.
  static func member(
    _ start: UnsafeRawPointer, _ count: Int, _ name: UnsafeRawBufferPointer, _ execution: Execution
  ) -> Range<Int>? {
    var reader = JSONReader(start, count, execution)
    guard reader.kind() == .object else { return nil }
    reader.position += 1
    var isFirst = true
    while let key = reader.nextName(isFirst: isFirst) {
      isFirst = false
      let isFound = isEqual(reader, key, name)
      let first = reader.position
      reader.skipValue()
      if isFound { return first..<reader.position }
      if !execution.shouldContinue(16) { return nil }
    }
    return nil
  }

  static func element(
    _ start: UnsafeRawPointer, _ count: Int, _ index: Int64, _ execution: Execution
  ) -> Range<Int>? {
    var reader = JSONReader(start, count, execution)
    guard index >= 0, reader.kind() == .array else { return nil }
    reader.position += 1
    var place: Int64 = 0
    while reader.nextElement(isFirst: place == 0) {
      reader.skipSpace()
      let first = reader.position
      reader.skipValue()
      if place == index { return first..<reader.position }
      place += 1
      if !execution.shouldContinue(8) { return nil }
    }
    return nil
  }

  /// Visits the elements of a list, until there are no more or it is told to end.
  static func elements(
    _ start: UnsafeRawPointer, _ count: Int, _ execution: Execution,
    _ visit: (Range<Int>, JSONReader.Kind) -> Bool
  ) {
    var reader = JSONReader(start, count, execution)
    guard reader.kind() == .array else { return }
    reader.position += 1
    var isFirst = true
    while reader.nextElement(isFirst: isFirst) {
      isFirst = false
      let kind = reader.kind()
      let first = reader.position
      reader.skipValue()
      if !execution.shouldContinue(8) || !visit(first..<reader.position, kind) { return }
    }
  }

  /// Whether a list has an element that equals a value; nil is null.
  static func contains(
    _ start: UnsafeRawPointer, _ count: Int, _ value: (start: UnsafeRawPointer, count: Int)?, _ execution: Execution
  ) -> Bool {
    var wanted = JSONReader.Kind.null
    if let value {
      var reader = JSONReader(value.start, value.count, execution)
      wanted = reader.kind()
    }
    var found = false
    elements(start, count, execution) { range, kind in
      guard kind == wanted else { return true }
      let element = (start: start + range.lowerBound, count: range.count)
      found = value.map { execution.jsonComparison.compare($0, element, execution) == 0 } ?? true
      return !found
    }
    return found
  }

  private static func isEqual(
    _ reader: JSONReader, _ key: JSONReader.Body, _ name: UnsafeRawBufferPointer
  ) -> Bool {
    guard key.hasEscapes else {
      guard key.end - key.start == name.count else { return false }
      guard let start = name.baseAddress, name.count > 0 else { return true }
      return memcmp(reader.base + key.start, start, name.count) == 0
    }
    var bytes = JSONStringBytes(reader, key)
    for byte in name where bytes.next() != Int(byte) { return false }
    return bytes.next() < 0
  }
}
