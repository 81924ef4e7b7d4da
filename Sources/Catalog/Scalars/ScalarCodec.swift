import GQLBase

/// The rules of one scalar type, which every door asks: data files, columns of SQLite, literals, variables, casts and
/// changes of the schema.
///
/// A door that knows its types calls the codec of each: nothing is passed through an existential. Functions that a type
/// leaves out refuse: no value of it is written so.
package protocol ScalarCodec {
  /// A value as programs compute with it.
  associatedtype Native

  static var type: ScalarType { get }
  /// The type of properties in Swift, and its module.
  static var swiftType: (module: String, name: String) { get }
  /// Words of a declared type in SQL, in upper case, each of which means this type.
  static var sqlWords: [String] { get }
  /// Indicates whether JSON writes values as strings.
  static var isString: Bool { get }

  /// Reads a text without quotes, such as a field of CSV, or what stands within the quotes of a string.
  static func read(_ text: UnsafeBufferPointer<UInt8>) -> Native?
  /// Reads a number of JSON.
  static func read(number: JSONNumber) -> Native?
  /// Reads an integer, such as one of a column of SQLite.
  static func read(integer: Int64) -> Native?
  /// Reads a number with a fraction, such as one of a column of SQLite.
  static func read(real: Double) -> Native?
  /// Writes a value without quotes.
  static func write(_ value: Native, into buffer: inout ByteBuffer)
}

extension ScalarCodec {
  package static var sqlWords: [String] { [] }
  package static var isString: Bool { true }
  package static func read(number: JSONNumber) -> Native? { nil }
  package static func read(integer: Int64) -> Native? { nil }
  package static func read(real: Double) -> Native? { nil }
}

extension ScalarCodec {
  /// Writes what `body` writes in quotes without them.
  static func unquoted(into buffer: inout ByteBuffer, _ body: (inout ByteBuffer) -> Void) {
    var quoted = ByteBuffer(capacity: 64)
    body(&quoted)
    quoted.withUnsafeBytes { bytes in
      if bytes.count >= 2 { buffer.append(UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])) }
    }
  }
}

extension ScalarType {
  /// The rules of the type, for questions that are not asked for each value.
  package var codec: any ScalarCodec.Type {
    switch self {
    case .int: IntCodec.self
    case .float: FloatCodec.self
    case .decimal: DecimalCodec.self
    case .boolean: BooleanCodec.self
    case .string: StringCodec.self
    case .id: IDCodec.self
    case .dateTime: DateTimeCodec.self
    case .date: DateCodec.self
    case .duration: DurationCodec.self
    case .uuid: UUIDCodec.self
    case .bytes: BytesCodec.self
    case .json: JSONCodec.self
    case .cursor: CursorCodec.self
    }
  }

  /// Returns the type that a declared type in SQL means; nil for one that means none, and for none.
  package static func declared(as words: String) -> ScalarType? {
    // What is found first counts: a DATETIME is no DATE.
    let order: [ScalarType] = [.boolean, .int, .string, .dateTime, .date, .float, .decimal, .json, .bytes]
    return order.first { $0.isDeclared(by: words) }
  }

  /// Returns whether a declared type in SQL, in upper case, holds a word for this type.
  package func isDeclared(by words: String) -> Bool { codec.sqlWords.contains { words.contains($0) } }
}
