#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLCatalog
import GQLRegex
import GQLStore
import GQLWriting

/// Functions that make texts and lists. Parts of a long text point into it, since all texts outlive a batch.
extension Evaluator {
  private func element(_ node: Int32) -> ValueType {
    if case .list(let element) = type(node) { element } else { .null }
  }

  /// A part of a text that needs no escapes has none either.
  private func part(_ start: UnsafeRawPointer, _ count: Int, of cell: Cell) -> Cell {
    let flags = cell.low & TextView.escapeFlag == 0 ? 0 : TextView.escapeFlag(start, count)
    return TextView(start, count: count, flags: flags).cell
  }

  // MARK: - slice

  func slice(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide, .word, .word) else { return }
    let first = argument(node, 0)
    let a = vector(first)
    let from = vector(argument(node, 1))
    let to = node.operandCount > 2 ? vector(argument(node, 2)) : nil
    if case .list(let element) = type(first) {
      for index in 0..<count where out.validity[index] == 1 {
        let run = ListRun(a.cells[index], element)
        try execution.charge(run.count * 8)
        let range = Self.range(from.words[index], to?.words[index], run.count)
        try reserveList(range.count, node, at: index)
        out.cells[index] = execution.scratch.list(count: range.count, element) { place in
          let place = range.lowerBound + place
          return run.isNull(place) ? nil : run.cell(place)
        }
      }
      return
    }
    for index in 0..<count where out.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      try execution.charge(text.count / 4)
      let total = TextMapping.scalarCount(text.start, text.count)
      let range = Self.range(from.words[index], to?.words[index], total)
      var start = range.lowerBound
      var end = range.upperBound
      if total != text.count {
        start = TextMapping.offset(ofScalar: range.lowerBound, text.start, text.count, from: 0)
        end = TextMapping.offset(ofScalar: range.count, text.start, text.count, from: start)
      }
      out.cells[index] = part(text.start + start, end - start, of: a.cells[index])
    }
  }

  /// Negative places count from the end; places beyond either end are that end.
  private static func range(_ from: Int64, _ to: Int64?, _ count: Int) -> Range<Int> {
    func place(_ place: Int64) -> Int {
      let absolute = place < 0 ? place + Int64(count) : place
      return Int(min(max(absolute, 0), Int64(count)))
    }
    let lower = place(from)
    return lower..<max(lower, to.map(place) ?? count)
  }

  // MARK: - concat, replace, split, padStart

  func concat(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide) else { return }
    let nodes = arguments(node)
    guard let first = nodes.first else { return setNull(out) }
    if case .list(let element) = type(first) {
      for index in 0..<count where out.validity[index] == 1 {
        var cells: [Cell?] = []
        for argument in nodes {
          let run = ListRun(vector(argument).cells[index], element)
          try reserveList(cells.count + run.count, node, at: index)
          try execution.charge(run.count * 8)
          for place in 0..<run.count { cells.append(run.isNull(place) ? nil : run.cell(place)) }
        }
        out.cells[index] = execution.scratch.list(cells, element)
      }
      return
    }
    var buffer: [UInt8] = []
    for index in 0..<count where out.validity[index] == 1 {
      buffer.removeAll(keepingCapacity: true)
      var flags: UInt64 = 0
      for argument in nodes {
        let text = TextView.bytes(at: vector(argument).cells + index)
        flags |= vector(argument).cells[index].low & TextView.escapeFlag
        try reserveText(buffer.count + text.count, node, at: index)
        try execution.charge(text.count)
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: text.start, count: text.count))
      }
      out.cells[index] = scratchText(buffer, flags: flags)
    }
  }

  func replace(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide) else { return }
    let (a, b, c) = (vector(argument(node, 0)), vector(argument(node, 1)), vector(argument(node, 2)))
    var buffer: [UInt8] = []
    for index in 0..<count where out.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let needle = TextView.bytes(at: b.cells + index)
      let other = TextView.bytes(at: c.cells + index)
      guard var next = try TextSearch.find(text, needle, from: 0, execution) else {
        out.cells[index] = part(text.start, text.count, of: a.cells[index])
        continue
      }
      buffer.removeAll(keepingCapacity: true)
      var start = 0
      while true {
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: text.start + start, count: next - start))
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: other.start, count: other.count))
        try reserveText(buffer.count, node, at: index)
        try execution.charge(next - start + other.count + 8)
        start = next + needle.count
        guard let found = try TextSearch.find(text, needle, from: start, execution) else {
          break
        }
        next = found
      }
      buffer.append(contentsOf: UnsafeRawBufferPointer(start: text.start + start, count: text.count - start))
      try reserveText(buffer.count, node, at: index)
      let flags = buffer.withUnsafeBytes { bytes in
        bytes.baseAddress.map { TextView.escapeFlag($0, bytes.count) } ?? 0
      }
      out.cells[index] = scratchText(buffer, flags: flags)
    }
  }

  func split(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide) else { return }
    let (a, b) = (vector(argument(node, 0)), vector(argument(node, 1)))
    for index in 0..<count where out.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let separator = TextView.bytes(at: b.cells + index)
      var cells: [Cell?] = []
      var start = 0
      if separator.count == 0 {
        while start < text.count {
          let length = TextMapping.offset(ofScalar: 1, text.start, text.count, from: start) - start
          cells.append(part(text.start + start, length, of: a.cells[index]))
          if cells.count & 1023 == 0 {
            try reserveList(cells.count, node, at: index)
            try execution.charge(1 << 14)
          }
          start += length
        }
      } else {
        while let next = try TextSearch.find(text, separator, from: start, execution) {
          cells.append(part(text.start + start, next - start, of: a.cells[index]))
          if cells.count & 1023 == 0 {
            try reserveList(cells.count, node, at: index)
            try execution.charge(1 << 14)
          }
          start = next + separator.count
        }
        cells.append(part(text.start + start, text.count - start, of: a.cells[index]))
      }
      try reserveList(cells.count, node, at: index)
      out.cells[index] = execution.scratch.list(cells, .string)
    }
  }

  func padStart(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide, .word, .wide) else { return }
    let (a, n, b) = (vector(argument(node, 0)), vector(argument(node, 1)), vector(argument(node, 2)))
    var buffer: [UInt8] = []
    for index in 0..<count where out.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let pad = TextView.bytes(at: b.cells + index)
      let length = n.words[index]
      var missing = Int(max(length, 0)) - TextMapping.scalarCount(text.start, text.count)
      guard missing > 0, pad.count > 0 else {
        out.cells[index] = part(text.start, text.count, of: a.cells[index])
        continue
      }
      let width = TextMapping.scalarCount(pad.start, pad.count)
      // Whole pads, then a part of one.
      let tail = TextMapping.offset(ofScalar: missing % width, pad.start, pad.count, from: 0)
      let (whole, overflow) = (missing / width).multipliedReportingOverflow(by: pad.count)
      let (bytes, isBeyond) = whole.addingReportingOverflow(tail + text.count)
      try reserveText(overflow || isBeyond ? Int.max : bytes, node, at: index)
      buffer.removeAll(keepingCapacity: true)
      while missing >= width {
        let pads = buffer.repeatPad(UnsafeRawBufferPointer(start: pad.start, count: pad.count), atMost: missing / width)
        try execution.charge(pads * pad.count + 8)
        missing -= pads * width
      }
      buffer.append(contentsOf: UnsafeRawBufferPointer(start: pad.start, count: tail))
      buffer.append(contentsOf: UnsafeRawBufferPointer(start: text.start, count: text.count))
      let flags = (a.cells[index].low | b.cells[index].low) & TextView.escapeFlag
      out.cells[index] = scratchText(buffer, flags: flags)
    }
  }

  // MARK: - sort

  /// Ascending, nulls last, equal elements in their order.
  func sort(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide) else { return }
    let first = argument(node, 0)
    let a = vector(first)
    let element = element(first)
    for index in 0..<count where out.validity[index] == 1 {
      let run = ListRun(a.cells[index], element)
      var cells: [(cell: Cell, place: Int)] = []
      for place in 0..<run.count where !run.isNull(place) { cells.append((run.cell(place), place)) }
      let nulls = run.count - cells.count
      do {
        try cells.sort { left, right in
          try execution.charge(16)
          let order = CellOrder.compare(left.cell, right.cell, element, execution)
          return order != 0 ? order < 0 : left.place < right.place
        }
      } catch {
        // Nothing else is thrown: the time is up, or the run cancelled.
        try execution.checkpoint()
      }
      try reserveList(run.count, node, at: index)
      let sorted = run.count - nulls
      out.cells[index] = execution.scratch.list(count: run.count, element) { $0 < sorted ? cells[$0].cell : nil }
    }
  }

  // MARK: - extract

  func extract(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let group = vector(argument(node, 2))
    guard strict(node, out, kinds: .wide, .wide, group.kind == .word ? .word : .wide) else { return }
    let (a, b) = (vector(argument(node, 0)), vector(argument(node, 1)))
    var last = lastRegex(index)
    for position in 0..<count where out.validity[position] == 1 {
      let matcher = try regexMatcher(index, b.cells + position, node, position, &last)
      let pattern = matcher.pattern
      let scratch = matcher.scratch
      let number = try self.group(group, position, pattern, node)
      let text = TextView.bytes(at: a.cells + position)
      if text.count > Self.longSearch { scratch.heed(execution.interruption) }
      switch pattern.find(text.start.assumingMemoryBound(to: UInt8.self), text.count, from: 0, scratch) {
      case .limitExceeded(let limit): throw problem(.patternLimit(limit), node, at: position)
      case .interrupted:
        try execution.checkpoint()
        out.validity[position] = 0
      case .notMatched: out.validity[position] = 0
      case .matched:
        if let range = scratch.range(ofGroup: number) {
          out.cells[position] = part(text.start + range.lowerBound, range.count, of: a.cells[position])
        } else {
          out.validity[position] = 0
        }
      }
    }
  }

  private func group(
    _ group: Vector, _ position: Int, _ pattern: Pattern, _ node: Node
  ) throws(RuntimeProblem) -> Int {
    let name: String
    if group.kind == .word {
      let number = group.words[position]
      if number >= 0, number <= Int64(pattern.captureCount) { return Int(number) }
      name = String(number)
    } else {
      name = TextView(group.cells[position]).withBytes { start, count in
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
      }
      if let number = pattern.group(named: name) { return number }
    }
    throw problem(.invalidPattern(message: "it has no group '\(name.prefix(60))'", offset: 0), node, at: position)
  }
}

extension TextMapping {
  /// Where the n-th code point from a place on begins; the end if there are fewer.
  static func offset(ofScalar number: Int, _ start: UnsafeRawPointer, _ count: Int, from: Int) -> Int {
    var left = number
    var index = from
    while index < count {
      if start.load(fromByteOffset: index, as: UInt8.self) & 0xC0 != 0x80 {
        if left == 0 { return index }
        left -= 1
      }
      index += 1
    }
    return count
  }
}

extension [UInt8] {
  /// Appends as many pads as it has already, at least one, and returns their number: long texts are copied in long
  /// pieces. Precondition: it has nothing but pads.
  fileprivate mutating func repeatPad(_ pad: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    if isEmpty {
      append(contentsOf: pad)
      return 1
    }
    let pads = Swift.min(count / pad.count, limit)
    append(contentsOf: self[..<(pads * pad.count)])
    return pads
  }
}
