import Foundation
import GQLBase

/// A Markdown file, its fenced blocks, and what is to be written into it when expectations are brought up to date.
struct DocumentationFile {
  /// A fenced block.
  struct Block {
    /// What stands behind the opening fence.
    let language: String
    /// The text of the HTML comment on the line above; nil if there is none.
    let marker: String?
    /// Without the fences.
    let text: String
    /// The lines of the text, from 0.
    let lines: Range<Int>

    /// The part of the marker behind `key`; "" for a marker that is the key alone, nil for another marker.
    func marked(_ key: String) -> String? {
      guard let marker else { return nil }
      if marker == key { return "" }
      return marker.hasPrefix(key + ":") ? marker.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces) : nil
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

  /// README.md, ARCHITECTURE.md and what is in docs/, by their paths from the root.
  static let paths: [String] = {
    let docs = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
    return ["README.md", "ARCHITECTURE.md"] + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
  }()

  let path: String
  private(set) var lines: [String]
  let blocks: [Block]

  init(path: String) throws {
    self.path = path
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var blocks: [Block] = []
    var start: Int?
    for (number, line) in lines.enumerated() where line.hasPrefix("```") {
      if let first = start {
        let above = first >= 2 ? lines[first - 2] : ""
        let isComment = above.hasPrefix("<!-- ") && above.hasSuffix(" -->")
        blocks.append(
          Block(
            language: String(lines[first - 1].dropFirst(3)),
            marker: isComment ? String(above.dropFirst(5).dropLast(4)) : nil,
            text: lines[first..<number].joined(separator: "\n"), lines: first..<number))
        start = nil
      } else {
        start = number + 1
      }
    }
    self.blocks = blocks
  }

  func place(_ block: Block) -> String { "\(path):\(block.lines.lowerBound + 1)" }

  /// Writes the file with other texts in some blocks.
  func write(_ replacements: [(block: Block, text: String)]) throws {
    var lines = lines
    for (block, text) in replacements.sorted(by: { $0.block.lines.lowerBound > $1.block.lines.lowerBound }) {
      let new = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      lines.replaceSubrange(block.lines, with: new)
    }
    try lines.joined(separator: "\n").write(
      to: Self.root.appending(path: path), atomically: true, encoding: .utf8)
  }
}

/// JSON for people: what fits on a line stays on it.
enum ReadableJSON {
  static let width = 112

  /// One or more JSON texts, a line each.
  static func format(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      guard let value = try? JSONValue.parse(Array(line.utf8)) else { return String(line) }
      return format(value, depth: 0)
    }.joined(separator: "\n")
  }

  private static func format(_ value: JSONValue, depth: Int, around: Int = 0) -> String {
    let compact = value.json
    if depth * 2 + around + compact.count <= width { return compact }
    let indent = String(repeating: "  ", count: depth + 1)
    let end = "\n" + String(repeating: "  ", count: depth)
    switch value {
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { indent + format($0, depth: depth + 1, around: 1) }
      return "[\n" + lines.joined(separator: ",\n") + end + "]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { member -> String in
        let key = JSONValue.string(member.key).json + ": "
        return indent + key + format(member.value, depth: depth + 1, around: key.count + 1)
      }
      return "{\n" + lines.joined(separator: ",\n") + end + "}"
    default: return compact
    }
  }

  /// The same text for the same JSON, whatever its white space.
  static func normalized(_ text: String) -> String {
    var result = ""
    var isQuoted = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if !isQuoted, scalar == " " || scalar == "\n" { continue }
      result.unicodeScalars.append(scalar)
      if isEscaped {
        isEscaped = false
      } else if isQuoted, scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
      }
    }
    return result
  }
}
