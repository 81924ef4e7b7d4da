import Foundation

/// The files of this checkout.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

  /// A text file of the repository.
  struct File: Sendable {
    /// The path from the repository's root.
    let path: String
    let lines: [Substring]

    /// `path:line` for messages; `line` counts from 0.
    func place(_ line: Int) -> String { "\(path):\(line + 1)" }

    /// The lines of Swift that hold one of `words` outside comments and quotes, as far as that shows in one line.
    ///
    /// The rest is looked at no further, because there are many lines and patterns are slow.
    func code(holding words: [String]) -> [(number: Int, line: String)] {
      lines.enumerated().compactMap { number, line in
        guard words.contains(where: { line.utf8.contains($0.utf8) }) else { return nil }
        var text = line.replacing(#/"(?:[^"\\]|\\.)*"/#, with: "\"\"")
        if let comment = text.firstRange(of: "//") { text.removeSubrange(comment.lowerBound...) }
        return words.contains(where: text.contains) ? (number, String(text)) : nil
      }
    }
  }

  /// Files under `folders` (all of the repository when empty) whose extension is one of `extensions`; hidden folders and
  /// build products are left out. Extension "" means files without one.
  static func files(in folders: [String] = [""], extensions: Set<String>) -> [File] {
    folders.flatMap { folder in
      let start = folder.isEmpty ? root : root.appending(path: folder)
      return paths(below: start).filter { extensions.contains($0.pathExtension) }.compactMap(read)
    }
  }

  /// Whether anything is at a path from the root.
  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root.appending(path: path).path) }

  private static func paths(below folder: URL) -> [URL] {
    let keys: [URLResourceKey] = [.isRegularFileKey]
    guard
      let walk = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
    else { return [] }
    var found: [URL] = []
    for case let url as URL in walk where (try? url.resourceValues(forKeys: Set(keys)).isRegularFile) == true {
      found.append(url.standardizedFileURL)
    }
    return found.sorted { $0.path < $1.path }
  }

  private static func read(_ url: URL) -> File? {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return File(path: String(url.path.dropFirst(root.path.count).drop { $0 == "/" }), lines: lines)
  }
}
