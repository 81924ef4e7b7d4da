import GQLCatalog
import GQLStore

/// Where the properties of an entity lie, in the order in which it describes, reads and writes them.
final class EntityLayout: @unchecked Sendable {
  struct Place {
    /// The number of the column; negative where the value is opaque: then `~column` is its number among these.
    var column: Int32
    var kind: ColumnKind
    /// Whether cells may hold something beside their words.
    var isInstant = false
  }

  /// What is asked for a property, in a form that is compared at a glance.
  struct Key {
    private let name: (UInt64, UInt64)
    private let type: ObjectIdentifier?

    /// Without a type for what is never asked for as it lies in its column.
    init(_ name: String, _ type: Any.Type?) {
      self.name = Self.words(name)
      self.type = type.map { ObjectIdentifier($0) }
    }

    /// The words of a text. Equal words are equal texts, as long as both texts are there; the other way round that is so
    /// for those of up to 15 bytes, and for literals that the linker made one.
    @inline(__always)
    private static func words(_ text: String) -> (UInt64, UInt64) {
      // Safe because a text is two words, whatever they mean.
      unsafeBitCast(text, to: (UInt64, UInt64).self)
    }

    /// Whether it is certainly the property of a name and a type.
    @inline(__always)
    func isSurely(_ name: String, _ type: ObjectIdentifier) -> Bool {
      self.name == Self.words(name) && self.type == type
    }
  }

  let places: UnsafeMutablePointer<Place>
  /// By property, for who reads or writes it as it lies in its column.
  let keys: UnsafeMutablePointer<Key>
  let count: Int
  let names: [String]
  /// By property: its Swift type.
  let types: [Any.Type]
  /// By property: the codec of those whose column was chosen at run time.
  let codecs: [AnyObject?]
  /// All columns of the type, those of relations included.
  let columnCount: Int
  let opaqueCount: Int
  /// By property: where it is an embedded object of a schema in text, or a list of such; empty if none is.
  let objects: [ObjectProperty?]
  /// The Swift type whose properties these are.
  let typeName: String

  init(
    places: [Place], names: [String], types: [Any.Type], codecs: [AnyObject?], columnCount: Int, typeName: String,
    objects: [ObjectProperty?] = []
  ) {
    self.typeName = typeName
    self.names = names
    self.objects = objects
    self.types = types
    count = places.count
    keys = .allocate(capacity: max(1, places.count))
    self.places = .allocate(capacity: max(1, places.count))
    for (index, place) in places.enumerated() { (self.places + index).initialize(to: place) }
    self.codecs = codecs
    self.columnCount = columnCount
    opaqueCount = places.count { $0.column < 0 }
    for index in 0..<count {
      (keys + index).initialize(to: Key(names[index], isPlain(index) ? types[index] : nil))
    }
  }

  /// What a property is as an embedded object, or a list of such; nil if it is none.
  @inline(__always)
  func object(_ index: Int) -> ObjectProperty? { objects.isEmpty ? nil : objects[index] }

  /// Whether a property is read and written as it lies in its column.
  func isPlain(_ index: Int) -> Bool {
    places[index].column >= 0 && (codecs[index].map { $0 is any PlainCodec } ?? true)
  }

  deinit {
    places.deallocate()
    keys.deallocate()
  }

  /// The place of a property that is described with this name and type, most often a certain one; nil if there is none.
  func place(of name: String, _ type: Any.Type, likely: Int) -> Int? {
    if likely < count, names[likely] == name, types[likely] == type { return likely }
    return names.firstIndex(of: name).flatMap { types[$0] == type ? $0 : nil }
  }

  /// Why there is no such property, in words.
  func mismatch(_ name: String, _ type: Any.Type) -> String {
    guard let place = names.firstIndex(of: name) else { return "\(typeName) describes no property '\(name)'" }
    let known = types[place]
    if known == type {
      return "\(typeName) describes '\(name)' where its type is not known, and must read and write it there"
    }
    return "\(typeName) describes '\(name)' as \(known), not as \(type)"
  }

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
