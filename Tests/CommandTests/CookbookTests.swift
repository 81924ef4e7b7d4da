import CSQLite3
import Foundation
import GQLite
import Testing

/// Each task of docs/cookbook.md has the same answer in SQL, in jq and in the language.
///
/// ``DocumentationTests`` run the language; its answers stand in the document, with which the others are compared.
@Suite struct CookbookTests {
  /// A section `### 7 A text that contains another`.
  struct Recipe: Sendable, CustomTestStringConvertible {
    let title: String
    /// The texts of the blocks by their languages.
    let blocks: [String: String]
    var testDescription: String { title }
  }

  static let recipes: [Recipe] = {
    guard let file = try? DocumentationFile(path: "docs/cookbook.md") else { return [] }
    let headings = file.lines.indices.filter { file.lines[$0].hasPrefix("### ") }
    return headings.enumerated().map { place, start in
      let end = place + 1 < headings.count ? headings[place + 1] : file.lines.count
      let blocks = file.blocks.filter { (start..<end).contains($0.lines.lowerBound) }
      return Recipe(
        title: String(file.lines[start].dropFirst(4)),
        blocks: Dictionary(blocks.map { ($0.language, $0.text) }, uniquingKeysWith: { first, _ in first }))
    }
  }()

  static let folder = DocumentationFile.root.appending(path: "Examples/shop")

  static let jqBinary: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(filePath: String($0)).appending(path: "jq") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  @Test func fortySixTasks() { #expect(Self.recipes.count == 46) }

  @Test(arguments: recipes) func sameInSQL(_ recipe: Recipe) throws {
    let expected = try rows(of: recipe)
    #expect(try table(#require(recipe.blocks["sql"])).map(normalized) == expected)
  }

  @Test(.enabled(if: jqBinary != nil, "jq is not installed"), arguments: recipes)
  func sameInJq(_ recipe: Recipe) throws {
    let expected = try rows(of: recipe)
    let result = try Gqlite.run(
      #require(Self.jqBinary), ["-c", #require(recipe.blocks["jq"]), Self.folder.appending(path: "shop.json").path])
    #expect(result.errors.isEmpty)
    #expect(try result.output.split(separator: "\n").map { normalized(try Value(json: String($0))) } == expected)
  }

  /// The rows of the answer in the document: those of its one list, or the answer as one row.
  private func rows(of recipe: Recipe) throws -> [Value] {
    var answer = try Value(json: try #require(recipe.blocks["json"]))
    while case .object(let members) = answer, members.count == 1, let only = members.first?.value {
      switch only {
      case .list, .object: answer = only
      case .null, .bool, .int, .double, .number, .string: return [normalized(answer)]
      }
    }
    return (answer.list ?? [answer]).map(normalized)
  }

  /// A value without what the three write differently: an id is a text or a number, a number has a fraction or none.
  private func normalized(_ value: Value) -> Value {
    switch value {
    case .string(let text): Double(text).map { .double($0) } ?? value
    case .int, .number, .double: value.double.map { .double($0) } ?? value
    case .list(let elements): .list(elements.map(normalized))
    case .object(let members): .object(members.map { Value.Member($0.name, normalized($0.value)) })
    case .null, .bool: value
    }
  }

  /// The rows that a statement returns, on a copy of the file; a text that holds JSON is that JSON.
  private func table(_ sql: String) throws -> [Value] {
    let scratch = try Scratch()
    let copy = scratch.url.appending(path: "shop.sqlite")
    try FileManager.default.copyItem(at: Self.folder.appending(path: "shop.sqlite"), to: copy)
    var database: OpaquePointer?
    #expect(sqlite3_open(copy.path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    try #require(
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
      "\(String(cString: sqlite3_errmsg(database)))")
    defer { sqlite3_finalize(statement) }
    var rows: [Value] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        .object(
          (0..<sqlite3_column_count(statement)).map {
            Value.Member(String(cString: sqlite3_column_name(statement, $0)), column($0, of: statement))
          }))
    }
    return rows
  }

  private func column(_ index: Int32, of statement: OpaquePointer?) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      let text = String(cString: sqlite3_column_text(statement, index))
      let json = text.hasPrefix("[") || text.hasPrefix("{") ? try? Value(json: text) : nil
      return json ?? .string(text)
    default: return .null
    }
  }
}
