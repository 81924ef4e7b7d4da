import GQLBase
import GQLWriting

/// A line of names of a CSV file: one rule for which names its columns have, with a schema and without.
struct CSVHeader {
  /// A column, by a name that no other column has.
  struct Column {
    /// Holds the name as it is written.
    var written: String
    /// Holds the name as it is written or, of a name that is there again, the first free one of `name (2)`, `name (3)`.
    var name: Text
    /// Holds the names that lead through embedded objects to the column's field; the name alone where it is no path.
    var path: [Text]
    /// Marks where the name stands in the file.
    var range: Range<Int>

    /// Returns whether another column before it has the same name.
    var isRepeated: Bool { name.string != written }
  }

  private(set) var columns: [Column] = []
  /// Objects inside each other that a name can lead through.
  private static let deepest = 64

  init(_ names: [(text: String, range: Range<Int>)]) {
    let all = Set(names.map(\.text))
    var seen: Set<Text> = []
    // By name: the number to try next.
    var numbers: [String: Int] = [:]
    columns.reserveCapacity(names.count)
    for (text, range) in names {
      var name = Text(text)
      while !seen.insert(name).inserted {
        let number = numbers[text, default: 2]
        numbers[text] = number + 1
        name = Text("\(text) (\(number))")
      }
      let path = name.string == text ? Self.path(text, all) : [name]
      columns.append(Column(written: text, name: name, path: path, range: range))
    }
  }

  /// Reads the first line of a file that is not blank.
  init(_ csv: inout CSVReader, _ arena: StagingArena) throws(RecordFailure) {
    var names: [(text: String, range: Range<Int>)] = []
    for field in try csv.names() {
      let text = field.text(of: csv.bytes, in: arena)
      if UTF8Validation.firstError(text) != nil { throw RecordFailure(notUTF8In: field.start..<field.end) }
      names.append((String(decoding: text, as: UTF8.self), field.start..<field.end))
    }
    csv.hasOneField = names.count == 1
    self.init(names)
  }

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
}
