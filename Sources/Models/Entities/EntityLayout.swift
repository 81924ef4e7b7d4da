import GQLCatalog
import GQLStore

/// Where the properties of an entity lie, in the order in which it describes, reads and writes them.
final class EntityLayout: @unchecked Sendable {
  struct Place {
    /// The number of the column; negative where the value is opaque: then `~column` is its number among these.
    var column: Int32
    var kind: ColumnKind
  }

  let places: UnsafeMutablePointer<Place>
  let count: Int
  /// By property: the codec of those whose column was chosen at run time.
  let codecs: [AnyObject?]
  /// All columns of the type, those of relations included.
  let columnCount: Int
  let opaqueCount: Int
  /// The Swift type whose properties these are.
  let typeName: String

  init(places: [Place], codecs: [AnyObject?], columnCount: Int, typeName: String) {
    self.typeName = typeName
    count = places.count
    self.places = .allocate(capacity: max(1, places.count))
    for (index, place) in places.enumerated() { (self.places + index).initialize(to: place) }
    self.codecs = codecs
    self.columnCount = columnCount
    opaqueCount = places.count { $0.column < 0 }
  }

  deinit { places.deallocate() }

  /// Reads a line of each column for a row, none of which waits for another: decoding, column by column, would wait for
  /// each. Worth its while where a single row is read, which nothing has read lately.
  func touch(_ row: UInt32, _ readers: UnsafePointer<ColumnReader>) {
    var touched: UInt64 = 0
    for index in 0..<count where places[index].column >= 0 {
      let reader = readers[Int(places[index].column)]
      touched |= reader.isNull(row) ? 1 : 0
      guard case .text = places[index].kind else {
        touched |= UInt64(reader.cell(row, width: places[index].kind.width).load(as: UInt8.self))
        continue
      }
      let view = TextView(reader.wide(row))
      if !view.isInline, let bytes = UnsafeRawPointer(bitPattern: UInt(view.word1)) {
        touched |= UInt64(bytes.load(as: UInt8.self))
      }
    }
    // Why the test, which cannot fail: what nobody looks at is not read.
    precondition(touched != .max, "a bit and a byte")
  }
}
