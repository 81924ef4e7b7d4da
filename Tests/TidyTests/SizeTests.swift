import Foundation
import Testing

/// How large types and functions are, and in how many files one fact is named. What is beyond the measure stands here
/// with its size: the lists only shrink.
@Suite struct SizeTests {
  private struct Block {
    var name: String
    var place: String
    var lines: Int
  }

  private static let sources = Repository.files(in: ["Sources"], extensions: ["swift"])

  /// Types of more than 1,500 lines over all their extensions: what they may have at most.
  private static let largeTypes = [
    // A binder of its own for each clause is to come.
    "Binder": 11_546,
    "Parser": 3_360, "WriteTransaction": 3_040, "Evaluator": 2_740, "Optimizer": 1_923, "SchemaBuilder": 1_750,
    "Database": 1_720, "Mutator": 1_641,
  ]

  /// Functions of more than 80 lines.
  private static let longFunctions = [
    // A case for each kind of expression.
    "make": 257, "text": 84, "writeFields": 136,
    "addGenerated": 138, "checkDocument": 85, "readField": 85, "init": 90,
  ]

  @Test func typesAreOfOneJob() {
    var sizes: [String: Int] = [:]
    for file in Self.sources {
      // The models of classes have a `Database` of their own.
      let prefix = file.path.hasPrefix("Sources/StateLibrary/") ? "State." : ""
      for block in Self.blocks(file, of: Self.typeName) {
        let name = block.name.split(separator: ".").last.map(String.init) ?? block.name
        sizes[prefix + name, default: 0] += block.lines
      }
    }
    for (name, lines) in sizes.sorted(by: { $0.key < $1.key }) {
      let limit = Self.largeTypes[name] ?? 1_500
      #expect(lines <= limit, "\(name) has \(lines) lines over all its extensions, at most \(limit)")
    }
    for (name, limit) in Self.largeTypes {
      let lines = sizes[name] ?? 0
      #expect(lines > max(1_500, limit - 200), "\(name) has shrunk to \(lines) lines: lower its limit of \(limit)")
    }
  }

  @Test func functionsAreShort() {
    var found: Set<String> = []
    for file in Self.sources {
      for function in Self.blocks(file, of: Self.functionName) where function.lines > 80 {
        found.insert(function.name)
        let limit = Self.longFunctions[function.name] ?? 80
        #expect(function.lines <= limit, "\(function.place): \(function.name) has \(function.lines) lines")
      }
    }
    for name in Self.longFunctions.keys where !found.contains(name) {
      Issue.record("\(name) is no longer long: take it off the list")
    }
  }

  /// A new access path is written down in few places, to which the compiler leads.
  @Test func accessPathsAreNamedInFewFiles() {
    for path in [".lookupEach", ".timeRange", ".hashJoin"] {
      let files = Self.sources.filter { !$0.code(holding: [path]).isEmpty }.map(\.path)
      #expect(files.count <= 6, "\(path) is named in \(files.count) files: \(files)")
    }
  }

  /// What depends on the kind of an index asks `IndexDescriptor.Kind.facts`, or is behind `EntityIndex`.
  @Test func kindsOfIndexesAreNamedInFewFiles() {
    for (kind, limit) in [(".trigram", 5), (".fullText", 7), (".btree", 6)] {
      let files = Self.sources.filter { file in
        file.code(holding: [kind]).contains { line in
          line.line.ranges(of: kind).contains { !(line.line[$0.upperBound...].first?.isLetter ?? false) }
        }
      }.map(\.path)
      #expect(files.count <= limit, "\(kind) is named in \(files.count) files: \(files)")
    }
    for path in [".textSearch(", ".trigramCandidates(", ".elementCandidates("] {
      let files = Self.sources.filter { !$0.code(holding: [path]).isEmpty }.map(\.path)
      #expect(files.count <= 4, "\(path) is named in \(files.count) files: \(files)")
    }
  }

  private static func typeName(_ line: Substring) -> String? {
    guard let first = line.first, first != " ", first != "/" else { return nil }
    let words = line.split(separator: " ")
    let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "extension"]
    guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count else { return nil }
    return String(words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
  }

  private static func functionName(_ line: Substring) -> String? {
    let code = line.drop { $0 == " " }
    // Few lines begin with what a declaration begins with.
    guard let first = code.first, first.isLowercase || first == "@" else { return nil }
    if let start = code.range(of: "func ") {
      return String(code[start.upperBound...].prefix { $0 != "(" && $0 != "<" && $0 != " " })
    }
    guard let start = code.range(of: "init("), !code[..<start.lowerBound].contains(where: { ".=({".contains($0) })
    else { return nil }
    return "init"
  }

  /// The blocks of a file whose first line has a name, found by the brace that closes them in the same column.
  private static func blocks(_ file: Repository.File, of name: (Substring) -> String?) -> [Block] {
    var result: [Block] = []
    var number = 0
    while number < file.lines.count {
      let line = file.lines[number]
      guard let name = name(line) else {
        number += 1
        continue
      }
      let indent = line.prefix { $0 == " " }
      var last = number
      // A declaration may go on over several lines. One without a body ends at the next empty line.
      var isOpen = line.hasSuffix("{")
      while last < file.lines.count, !isEnd(file.lines[last], indent, last == number) {
        last += 1
        guard last < file.lines.count, !isOpen else { continue }
        if file.lines[last].isEmpty { break }
        isOpen = file.lines[last].hasSuffix("{")
      }
      if last < file.lines.count {
        result.append(
          Block(name: name, place: file.place(number), lines: last - number + 1))
      }
      number += 1
    }
    return result
  }

  private static func isEnd(_ line: Substring, _ indent: Substring, _ isFirst: Bool) -> Bool {
    isFirst ? line.contains("{") && line.hasSuffix("}") : line == indent + "}"
  }
}
