/// A file's name, and what it says about the data.
package struct DataFileName {
  /// Holds the name without its endings.
  var stem: String?
  /// Nil where the ending says none.
  var format: LoadFile.Format?
  /// Holds what usually stands between the fields of CSV in a file of that ending.
  private(set) var separator: UInt8 = 0x2C
  /// Indicates whether the ending is that of any text.
  private(set) var isText = false
  /// Indicates whether a file without JSON in it may be CSV.
  private(set) var mayBeText = false

  private static let formats: [String: LoadFile.Format] = [
    "ndjson": .ndjson, "jsonl": .ndjson, "json": .json, "csv": .csv(), "tsv": .csv(), "tab": .csv(),
    "psv": .csv(),
  ]

  private static let separators: [String: UInt8] = ["tsv": 0x09, "tab": 0x09, "psv": 0x7C]

  init(stem: String?, format: LoadFile.Format?) {
    self.stem = stem
    self.format = format
  }

  /// Takes a path apart. Endings are known in any case.
  init(_ path: String) {
    var name = path.split(separator: "/").last.map(String.init) ?? path
    if Compression(ofName: name) != nil { name = Self.split(name).stem }
    let (stem, ending) = Self.split(name)
    format = Self.formats[ending.lowercased()]
    separator = Self.separators[ending.lowercased()] ?? 0x2C
    isText = ending.lowercased() == "txt"
    mayBeText = isText || ending.isEmpty || ending.lowercased() == "dat"
    self.stem = format != nil || mayBeText ? stem : name
  }

  /// Returns whether a name ends as those of SQLite files do.
  static func isDatabase(_ path: String) -> Bool {
    ["sqlite", "sqlite3", "db", "db3"].contains(split(path).ending.lowercased())
  }

  /// Returns whether a name ends as those of files of data do.
  package static func isData(_ path: String) -> Bool {
    let name = DataFileName(path)
    return name.format != nil || name.isText || Compression(ofName: path) != nil || isDatabase(path)
  }

  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
