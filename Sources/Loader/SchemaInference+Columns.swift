import GQLBase
import GQLWriting

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

  init(_ header: CSVHeader) {
    for (number, column) in header.columns.enumerated() { insert(column.path[...], number) }
  }

  private init() {}

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
    _ values: [CSVReader.Field], _ bytes: UnsafeBufferPointer<UInt8>, _ arena: StagingArena, in shape: inout ValueShape
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
    _ field: CSVReader.Field, _ bytes: UnsafeBufferPointer<UInt8>, _ arena: StagingArena, in shape: inout ValueShape
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
