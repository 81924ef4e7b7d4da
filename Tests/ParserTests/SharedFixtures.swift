import Foundation
import GQLBase
import GQLParser
import Testing

/// Documents that live outside the repository, beside its checkout or where `GQLITE_SHARED` says.
enum SharedFixtures {
  static let root: URL? = {
    let environment = ProcessInfo.processInfo.environment["GQLITE_SHARED"]
    let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    let candidate = environment.map { URL(filePath: $0) } ?? repository.appending(path: "../shared").standardizedFileURL
    return FileManager.default.fileExists(atPath: candidate.path) ? candidate : nil
  }()

  static let graphQL: URL? = {
    guard let folder = root?.appending(path: "conformance/graphql"),
      FileManager.default.fileExists(atPath: folder.path)
    else { return nil }
    return folder
  }()

  static let missing: Comment = "shared conformance documents are missing: set GQLITE_SHARED"

  /// The documents of one class, by file name: `valid`, `realworld` or `invalid`.
  static func documents(_ group: String) throws -> [SourceText] {
    guard let folder = graphQL?.appending(path: group) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      SourceText(name: "\(group)/\(name)", bytes: Array(try Data(contentsOf: folder.appending(path: name))))
    }
  }

  /// The expected trees, by the path of their document.
  static func trees() throws -> [String: Substring] {
    guard let file = graphQL?.appending(path: "valid_ast.ndjson") else { return [:] }
    var trees: [String: Substring] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let prefix = "{\"file\":\""
      guard line.hasPrefix(prefix), let end = line.range(of: "\",\"ast\":") else { continue }
      trees[String(line[line.index(line.startIndex, offsetBy: prefix.count)..<end.lowerBound])] =
        line[end.upperBound...].dropLast()
    }
    return trees
  }
}

extension SourceText {
  init(_ text: String) { self.init(name: "query", text: text) }
}

/// Diagnostics as `line:column code` for messages of failing tests.
func summary(_ diagnostics: [Diagnostic], _ source: SourceText) -> String {
  diagnostics.map { diagnostic in
    let place = source.position(at: diagnostic.range.start)
    return "\(place.line):\(place.column) \(diagnostic.code): \(diagnostic.message)"
  }.joined(separator: "\n")
}
