#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLCatalog
import GQLQuery
import GQLRegex
import GQLStore
import GQLWriting

extension Evaluator {
  func textTest(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let b = vector(node.b)
    guard a.kind == .wide, b.kind == .wide else { return setNull(out) }
    let truths = out.truths
    if b.isConstant {
      guard !b.isNull(0) else { return setNull(out) }
      let needle = TextView.bytes(at: b.cells)
      if node.textTest == .contains, needle.count > 0, liesInPage(node.a) {
        TextSearch.mark(needle, in: a, count, truths)
        for index in 0..<count where truths[index] == TextSearch.unknown {
          let text = TextView.bytes(at: a.cells + index)
          try execution.charge(text.count / 16)
          truths[index] = TextSearch.contains(text.start, text.count, needle.start, needle.count) ? 2 : 0
        }
        return
      }
      for index in 0..<count {
        guard a.validity[index] == 1 else {
          truths[index] = 1
          continue
        }
        let text = TextView.bytes(at: a.cells + index)
        if text.count > Self.longText { try execution.charge(text.count / 16) }
        truths[index] = TextSearch.test(node.textTest, text.start, text.count, needle.start, needle.count) ? 2 : 0
      }
      return
    }
    for index in 0..<count {
      guard a.validity[index] & b.validity[index] == 1 else {
        truths[index] = 1
        continue
      }
      let text = TextView.bytes(at: a.cells + index)
      let needle = TextView.bytes(at: b.cells + index)
      if text.count > Self.longText { try execution.charge(text.count / 16) }
      truths[index] = TextSearch.test(node.textTest, text.start, text.count, needle.start, needle.count) ? 2 : 0
    }
  }

  /// Whether a vector is a column of the page that is evaluated, where texts lie one behind the other.
  private func liesInPage(_ index: Int32) -> Bool {
    let node = block.nodes[Int(index)]
    return batch.isPage && node.operation == .column && node.flag
  }

  // MARK: - Patterns

  func like(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let b = vector(node.b)
    guard a.kind == .wide, b.kind == .wide else { return setNull(out) }
    var folded: [UInt8] = []
    var last: LikePattern?
    if case .like(let known)? = block.patterns[index] { last = known.first }
    if b.isConstant {
      guard !b.isNull(0) else { return setNull(out) }
      let pattern = try likePattern(index, b.cells, node, 0, &last)
      for position in 0..<count {
        out.truths[position] = a.validity[position] == 0 ? 1 : try matches(pattern, a.cells + position, &folded)
      }
      return
    }
    for position in 0..<count {
      guard a.validity[position] & b.validity[position] == 1 else {
        out.truths[position] = 1
        continue
      }
      let pattern = try likePattern(index, b.cells + position, node, position, &last)
      out.truths[position] = try matches(pattern, a.cells + position, &folded)
    }
  }

  private func matches(
    _ pattern: LikePattern, _ cell: UnsafePointer<Cell>, _ folded: inout [UInt8]
  ) throws(RuntimeProblem) -> UInt8 {
    let text = TextView.bytes(at: cell)
    let start = text.start.assumingMemoryBound(to: UInt8.self)
    guard text.count > Self.longText else { return pattern.matches(start, text.count, folding: &folded) ? 2 : 0 }
    var problem: RuntimeProblem?
    let execution = execution
    let isMatch = pattern.matches(start, text.count, folding: &folded) { bytes in
      do throws(RuntimeProblem) { try execution.charge(bytes) } catch { problem = error }
      return problem != nil
    }
    if let problem { throw problem }
    return isMatch ? 2 : 0
  }

  /// Bytes from which on a text counts as work of its own; shorter ones are many to a batch, and quick.
  static var longText: Int { 256 }

