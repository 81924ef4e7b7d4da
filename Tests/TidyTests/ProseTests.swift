import Foundation
import Testing

/// Documents are written in plain words.
@Suite struct ProseTests {
  /// The documents for users; those for people who change the code are not among them.
  static let documents = Repository.files(in: ["docs"], extensions: ["md"]) + named(["README.md", "CHANGELOG.md"])
  /// Those that a newcomer reads first.
  static let firstDocuments = documents.filter {
    ["README.md", "CHANGELOG.md", "docs/start.md", "docs/cookbook.md", "docs/indexes.md", "docs/embedding.md"]
      .contains($0.path)
  }

  private static func named(_ paths: Set<String>) -> [Repository.File] {
    Repository.files(extensions: ["md"]).filter { paths.contains($0.path) }
  }

  /// The lines outside of blocks of code, with code in a line as one word.
  private static func prose(_ file: Repository.File) -> [(number: Int, text: String)] {
    var isCode = false
    var result: [(number: Int, text: String)] = []
    for (number, line) in file.lines.enumerated() {
      let isFence = line.hasPrefix("```")
      if isFence { isCode.toggle() }
      if isCode || isFence || line.hasPrefix("<!--") { continue }
      let text = String(line).replacing(#/`[^`]*`/#, with: "x").replacing(#/\]\([^)]*\)/#, with: "]")
      result.append((number, text))
    }
    return result
  }

  @Test func documentsUsePlainWords() {
    // Each has a plainer one: after, untrusted, again, by that, returns.
    let forbidden: Set<String> = ["behind", "nobody", "vouches", "anew", "thereby", "whereupon"]
    let command = Repository.files(in: ["Sources/gqlite"], extensions: ["swift"])
    for file in Self.documents + command.filter({ $0.path.hasSuffix("/Help.swift") }) {
      for (number, text) in Self.prose(file) {
        for word in text.lowercased().split(whereSeparator: { !$0.isLetter }) where forbidden.contains(String(word)) {
          Issue.record("\(file.place(number)): '\(word)'")
        }
      }
    }
  }

  @Test func sentencesOfFirstDocumentsAreShort() {
    #expect(Self.firstDocuments.count == 6)
    for file in Self.firstDocuments {
      // Cells of tables and headings are no sentences.
      for (number, text) in Self.prose(file) where !text.hasPrefix("|") && !text.hasPrefix("#") {
        for sentence in text.split(separator: #/[.:;!?](?:\s+|$)/#) {
          let words = sentence.split(separator: " ").filter { $0.contains(where: \.isLetter) }
          #expect(words.count <= 25, "\(file.place(number)): \(words.count) words: \(sentence)")
        }
      }
    }
  }
}
