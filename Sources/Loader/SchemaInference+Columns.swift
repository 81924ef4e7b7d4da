import GQLBase

/// A tree of the columns of a CSV file by name: `address.city` is a field of an embedded object.
struct CSVColumns {
  struct Field {
    var name: Text
    var column: Int?
    /// Holds the columns of an object.
    var inner: CSVColumns
    /// Holds the place of the member in the shape.
    var place = -1
  }

  private(set) var fields: [Field] = []
  private var places: [Text: Int] = [:]
  /// Objects inside each other that a name can lead through.
  private static let deepest = 64

  init(_ names: [String]) {
    let all = Set(names)
    var seen: Set<Text> = []
    var numbers: [String: Int] = [:]
    for (column, name) in names.enumerated() {
      var distinct = Text(name)
      while !seen.insert(distinct).inserted {
        let number = numbers[name, default: 2]
        numbers[name] = number + 1
        distinct = Text(CSVWords.repeated(name, number))
      }
      insert(distinct.string == name ? Self.path(name, all)[...] : [distinct], column)
    }
  }

  private init() {}

  /// Returns the names that lead to a column: a name with dots is a path where each part begins as a name does, and no
  /// other column has the name of an object on the way.
  private static func path(_ name: String, _ all: Set<String>) -> [Text] {
    guard name.utf8.contains(0x2E) else { return [Text(name)] }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= deepest, parts.allSatisfy({ $0.first?.isLetter ?? false || $0.first == "_" }) else {
      return [Text(name)]
    }
    for count in 1..<parts.count where all.contains(parts[..<count].joined(separator: ".")) { return [Text(name)] }
    return parts.map { Text(String($0)) }
  }

  private mutating func insert(_ path: ArraySlice<Text>, _ column: Int) {
    guard let name = path.first else { return }
    let place = places[name] ?? fields.count
    if place == fields.count {
      fields.append(Field(name: name, column: nil, inner: CSVColumns()))
      places[name] = place
    }
    if path.count > 1 {
      fields[place].inner.insert(path.dropFirst(), column)
    } else if fields[place].column == nil {
      fields[place].column = column
    }
  }

  /// Declares the fields in a shape: a line of names is no record, but says what fields there are.
  mutating func declare(in shape: inout ValueShape, _ reader: inout ShapeReader) {
    for index in fields.indices {
      let place = reader.place(of: fields[index].name, in: &shape)
      fields[index].place = place
      guard place >= 0 else { return }
      shape.members[place].shape.isOfCSV = true
      fields[index].inner.declare(in: &shape.members[place].shape, &reader)
    }
  }

  /// Notes a line. An embedded object of which it names nothing is null.
  func note(
    _ values: [CSVReader.Field], _ bytes: UnsafeBufferPointer<UInt8>, _ arena: LoadArena, in shape: inout ValueShape
  ) {
    shape.kinds.insert(.object)
    shape.objects += 1
    shape.values += 1
    guard !shape.isMap else { return }
    for index in fields.indices {
      let place = fields[index].place
      if let column = fields[index].column {
        Self.note(values[column], bytes, arena, in: &shape.members[place].shape)
      } else if fields[index].inner.isNamed(in: values) {
        fields[index].inner.note(values, bytes, arena, in: &shape.members[place].shape)
      } else {
        shape.members[place].shape.noteNull()
      }
    }
  }

  private func isNamed(in values: [CSVReader.Field]) -> Bool {
    fields.contains { field in
      field.column.map { values[$0].isQuoted || values[$0].start < values[$0].end } ?? field.inner.isNamed(in: values)
    }
  }

  private static func note(
    _ field: CSVReader.Field, _ bytes: UnsafeBufferPointer<UInt8>, _ arena: LoadArena, in shape: inout ValueShape
  ) {
    if field.start == field.end, !field.isQuoted { return shape.noteNull() }
    if shape.isSettledText {
      shape.values += 1
      return
    }
    let text = field.text(of: bytes, in: arena)
    shape.note(.ofCell(text, isQuoted: field.isQuoted), text)
  }
}
