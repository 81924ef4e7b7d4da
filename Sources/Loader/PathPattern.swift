import GQLBase

/// A pattern of paths, such as `logs/*.ndjson`.
///
/// `*` is any text, `?` any character, `[a-z]` one of a set, all within a name; `**` is any number of folders. Names
/// that begin with a dot are found only where the pattern has the dot. Links to folders are not followed below `**`.
/// Only files are found: reading a device or a FIFO might never end.
package struct PathPattern {
  /// A reason why a pattern was given up.
  package struct Failure: Error { let message: String }

  private let start: String
  /// Holds the folder that is not left, as `realpath` gives it; nil where the pattern may lead anywhere.
  private let root: String?
  private let parts: [[Unicode.Scalar]]
  private var visited = 0
  private var found: [String] = []

  /// Limits the files that one pattern may find, and that one folder may give.
  static let mostFiles = 10_000
  /// Limits the names that are looked at.
  private static let mostNames = 1_000_000
  private static let deepest = 64

  /// Returns whether a path has characters of patterns.
  package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

  /// Returns the folder that a pattern begins in: what stands before the first name with such characters.
  package static func folder(of pattern: String) -> String {
    let parts = pattern.split(separator: "/").prefix { !isPattern(String($0)) }
    let path = (pattern.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    return path.isEmpty ? "." : path
  }

  private init(_ path: String, within root: String?) {
    self.root = root
    start = path.hasPrefix("/") ? "/" : ""
    var parts: [[Unicode.Scalar]] = []
    for part in path.split(separator: "/") where part != "**" || parts.last != ["*", "*"] {
      parts.append(Array(part.unicodeScalars))
    }
    self.parts = parts
  }

  /// Returns the paths that a pattern finds, in the order of their bytes.
  ///
  /// - Parameter root: A folder as `realpath` gives it, outside of which nothing is looked at.
  package static func paths(_ pattern: String, within root: String? = nil) throws(Failure) -> [String] {
    var search = PathPattern(pattern, within: root)
    try search.search(search.start, 0, depth: 0)
    // Several ways may lead to one file.
    return Set(search.found).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func search(_ folder: String, _ part: Int, depth: Int) throws(Failure) {
    guard depth < Self.deepest else { return }
    let pattern = parts[part]
    let isLast = part + 1 == parts.count
    if pattern == ["*", "*"] {
      if !isLast { try search(folder, part + 1, depth: depth + 1) }
      for name in try names(folder) where !name.hasPrefix(".") {
        let path = folder + name
        if MappedFile.isFolder(path, followsLinks: false) {
          try search(path + "/", part, depth: depth + 1)
        } else if isLast, MappedFile.isFile(path) {
          try add(path)
        }
      }
      return
    }
    guard Self.isPattern(String(String.UnicodeScalarView(pattern))) else {
      let path = folder + String(String.UnicodeScalarView(pattern))
      if !isLast { return try search(path + "/", part + 1, depth: depth + 1) }
      if MappedFile.isFile(path) { try add(path) }
      return
    }
    for name in try names(folder) {
      let scalars = Array(name.unicodeScalars)
      guard scalars.first != "." || pattern.first == ".", Self.matches(scalars, pattern) else { continue }
      let path = folder + name
      if isLast {
        if MappedFile.isFile(path) { try add(path) }
      } else if MappedFile.isFolder(path, followsLinks: true) {
        try search(path + "/", part + 1, depth: depth + 1)
      }
    }
  }

  private mutating func names(_ folder: String) throws(Failure) -> [String] {
    let folder = folder.isEmpty ? "." : folder
    if let root, !MappedFile.leads(folder, into: root) { return [] }
    let names = MappedFile.directoryEntries(folder) ?? []
    visited += names.count
    guard visited <= Self.mostNames else {
      throw Failure(message: "the pattern looks at more than \(Self.mostNames) names")
    }
    return names
  }

  private mutating func add(_ path: String) throws(Failure) {
    if let root, !MappedFile.leads(path, into: root) { return }
    guard found.count < Self.mostFiles else {
      throw Failure(message: "the pattern finds more than \(Self.mostFiles) files")
    }
    found.append(path)
  }

  /// Returns whether a name is as a pattern of one part says. It takes at most the product of their lengths.
  static func matches(_ name: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
    var (place, index) = (0, 0)
    var retry: (place: Int, index: Int)?
    while place < name.count {
      if index < pattern.count, pattern[index] == "*" {
        index += 1
        retry = (place, index)
      } else if index < pattern.count, let end = matchOne(name[place], pattern, index) {
        place += 1
        index = end
      } else if let last = retry {
        retry = (last.place + 1, last.index)
        (place, index) = (last.place + 1, last.index)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }

  /// Returns the place in the pattern after what matches a character there; nil if it does not match.
  private static func matchOne(_ scalar: Unicode.Scalar, _ pattern: [Unicode.Scalar], _ index: Int) -> Int? {
    if pattern[index] == "?" { return index + 1 }
    guard pattern[index] == "[", let close = pattern[(index + 1)...].dropFirst().firstIndex(of: "]") else {
      return pattern[index] == scalar ? index + 1 : nil
    }
    var set = pattern[(index + 1)..<close]
    let isNegated = set.first == "!" || set.first == "^"
    if isNegated { set = set.dropFirst() }
    var isIn = false
    var place = set.startIndex
    while place < set.endIndex {
      if place + 2 < set.endIndex, set[place + 1] == "-" {
        if set[place] <= scalar, scalar <= set[place + 2] { isIn = true }
        place += 3
      } else {
        if set[place] == scalar { isIn = true }
        place += 1
      }
    }
    return isIn != isNegated ? close + 1 : nil
  }
}
