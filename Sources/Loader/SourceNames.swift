import GQLBase
import GQLCatalog

/// A namespace of the names of types and fields for those of files, tables, keys and columns: one rule for every
/// source.
///
/// A name is cut into pieces at all that is no ASCII letter or digit, after letters with marks became plain ones (`ü`
/// is `u`, `ß` is `ss`). The pieces are joined, each with its first letter raised; `_` stands between two digits.
enum SourceNames {
  /// Names that no type of a source may have.
  static let reservedTypes = EntityType.reservedNames.union(["Mutation", "Subscription"])

  /// Returns the name of a type: `invoice_items` is `InvoiceItems`, `log-2024 (1)` is `Log2024_1`, `3166-1` is
  /// `T3166_1`, and a name without a letter or digit is `Data`.
  static func type(_ name: String) -> String {
    let joined = join(pieces(name).map(raised))
    if joined.isEmpty { return "Data" }
    return begins(joined) ? joined : "T" + joined
  }

  /// Returns the name of a field: `FirstName`, `first_name` and `Unit Price` are `firstName` and `unitPrice`, `URL` is
  /// `url`, `2024` is `c2024`, and a name without a letter or digit is `column`.
  static func field(_ name: String) -> String {
    var parts = pieces(name)
    guard let first = parts.first else { return "column" }
    parts[0] = first == first.uppercased() ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    for index in parts.indices.dropFirst() { parts[index] = raised(parts[index]) }
    let joined = join(parts)
    return begins(joined) ? joined : "c" + joined
  }

  /// Returns a name as it is where a type can have it and its root names do not clash, else the one that ``type(_:)``
  /// makes of it.
  static func legalType(_ name: String) -> String {
    isTypeName(name) && name.first?.isUppercase ?? false ? name : type(name)
  }

  /// Returns a name as it is where a field can have it without quotes, else the one that ``field(_:)`` makes of it.
  static func legalField(_ name: String) -> String {
    GraphQLName.isValid(name) && isFieldName(name) ? name : field(name)
  }

  /// Returns whether a schema can have a type of that name.
  static func isTypeName(_ name: String) -> Bool {
    GraphQLName.isFree(name) && !reservedTypes.contains(name)
  }

