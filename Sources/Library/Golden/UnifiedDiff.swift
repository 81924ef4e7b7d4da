/// The lines in which two texts differ, with their surroundings, as `diff -u` shows them.
package enum UnifiedDiff {
  private enum Edit { case keep(Substring), remove(Substring), add(Substring) }

  package static func text(_ expected: String, _ actual: String, context: Int = 3) -> String {
    let edits = edits(lines(of: expected), lines(of: actual))
    let changed = edits.indices.filter { if case .keep = edits[$0] { false } else { true } }
    guard !changed.isEmpty else { return "" }
    var shown = Array(repeating: false, count: edits.count)
    for index in changed {
      for near in max(0, index - context)...min(edits.count - 1, index + context) { shown[near] = true }
    }
    var text = "--- expected\n+++ actual\n"
    var oldLine = 1
    var newLine = 1
    var index = 0
    while index < edits.count {
      var hunk = ""
      var oldCount = 0
      var newCount = 0
      while index < edits.count, shown[index] {
        switch edits[index] {
        case .keep(let line):
          hunk += " \(line)\n"
          oldCount += 1
          newCount += 1
        case .remove(let line):
          hunk += "-\(line)\n"
          oldCount += 1
        case .add(let line):
          hunk += "+\(line)\n"
          newCount += 1
        }
        index += 1
      }
      if !hunk.isEmpty { text += "@@ -\(range(oldLine, oldCount)) +\(range(newLine, newCount)) @@\n\(hunk)" }
      oldLine += oldCount
      newLine += newCount
      // Lines that are not shown are in both texts.
      while index < edits.count, !shown[index] {
        oldLine += 1
        newLine += 1
        index += 1
      }
    }
    return text
  }

  /// Returns the first line and the number of lines, which is left out if it is 1. An empty range names the line before.
  private static func range(_ line: Int, _ count: Int) -> String {
    count == 1 ? "\(line)" : "\(count == 0 ? line - 1 : line),\(count)"
  }

  /// Returns the lines of a text. The last one says so if no line feed ends it.
  private static func lines(of text: String) -> [Substring] {
    guard !text.isEmpty else { return [] }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty ?? false {
      lines.removeLast()
    } else if let last = lines.popLast() {
      lines.append("\(last)\n\\ No newline at end of file")
    }
    return lines
  }

  /// Common head and tail are cheap; what lies between is compared line by line up to a size, else shown as replaced.
  private static func edits(_ old: [Substring], _ new: [Substring]) -> [Edit] {
    var head = 0
    while head < old.count, head < new.count, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < old.count - head, tail < new.count - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
    let left = Array(old[head..<(old.count - tail)])
    let right = Array(new[head..<(new.count - tail)])
    var edits: [Edit] = old[..<head].map { .keep($0) }
    if left.count * right.count > 4_000_000 {
      edits += left.map { .remove($0) } + right.map { .add($0) }
    } else {
      edits += longestCommon(left, right)
    }
    return edits + old[(old.count - tail)...].map { .keep($0) }
  }

  private static func longestCommon(_ left: [Substring], _ right: [Substring]) -> [Edit] {
    let width = right.count + 1
    var lengths = [Int32](repeating: 0, count: (left.count + 1) * width)
    for i in stride(from: left.count - 1, through: 0, by: -1) {
      for j in stride(from: right.count - 1, through: 0, by: -1) {
        lengths[i * width + j] =
          left[i] == right[j]
          ? lengths[(i + 1) * width + j + 1] + 1 : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var edits: [Edit] = []
    var i = 0
    var j = 0
    while i < left.count || j < right.count {
      if i < left.count, j < right.count, left[i] == right[j] {
        edits.append(.keep(left[i]))
        i += 1
        j += 1
      } else if j == right.count || (i < left.count && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
        edits.append(.remove(left[i]))
        i += 1
      } else {
        edits.append(.add(right[j]))
        j += 1
      }
    }
    return edits
  }
}
