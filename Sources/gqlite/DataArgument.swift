import GQLite

/// An argument that names data: a path, and the name of its table if it is given.
struct DataArgument {
  var path: String
  var name: String?

  var isStandardInput: Bool { Self.isStandardInput(path) }

  /// Returns whether there is no such file, and the path is no pattern.
  var isAbsent: Bool { !isStandardInput && !FileBytes.exists(path) && FileBytes.patternFolder(path) == nil }

  private static func isStandardInput(_ path: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path)
  }

  /// Reads the value of `--data`: `orders.csv`, or `Sale=orders.csv` where no file is called so.
  init(flag value: String) {
    path = value
    guard let (name, path) = Self.parts(value), !FileBytes.exists(value) else { return }
    self.name = name
    self.path = path
  }

  /// An operand that is data rather than a document; nil for others.
  ///
  /// - Parameters:
  ///   - readsStreams: Whether standard input is data, as it is beside a query on the command line.
  ///   - hasFormat: Whether the format of data is said, so that a file which may be either is data.
  /// - Throws: where a file is neither a document nor named as data is.
  init?(operand: String, readsStreams: Bool, hasFormat: Bool) throws {
    let named = FileBytes.exists(operand) ? nil : Self.parts(operand)
    if Self.isStandardInput(named?.path ?? operand) {
      guard readsStreams || named != nil else { return nil }
    } else {
      guard try Self.isData(named?.path ?? operand, hasFormat: hasFormat) else { return nil }
    }
    path = named?.path ?? operand
    name = named?.name
  }

  private static func parts(_ value: String) -> (name: String, path: String)? {
    guard let equals = value.firstIndex(of: "=") else { return nil }
    let name = value[..<equals]
    let path = value[value.index(after: equals)...]
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic, !path.isEmpty,
      name.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" })
    else { return nil }
    return (String(name), String(path))
  }

  /// Holds the ends of the names of documents, which may hold anything.
  static let documentEndings = [".graphql", ".gql", ".query", ".graphqls"]
  private static let lookedAtBytes = 512

  private static let sqliteSignature = Array("SQLite format 3\0".utf8)

  /// Returns whether a file begins as one of SQLite does.
  static func isSQLite(_ path: String) -> Bool {
    (try? FileBytes.read(path, atMost: sqliteSignature.count)).map { isSQLite($0) } ?? false
  }

  /// Returns whether the bytes of a file begin as one of SQLite does.
  static func isSQLite(_ bytes: [UInt8]) -> Bool { bytes.starts(with: sqliteSignature) }

  /// Returns whether a path leads to data: a folder, a file that ends or begins as data does, or a pattern of such
  /// files.
  private static func isData(_ path: String, hasFormat: Bool) throws -> Bool {
    guard FileBytes.exists(path) else {
      return !DocumentText.begins(path.utf8) && FileBytes.isNamedAsData(path)
    }
    if FileBytes.folder(path) != nil { return true }
    let lowered = path.lowercased()
    if documentEndings.contains(where: { lowered.hasSuffix($0) }) || FileBytes.isStream(path) { return false }
    let isText = lowered.hasSuffix(".txt")
    if FileBytes.isNamedAsData(path), !isText { return true }
    let start = try FileBytes.read(path, atMost: lookedAtBytes)
    if isSQLite(start) || DocumentText.isJSON(start) { return true }
    if DocumentText.begins(start) { return false }
    if !isText, !hasFormat, DocumentText.isTable(start) {
      throw UsageError(
        "'\(path)' is no document: it looks like data", help: "give --input-format csv, too")
    }
    return isText || hasFormat
  }
}

/// A look at the first bytes of a text.
enum DocumentText {
  /// Returns whether a text begins as a document does: with a brace, or with a keyword and what may follow it. Comments
  /// and a line for the shell may stand before.
  static func begins(_ text: some Sequence<UInt8>) -> Bool {
    var rest = Array(text.prefix(4096))[...]
    rest = rest.dropFirst(FileBytes.textStart(of: rest))
    while let byte = rest.first {
      if byte == UInt8(ascii: "#") {
        rest = rest.drop { $0 != 0x0A }
      } else if isSpace(byte) {
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    guard let first = rest.first else { return false }
    if first == UInt8(ascii: "{") { return !isJSON(rest) }
    let word = rest.prefix { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
    guard QueryDocument.keywords.contains(String(decoding: word, as: UTF8.self)),
      let next = rest.dropFirst(word.count).first
    else {
      return false
    }
    return isSpace(next) || "{(@".utf8.contains(next)
  }

  /// Returns whether a word looks like a path: it ends as documents and data do, or holds no blank and a slash or an
  /// ending.
  static func isPath(_ text: String) -> Bool {
    let lowered = text.lowercased()
    if DataArgument.documentEndings.contains(where: { lowered.hasSuffix($0) }) || FileBytes.isNamedAsData(text) {
      return true
    }
    guard !text.utf8.contains(where: isSpace) else { return false }
    if text.utf8.contains(UInt8(ascii: "/")) { return true }
    guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return false }
    let ending = text[text.index(after: dot)...]
    return !ending.isEmpty && ending.utf8.count <= 8 && ending.allSatisfy { $0.isLetter || $0.isNumber }
  }

  /// Returns whether bytes begin as JSON does that holds records. No document begins with a brace and a quote.
  static func isJSON(_ text: some Sequence<UInt8>) -> Bool {
    var significant = text.lazy.filter { !isSpace($0) }.makeIterator()
    var first = significant.next()
    if first == 0xEF, significant.next() == 0xBB, significant.next() == 0xBF { first = significant.next() }
    if first == UInt8(ascii: "[") { return true }
    return first == UInt8(ascii: "{") && significant.next() == UInt8(ascii: "\"")
  }

  /// Returns whether a text that does not begin as a document does is clearly one of lines of data: of a log, whose
  /// lines begin with a time, or of as many fields in each line as in the first.
  static func isTable(_ text: some Sequence<UInt8>) -> Bool {
    var lines = String(decoding: Array(text), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    guard let first = lines.first else { return false }
    if first.first?.isNumber ?? false { return true }
    // The last line may be cut off.
    if lines.count > 2 { lines.removeLast() }
    guard lines.count > 1, !first.contains(where: { "{}()".contains($0) }) else { return false }
    return [",", "\t", ";", "|"].contains { (separator: Character) in
      let count = first.count { $0 == separator }
      return count > 0 && !first.contains("\(separator) ") && lines.allSatisfy { $0.count { $0 == separator } == count }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
