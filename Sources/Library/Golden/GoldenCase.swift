import GQLBase
import GQLEngine

/// A `.query` file, what its header says, and the answers, plans or problems that stand beside it.
package struct GoldenCase {
  /// What is pinned, by the ending of its file.
  package enum Stage: String, CaseIterable { case json, plan, diagnostics }

  package let path: String
  package let bytes: [UInt8]
  /// `# key: value` lines before the first other line.
  package let header: [(key: String, value: String)]

  private static let keys: Set<String> = [
    "schema", "data", "vars", "operation", "dialect", "requires", "title", "timeout", "skip-bad", "now",
  ]

  /// - Throws: ``QueryError`` if the file cannot be read or its header has an unknown key.
  package init(path: String) throws(QueryError) {
    self.path = path
    bytes = try FileBytes.read(path)
    var header: [(key: String, value: String)] = []
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("#") else { break }
      if line.hasPrefix("#!") { continue }
      let text = line.dropFirst().drop { $0 == " " }
      guard let colon = text.firstIndex(of: ":") else { continue }
      let key = String(text[..<colon])
      guard Self.keys.contains(key) else { continue }
      header.append((key, String(text[text.index(after: colon)...].drop { $0 == " " })))
    }
    self.header = header
  }

  package func value(_ key: String) -> String? { header.first { $0.key == key }?.value }
  package func values(_ key: String) -> [String] { header.filter { $0.key == key }.map(\.value) }

  /// The path of the file that pins a stage.
  package func file(_ stage: Stage) -> String {
    String(path.dropLast(".query".count)) + "." + stage.rawValue
  }

  /// The stages that are pinned.
  package var stages: [Stage] { Stage.allCases.filter { FileBytes.exists(file($0)) } }

  /// A path of the header, relative to the document.
  package func resolve(_ relative: String) -> String {
    if relative.hasPrefix("/") { return relative }
    return folder + relative
  }

  /// Where the document lies, with a slash at its end; empty for a bare file name.
  package var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// A path that the case needs and that is not there.
  package var missingRequirement: String? {
    values("requires").first { !FileBytes.exists(resolve($0)) }
  }
}
