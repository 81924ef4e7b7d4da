/// The text of a schema, as it is printed, with the types of models put into it.
struct SchemaText {
  private var lines: [String]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

  var text: String { lines.joined(separator: "\n") }

  /// Adds a type without properties.
  mutating func addType(_ name: String, number: ModelKey) {
    lines += ["", "type \(name) @number(value: \(number)) {", "  id: Int!", "}"]
  }

  /// Has the old values of a type kept.
  mutating func addHistory(to type: String) {
    guard let head = head(of: type) else { return }
    lines[head] = lines[head].dropLast("{".count) + "@history {"
  }

  /// Gives a type another name.
  mutating func renameType(_ old: String, _ new: String) {
    guard let head = head(of: old) else { return }
    lines[head] = "type \(new)" + lines[head].dropFirst("type \(old)".count)
  }

  /// Adds a field to a type.
  mutating func addField(_ name: String, _ type: String, number: PropertyKey?, to owner: String) {
    guard let head = head(of: owner), let end = end(of: head) else { return }
    let number = number.map { " @number(value: \($0))" } ?? ""
    lines.insert("  \(name): \(type)\(number)", at: end)
  }

  /// Gives a field another name.
  mutating func renameField(_ old: String, _ new: String, of owner: String) {
    guard let line = line(of: old, in: owner) else { return }
    lines[line] = "  \(new):" + lines[line].dropFirst("  \(old):".count)
  }

  /// Gives a field another type, and takes its default value away.
  mutating func retypeField(_ name: String, _ type: String, number: PropertyKey, of owner: String) {
    guard let line = line(of: name, in: owner) else { return }
    lines[line] = "  \(name): \(type) @number(value: \(number))"
  }

  private func head(of type: String) -> Int? {
    lines.firstIndex { $0.hasPrefix("type \(type) ") && $0.hasSuffix("{") }
  }

  private func end(of head: Int) -> Int? { lines[head...].firstIndex { $0 == "}" } }

  private func line(of field: String, in type: String) -> Int? {
    guard let head = head(of: type), let end = end(of: head) else { return nil }
    return lines[head..<end].firstIndex { $0.hasPrefix("  \(field):") }
  }
}

/// Names of Swift as names of a schema.
enum SchemaNames {
  /// A name of a type; nil where nothing of it is left.
  static func type(_ name: String) -> String? {
    guard let name = plain(name), let first = name.first else { return nil }
    return first.uppercased() + name.dropFirst()
  }

  /// A name of a field; nil where nothing of it is left.
  static func field(_ name: String) -> String? {
    guard let name = plain(name), name != "id", name != StateTable.marksName else { return nil }
    return name
  }

  private static func plain(_ name: String) -> String? {
    var letters = name.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) || $0 == "_"
    }
    while let first = letters.first, first == "_" || ("0"..."9").contains(first) { letters.removeFirst() }
    return letters.isEmpty ? nil : String(String.UnicodeScalarView(letters))
  }
}
