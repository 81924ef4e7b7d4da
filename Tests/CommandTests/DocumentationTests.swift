import Foundation
import GQLBase
import GQLite
import Testing

/// What README.md, ARCHITECTURE.md and docs/ show is what happens.
///
/// | Block | What is done with it |
/// |---|---|
/// | `sh` with `$ ` | each command is run in a folder that holds links to the repository's; the lines below are its output |
/// | any, under `file: F` | written to the file F, for the commands below |
/// | `graphql` under `run: DATA` | run; the next block holds the answers or the problems |
/// | `graphql` under `plan: DATA` | explained without costs; the next block holds the plans |
/// | `graphql` under `schema` | a schema without problems |
/// | `swift` | stands in a file of Examples/ |
///
/// `DATA` is a folder with a schema, or a file without one. It may be missing: the document defines its own types then.
/// `not run` excuses a block. Documents that parse stand as `gqlite fmt` writes them. `GQLITE_UPDATE_GOLDEN=1` writes
/// what came out.
@Suite struct DocumentationTests {
  @Test(arguments: DocumentationFile.paths)
  func snippets(_ path: String) throws {
    var file = try DocumentationFile(path: path)
    let replacements = file.blocks.compactMap { block in Self.formatted(block).map { (block: block, text: $0) } }
    if Self.updates, !replacements.isEmpty {
      try file.write(replacements)
      file = try DocumentationFile(path: path)
    } else {
      for (block, text) in replacements {
        Issue.record("\(file.place(block)): 'gqlite fmt' writes\n\(UnifiedDiff.text(block.text, text))")
      }
    }
    var runner = SnippetRunner(file: file, updates: Self.updates)
    try runner.run()
  }

  private static let updates = ProcessInfo.processInfo.environment["GQLITE_UPDATE_GOLDEN"] == "1"

  /// A document as the formatter writes it; nil where it stands so already, or shows what does not parse.
  private static func formatted(_ block: DocumentationFile.Block) -> String? {
    guard block.language == "graphql" || block.language == "gqlite",
      let bytes = try? QueryDocument.formatted(
        name: "block", bytes: Array((block.text + "\n").utf8), dialect: .extended)
    else { return nil }
    let text = String(decoding: bytes.dropLast(), as: UTF8.self)
    return text == block.text ? nil : text
  }

  /// Files that a text names are there.
  @Test(arguments: DocumentationFile.paths)
  func names(_ path: String) throws {
    let file = try DocumentationFile(path: path)
    let folder = DocumentationFile.root.appending(path: path).deletingLastPathComponent()
    let insideBlocks = file.blocks.reduce(into: Set<Int>()) { $0.formUnion($1.lines) }
    for (number, line) in file.lines.enumerated() where !insideBlocks.contains(number) {
      for match in line.matches(of: #/\]\((?!https?:|#)([^)#]+)/#) {
        let target = folder.appending(path: String(match.1)).path
        #expect(FileManager.default.fileExists(atPath: target), "\(path):\(number + 1): no \(match.1)")
      }
      for match in line.matches(of: #/`((?:Sources|Tests|Examples|Benchmarks|scripts|grammar)/[\w./+-]+)`/#) {
        let target = DocumentationFile.root.appending(path: String(match.1)).path
        #expect(FileManager.default.fileExists(atPath: target), "\(path):\(number + 1): no \(match.1)")
      }
    }
  }

  @Test("there is something to check") func documentsExist() { #expect(DocumentationFile.paths.count > 5) }
}

/// Runs the blocks of one file, top to bottom.
private struct SnippetRunner {
  let file: DocumentationFile
  private let updates: Bool
  private var databases: [String: Database] = [:]
  private var replacements: [(block: DocumentationFile.Block, text: String)] = []
  private var shell: Shell?
  private var index = 0

  init(file: DocumentationFile, updates: Bool) {
    self.file = file
    self.updates = updates
  }

  mutating func run() throws {
    while index < file.blocks.count {
      let block = file.blocks[index]
      index += 1
      if let path = block.marked("file") {
        try openShell().write(block.text + "\n", to: path)
      } else if block.marked("not run") != nil {
        continue
      } else {
        switch block.language {
        case "sh": try runCommands(block)
        case "graphql": try runDocument(block)
        case "swift": checkExcerpt(block)
        default: break
        }
      }
    }
    shell?.remove()
    if !replacements.isEmpty { try file.write(replacements) }
  }