  /// The row's pattern; `last` unless its bytes differ, so that rows with one pattern compile it once.
  private func likePattern(
    _ index: Int, _ cell: UnsafePointer<Cell>, _ node: Node, _ position: Int, _ last: inout LikePattern?
  ) throws(RuntimeProblem) -> LikePattern {
    let source = TextView.bytes(at: cell)
    if source.count > Self.longText { try execution.charge(source.count / 16) }
    let bytes = UnsafeRawBufferPointer(start: source.start, count: source.count)
    if let last, last.isOf(bytes) { return last }
    var recent = RecentPatterns<LikePattern>()
    if case .like(let known)? = block.patterns[index] { recent = known }
    if let pattern = recent.find({ $0.isOf(bytes) }) {
      last = pattern
      block.patterns[index] = .like(recent)
      return pattern
    }
    let pattern: LikePattern
    do throws(PatternError) {
      pattern = try LikePattern([UInt8](bytes), ignoresCase: node.flag, execution.interruption)
    } catch {
      throw problem(.invalidPattern(message: error.message, offset: error.offset), node, at: position)
    }
    // What is due was so before: then the pattern was not read to its end.
    if bytes.count > Self.longText { try execution.checkpoint() }
    last = pattern
    recent.insert(pattern)
    block.patterns[index] = .like(recent)
    return pattern
  }

  func regex(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let b = vector(node.b)
    guard a.kind == .wide, b.kind == .wide else { return setNull(out) }
    var last = lastRegex(index)
    if b.isConstant {
      guard !b.isNull(0) else { return setNull(out) }
      let matcher = try regexMatcher(index, b.cells, node, 0, &last)
      if !matcher.needles.isEmpty, liesInPage(node.a) {
        matcher.markCandidates(in: a, count, out.truths)
        for position in 0..<count where out.truths[position] > 1 {
          out.truths[position] = try matches(matcher, a.cells + position, node, position)
        }
        return
      }
      for position in 0..<count {
        out.truths[position] =
          a.validity[position] == 0 ? 1 : try matches(matcher, a.cells + position, node, position)
      }
      return
    }
    for position in 0..<count {
      guard a.validity[position] & b.validity[position] == 1 else {
        out.truths[position] = 1
        continue
      }
      let matcher = try regexMatcher(index, b.cells + position, node, position, &last)
      out.truths[position] = try matches(matcher, a.cells + position, node, position)
    }
  }

  /// The regular expression that the node compiled last.
  func lastRegex(_ index: Int) -> RegexMatcher? {
    if case .regex(let known)? = block.patterns[index] { known.first } else { nil }
  }

  /// The row's pattern; `last` unless its bytes differ, so that rows with one pattern compile it once.
  func regexMatcher(
    _ index: Int, _ cell: UnsafePointer<Cell>, _ node: Node, _ position: Int, _ last: inout RegexMatcher?
  ) throws(RuntimeProblem) -> RegexMatcher {
    let source = TextView.bytes(at: cell)
    let limits = execution.limits.patterns
    if let last, last.isOf(source.start, source.count, limits) { return last }
    var recent = RecentPatterns<RegexMatcher>()
    if case .regex(let known)? = block.patterns[index] { recent = known }
    if let matcher = recent.find({ $0.isOf(source.start, source.count, limits) }) {
      last = matcher
      block.patterns[index] = .regex(recent)
      return matcher
    }
    do throws(PatternError) {
      let bytes = [UInt8](UnsafeRawBufferPointer(start: source.start, count: source.count))
      let matcher = try RegexMatcher(bytes, limits)
      last = matcher
      recent.insert(matcher)
      block.patterns[index] = .regex(recent)
      return matcher
    } catch {
      throw problem(.invalidPattern(message: error.message, offset: error.offset), node, at: position)
    }
  }

  private func matches(
    _ matcher: RegexMatcher, _ cell: UnsafePointer<Cell>, _ node: Node, _ position: Int
  ) throws(RuntimeProblem) -> UInt8 {
    let text = TextView.bytes(at: cell)
    guard matcher.mayMatch(UnsafeRawBufferPointer(start: text.start, count: text.count)) else { return 0 }
    let start = text.start.assumingMemoryBound(to: UInt8.self)
    if text.count > Self.longSearch { matcher.scratch.heed(execution.interruption) }
    let result = matcher.pattern.matches(start, text.count, matcher.scratch)
    // One match may take its limit of steps, some milliseconds: a batch of them would be too long.
    if execution.mayStop { try execution.checkpoint() }
    switch result {
    case .matched: return 2
    case .notMatched: return 0
    case .limitExceeded(let limit): throw problem(.patternLimit(limit), node, at: position)
    case .interrupted:
      try execution.checkpoint()
      return 0
    }
  }

  /// Shorter texts are searched without a look at the time.
  static var longSearch: Int { 512 }

