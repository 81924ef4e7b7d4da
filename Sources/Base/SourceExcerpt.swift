/// One line of a text as a terminal can show it, and where to put carets under it.
///
/// Tabs become spaces, what would upset a terminal becomes U+FFFD, wide and combining characters count as the columns
/// they take, and a long line is cut around the range, with `…` where something is missing.
struct SourceExcerpt {
  private(set) var text = ""
  /// Columns before the first caret.
  private(set) var indent = 0
  /// At least one.
  private(set) var carets = 1

  private static let tabWidth = 4

  /// A character with what it takes on screen.
  private struct Cell {
    var text: String.UnicodeScalarView
    var width: Int
    /// Its bytes in the source.
    var range: Range<Int>
  }

  init(_ source: SourceText, line number: Int, range: SourceRange, maximumWidth: Int) {
    let line = source.line(number)
    let start = min(max(Int(range.start), line.startIndex), line.endIndex)
    let end = min(max(Int(range.end), start), line.endIndex)

    // A line may be megabytes long, so only what can be seen is decoded: no character has more than four bytes, nor
    // do more than a few combine.
    let reach = maximumWidth * 8
    var from = max(line.startIndex, start - reach)
    while from > line.startIndex, line[from] & 0xC0 == 0x80 { from -= 1 }
    let to = min(line.endIndex, start + reach)
    var cells = SourceExcerpt.cells(line[from..<to])
    let isCutBefore = from > line.startIndex
    let isCutAfter = to < line.endIndex

    let first = cells.firstIndex { $0.range.upperBound > start } ?? cells.count
    let last = max(cells.firstIndex { $0.range.lowerBound >= end } ?? cells.count, first)
    var low = 0
    var high = cells.count
    let width = cells.reduce(0) { $0 + $1.width }
    if width > maximumWidth || isCutBefore || isCutAfter {
      // A third of the room stands before the range, the rest shows it and what follows.
      let room = maximumWidth - 2
      low = first
      var used = 0
      while low > 0, used + cells[low - 1].width <= room / 3 {
        low -= 1
        used += cells[low].width
      }
      high = low
      used = 0
      while high < cells.count, used + cells[high].width <= room {
        used += cells[high].width
        high += 1
      }
      // At the end of a line the room is better spent before the range.
      while low > 0, used + cells[low - 1].width <= room {
        low -= 1
        used += cells[low].width
      }
    }
    var view = String.UnicodeScalarView()
    if low > 0 || isCutBefore {
      view.append("…")
      indent = 1
    }
    // A combining mark must not join the frame before it.
    if low < high, cells[low].width == 0 { cells[low].text = "\u{FFFD}".unicodeScalars; cells[low].width = 1 }
    for cell in cells[low..<high] { view.append(contentsOf: cell.text) }
    if high < cells.count || isCutAfter { view.append("…") }
    text = String(view)
    while text.last == " " { text.removeLast() }
    indent += cells[low..<min(max(first, low), high)].reduce(0) { $0 + $1.width }
    if first < last {
      carets = max(cells[first..<min(max(last, first), max(high, first))].reduce(0) { $0 + $1.width }, 1)
    }
  }

  /// Decodes a part of a line; combining characters join the one before them.
  private static func cells(_ bytes: ArraySlice<UInt8>) -> [Cell] {
    var result: [Cell] = []
    result.reserveCapacity(bytes.count)
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var index = 0
      var column = 0
      while index < buffer.count {
        let length = max(UTF8Validation.sequenceLength(base + index, buffer.count - index), 1)
        let text = String(decoding: UnsafeBufferPointer(start: base + index, count: length), as: UTF8.self)
        let scalar = text.unicodeScalars.first ?? "\u{FFFD}"
        let range = bytes.startIndex + index..<bytes.startIndex + index + length
        index += length
        if scalar == "\t" {
          let spaces = tabWidth - column % tabWidth
          result.append(Cell(text: String(repeating: " ", count: spaces).unicodeScalars, width: spaces, range: range))
        } else if DisplayWidth.isUnprintable(scalar) {
          result.append(Cell(text: "\u{FFFD}".unicodeScalars, width: 1, range: range))
        } else {
          let width = DisplayWidth.columns(scalar)
          if width == 0, !result.isEmpty, result[result.count - 1].text.count < 8 {
            result[result.count - 1].text.append(scalar)
            result[result.count - 1].range = result[result.count - 1].range.lowerBound..<range.upperBound
            continue
          }
          result.append(Cell(text: text.unicodeScalars, width: width, range: range))
        }
        column += result[result.count - 1].width
      }
    }
    return result
  }
}