  /// Returns whether a schema can have a field of that name, in backquotes where it must be.
  static func isFieldName(_ name: String) -> Bool {
    !name.isEmpty && !GraphQLName.isReserved(name) && !Property.reservedNames.contains(name)
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x60 && $0 != 0x7F }
  }

  /// Returns the name of the relation that a column of ids makes: `SupportRepId` is `supportRep`.
  static func relation(_ column: String) -> String { field(withoutIDEnding(column) ?? column) }

  /// Returns what stands before `_id`, ` ID`, `-id`, `Id` or `ID`, which may also be of many; nil where a name has no
  /// such ending.
  static func withoutIDEnding(_ column: String) -> String? {
    for ending in ["id", "ids"] where column.count > ending.count && column.lowercased().hasSuffix(ending) {
      let (before, letters) = (column.dropLast(ending.count), column.suffix(ending.count))
      var name = before
      while let last = name.last, separators.contains(last) { name.removeLast() }
      // Without a word of its own, `Id` and `IDs` show themselves by their case: `paid` and `KIDS` are words.
      let isWord = name.endIndex < before.endIndex || letters.first == "I" && letters.last != "S"
      if isWord, !name.isEmpty { return String(name) }
    }
    return nil
  }

  /// Holds what stands between the words of a name as people write it.
  private static let separators: Set<Character> = ["_", " ", "-"]

  /// Returns the name of a list: `Track` is `tracks`, `Country` is `countries`, `tracks` stays.
  static func many(_ table: String) -> String {
    let name = field(table)
    let letters = String(name.reversed().drop { $0.isNumber || $0 == "_" }.reversed())
    if singular(letters) != letters || manyAlready.contains(where: { letters.lowercased().hasSuffix($0) }) {
      return name
    }
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    for ending in ["s", "x", "ch", "sh"] where name.hasSuffix(ending) { return name + "es" }
    return name + "s"
  }

  /// Endings of names that are of many without an `s`.
  private static let manyAlready = ["people", "children", "men", "data", "media"]

  /// Returns the name of one of many: `tracks` is `track`, `countries` is `country`, `glass` stays.
  static func singular(_ name: String) -> String {
    if name.hasSuffix("ies"), name.count > 3 { return name.dropLast(3) + "y" }
    for suffix in ["sses", "xes", "ches", "shes"] where name.hasSuffix(suffix) { return String(name.dropLast(2)) }
    return name.hasSuffix("s") && !name.hasSuffix("ss") && name.count > 1 ? String(name.dropLast()) : name
  }

  /// Returns `@source(name: "…")` with a space before it; nothing where the name is the one that the schema has.
  static func directive(_ source: String, unless name: String, isMixed: Bool = false) -> String {
    var arguments: [String] = []
    if source != name { arguments.append("name: \(quoted(source))") }
    if isMixed { arguments.append("mixed: true") }
    return arguments.isEmpty ? "" : " @source(\(arguments.joined(separator: ", ")))"
  }

  /// Returns a text as the schema definition language writes it.
  static func quoted(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 16)
    buffer.append(json: text)
    return buffer.string
  }

  /// Returns whether two names are the same but for case and what stands between words.
  static func areAlike(_ left: String, _ right: String) -> Bool { plain(left) == plain(right) }

  /// Returns a name without case and what stands between words.
  static func plain(_ name: String) -> String {
    let lowered = name.lowercased()
    return lowered.contains(where: separators.contains) ? lowered.filter { !separators.contains($0) } : lowered
  }

  private static func raised(_ piece: String) -> String { piece.prefix(1).uppercased() + piece.dropFirst() }

  private static func join(_ pieces: [String]) -> String {
    var result = ""
    for piece in pieces {
      if let last = result.utf8.last, let first = piece.utf8.first, isDigit(last), isDigit(first) { result += "_" }
      result += piece
    }
    return result
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func pieces(_ name: String) -> [String] {
    withoutMarks(name).split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
  }

  /// Holds the letters from `À` to `ſ` without their marks; a space stands for what is no letter.
  private static let plainLetters: [Substring] =
    ("A A A A A A AE C E E E E I I I I D N O O O O O . O U U U U Y Th ss a a a a a a ae c e e e e i i i i d n o o o o o"
    + " . o u u u u y th y A a A a A a C c C c C c C c D d D d E e E e E e E e E e G g G g G g G g H h H h I i I i I i I"
    + " i I i IJ ij J j K k k L l L l L l L l L l N n N n N n n N n O o O o O o OE oe R r R r R r S s S s S s S s T t T t"
    + " T t U u U u U u U u U u U u W w Y y Y Z z Z z Z z s").split(separator: " ")

  private static func withoutMarks(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
    var result = ""
    for scalar in name.unicodeScalars {
      let place = Int(scalar.value) - 0xC0
      if plainLetters.indices.contains(place) {
        result += plainLetters[place]
      } else if scalar.value < 0x300 || scalar.value > 0x36F {
        // A mark of its own goes, and the letter before it stays.
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func begins(_ name: String) -> Bool { name.first.map { $0.isASCII && $0.isLetter } ?? false }
}

/// A set of the names in use in one place. One that is taken gets the first number, from 2, that makes it another.
struct UniqueNames {
  private var used: Set<String>
  /// By name: the number to try next, so that thousands of clashes take no longer than as many names.
  private var next: [String: Int] = [:]

  init(_ used: Set<String> = []) { self.used = used }

  func contains(_ name: String) -> Bool { used.contains(name) }

  /// Takes a name, or the name with a number where it is taken.
  mutating func take(_ name: String) -> String {
    if used.insert(name).inserted { return name }
    var number = next[name, default: 2]
    while !used.insert("\(name)\(number)").inserted { number += 1 }
    next[name] = number + 1
    return "\(name)\(number)"
  }
}