  // MARK: - Functions

  /// `fold`, `lower`, `upper`, `trim`.
  func mapText(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    guard a.kind == .wide else { return setNull(out) }
    var buffer: [UInt8] = []
    for index in 0..<count {
      let isValid = a.validity[index]
      out.validity[index] = isValid
      guard isValid == 1 else { continue }
      let text = TextView.bytes(at: a.cells + index)
      let bytes = UnsafeBufferPointer(start: text.start.assumingMemoryBound(to: UInt8.self), count: text.count)
      let escape = a.cells[index].low & TextView.escapeFlag
      if node.operation == .trim {
        let range = TextMapping.trimmed(bytes)
        let start = text.start + range.lowerBound
        let flags = escape == 0 ? 0 : TextView.escapeFlag(start, range.count)
        // A long text lies in an arena, so a part of it may point there.
        out.cells[index] = TextView(start, count: range.count, flags: flags).cell
        continue
      }
      buffer.removeAll(keepingCapacity: true)
      // Once, because folding reserves for each part what it needs; most texts grow by less than half.
      if node.operation == .fold { buffer.reserveCapacity(bytes.count + bytes.count / 2) }
      var start = 0
      var sigma = node.operation == .lower && FinalSigma.isNeeded(for: bytes) ? FinalSigma() : nil
      while start < bytes.count {
        // Each code point but the Greek sigma is mapped by itself, so a long text can be mapped in parts.
        var end = min(bytes.count, start + Self.mappedBytes)
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let part = UnsafeBufferPointer(rebasing: bytes[start..<end])
        switch node.operation {
        case .fold: CaseFolding.fold(part, into: &buffer)
        case .lower where sigma != nil: sigma?.append(part, to: &buffer)
        case .lower: TextMapping.lower(part, into: &buffer)
        default: TextMapping.upper(part, into: &buffer)
        }
        try execution.charge(end - start)
        start = end
      }
      sigma?.end(in: &buffer)
      out.cells[index] = scratchText(buffer, flags: escape)
    }
  }

  private static var mappedBytes: Int { 1 << 14 }

  /// The bytes as a text that lives until the run's scratch memory is released.
  func scratchText(_ bytes: [UInt8], flags: UInt64) -> Cell {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return Cell(low: flags) }
      return scratchText(start, bytes.count, flags: flags)
    }
  }

  func scratchText(_ start: UnsafeRawPointer, _ length: Int, flags: UInt64) -> Cell {
    if length <= TextView.inlineCapacity { return TextView(start, count: length, flags: flags).cell }
    let copy = execution.scratch.allocate(length)
    copy.copyMemory(from: start, byteCount: length)
    return TextView(copy, count: length, flags: flags).cell
  }

  /// Code points of a text, elements of a list, bytes of Bytes.
  func length(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    guard a.kind == .wide else { return setNull(out) }
    let type = type(node.a)
    for index in 0..<count {
      out.validity[index] = a.validity[index]
      guard a.validity[index] == 1 else { continue }
      switch type {
      case .list(let element): out.words[index] = Int64(ListRun(a.cells[index], element).count)
      case .scalar(.bytes): out.words[index] = Int64(TextView(a.cells[index]).count)
      default:
        let text = TextView.bytes(at: a.cells + index)
        if text.count > Self.longText { try execution.charge(text.count / 4) }
        out.words[index] = Int64(TextMapping.scalarCount(text.start, text.count))
      }
    }
  }
}

/// Searching one text at a time.
enum TextSearch {
  @inline(__always)
  static func test(
    _ test: TextTest, _ text: UnsafeRawPointer, _ count: Int, _ needle: UnsafeRawPointer, _ length: Int
  ) -> Bool {
    guard length <= count else { return false }
    switch test {
    case .contains: return contains(text, count, needle, length)
    case .startsWith: return memcmp(text, needle, length) == 0
    case .endsWith: return memcmp(text + (count &- length), needle, length) == 0
    }
  }

  @inline(__always)
  static func contains(_ text: UnsafeRawPointer, _ count: Int, _ needle: UnsafeRawPointer, _ length: Int) -> Bool {
    ByteSearch.contains(
      UnsafeRawBufferPointer(start: text, count: count), UnsafeRawBufferPointer(start: needle, count: length))
  }
}