  private mutating func openShell() throws -> Shell {
    if let shell { return shell }
    let opened = try Shell()
    shell = opened
    return opened
  }

  private mutating func expect(
    _ actual: String, in block: DocumentationFile.Block, normalize: (String) -> String = { $0 }
  ) {
    if normalize(actual) == normalize(block.text) { return }
    if updates {
      replacements.append((block, actual))
    } else {
      Issue.record("\(file.place(block))\n\(UnifiedDiff.text(block.text, actual))")
    }
  }

  // MARK: - Commands

  private mutating func runCommands(_ block: DocumentationFile.Block) throws {
    let lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first?.hasPrefix("$ ") == true else {
      Issue.record("\(file.place(block)): commands start with '$ '")
      return
    }
    let shell = try openShell()
    var shown = ""
    var position = 0
    while position < lines.count {
      var command = ""
      if lines[position].hasPrefix("$ ") {
        command = String(lines[position].dropFirst(2))
        shown += lines[position] + "\n"
        position += 1
        while position < lines.count, lines[position].hasPrefix("> ") {
          command += "\n" + lines[position].dropFirst(2)
          shown += lines[position] + "\n"
          position += 1
        }
      }
      while position < lines.count, !lines[position].hasPrefix("$ ") { position += 1 }
      let output = try shell.run(command)
      shown += output
      if !output.isEmpty, !output.hasSuffix("\n") { shown += "\n" }
    }
    if shown.hasSuffix("\n") { shown.removeLast() }
    expect(shown, in: block)
  }

  // MARK: - Documents

  private mutating func runDocument(_ block: DocumentationFile.Block) throws {
    if block.marked("schema") != nil {
      do {
        _ = try Database(schema: block.text)
      } catch {
        Issue.record("\(file.place(block))\n\(error)")
      }
      return
    }
    guard let data = block.marked("run") ?? block.marked("plan"), index < file.blocks.count else {
      Issue.record("\(file.place(block)): this block has no marker")
      return
    }
    let expected = file.blocks[index]
    index += 1
    var output = ""
    do {
      let document = try QueryDocument(name: "query", bytes: Array(block.text.utf8), dialect: .extended)
      let database = try database(data, document)
      if let warnings = try database.check(document) { output += warnings.description }
      for query in try database.prepareAll(document) {
        if block.marked("plan") != nil {
          output += try query.explain(costs: false)
        } else {
          output += ReadableJSON.format(try query.run().jsonString) + "\n"
        }
      }
    } catch let error as QueryError {
      output += error.description
    }
    while output.hasSuffix("\n") { output.removeLast() }
    if expected.language == "json" {
      expect(output, in: expected, normalize: ReadableJSON.normalized)
    } else {
      expect(output, in: expected)
    }
  }

  private mutating func database(_ data: String, _ document: QueryDocument) throws -> Database {
    if document.definesTypes {
      let database = try Database(schemaTexts: [(document.sourceName, document.schemaBytes)])
      if document.looksBack { database.recentVersions = 64 << 20 }
      return database
    }
    if let known = databases[data] { return known }
    let folder = DocumentationFile.root.appending(path: data)
    let schema = folder.appending(path: "schema.graphql")
    let database = FileManager.default.fileExists(atPath: schema.path) ? try Database(schemaAt: schema) : Database()
    try database.load(path: folder.path)
    databases[data] = database
    return database
  }

  // MARK: - Excerpts

  private func checkExcerpt(_ block: DocumentationFile.Block) {
    let examples = DocumentationFile.root.appending(path: "Examples")
    let paths = FileManager.default.enumerator(atPath: examples.path)?.compactMap { $0 as? String } ?? []
    let isThere = paths.contains { path in
      guard path.hasSuffix(".swift"),
        let text = try? String(contentsOf: examples.appending(path: path), encoding: .utf8)
      else { return false }
      return ("\n" + text).contains("\n" + block.text + "\n")
    }
    #expect(isThere, "\(file.place(block)): no file of Examples/ has this text")
  }
}
