import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLText

extension Evaluator {
  private func searches(_ index: Int, _ node: Node) -> [(search: CompiledSearch, state: FullTextSearchState)] {
    let compiled = block.block.searches[Int(node.index)]
    let states: [FullTextSearchState]
    if let known = block.searches[index] {
      states = known
    } else {
      states = compiled.map { execution.makeSearch($0.source.language) }
      block.searches[index] = states
    }
    return Array(zip(compiled, states))
  }

  /// What is searched for at one position; nil if it is null. `last` is that of the position before: a query that is
  /// the same for all is compared with nothing.
  private func matcher(
    _ search: CompiledSearch, _ state: FullTextSearchState, _ position: Int, _ last: inout TextMatcher?
  ) throws(RuntimeProblem) -> TextMatcher? {
    let query = vector(search.query)
    guard query.kind == .wide, query.validity[position] == 1 else { return nil }
    if query.isConstant, let last { return last }
    let text = TextView.text(at: query.cells + position)
    if text.count > Self.longText { try execution.charge(text.count / 16) }
    let found = try state.matcher(text, execution)
    last = found
    return found
  }

  /// Reads the texts of one position; nil if the query or all of them are null.
  private func read(
    _ search: CompiledSearch, _ state: FullTextSearchState, _ position: Int, _ last: inout TextMatcher?
  ) throws(RuntimeProblem) -> TextMatcher? {
    guard let matcher = try matcher(search, state, position, &last) else { return nil }
    var hasText = false
    for node in search.texts {
      let text = vector(node)
      guard text.kind == .wide, text.validity[position] == 1 else { continue }
      if !hasText { matcher.begin() }
      hasText = true
      try execution.add(TextView.text(at: text.cells + position), to: matcher)
    }
    return hasText ? matcher : nil
  }

  func textMatch(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard let (search, state) = searches(index, node).first else { return setNull(out) }
    var last: TextMatcher?
    for position in 0..<count {
      guard let matcher = try read(search, state, position, &last) else {
        out.truths[position] = 1
        continue
      }
      out.truths[position] = matcher.isMatch ? 2 : 0
    }
  }

  func textScore(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    out.doubles.update(repeating: 0, count: count)
    out.validity.update(repeating: 1, count: count)
    for (search, state) in searches(index, node) {
      var last: TextMatcher?
      for position in 0..<count {
        guard let first = try read(search, state, position, &last), first.isMatch else { continue }
        if state.statisticsRun != execution.run {
          try execution.measure(search.source, state)
          // Measuring has read other texts.
          _ = try read(search, state, position, &last)
        }
        out.doubles[position] += first.score(state.statistics)
      }
    }
  }

  func highlight(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let text = vector(node.a)
    let open = vector(node.b)
    let close = vector(block.block.operands[Int(node.firstOperand)].node)
    guard text.kind == .wide, open.kind == .wide, close.kind == .wide else { return setNull(out) }
    let searches = searches(index, node)
    var last = [TextMatcher?](repeating: nil, count: searches.count)
    var spans: [Range<Int>] = []
    var result: [UInt8] = []
    for position in 0..<count {
      let isValid = text.validity[position] & open.validity[position] & close.validity[position]
      out.validity[position] = isValid
      guard isValid == 1 else { continue }
      let bytes = TextView.text(at: text.cells + position)
      spans.removeAll(keepingCapacity: true)
      for number in searches.indices {
        let (search, state) = searches[number]
        guard let matcher = try matcher(search, state, position, &last[number]) else { continue }
        try execution.charge(bytes.count)
        matcher.spans(bytes, into: &spans)
        if matcher.isInterrupted { try execution.checkpoint() }
      }
      if spans.isEmpty {
        out.cells[position] = text.cells[position]
        continue
      }
      spans.sort { $0.lowerBound < $1.lowerBound }
      let start = TextView.text(at: open.cells + position)
      let end = TextView.text(at: close.cells + position)
      try execution.checkMemory(bytes.count &+ spans.count &* (start.count &+ end.count))
      result.removeAll(keepingCapacity: true)
      var written = 0
      var next = 0
      while next < spans.count {
        let from = spans[next].lowerBound
        var to = spans[next].upperBound
        next += 1
        // Words of a phrase, or of two searches, that overlap are marked together.
        while next < spans.count, spans[next].lowerBound < to {
          to = max(to, spans[next].upperBound)
          next += 1
        }
        result.append(contentsOf: bytes[written..<from])
        result.append(contentsOf: start)
        result.append(contentsOf: bytes[from..<to])
        result.append(contentsOf: end)
        written = to
      }
      result.append(contentsOf: bytes[written...])
      try reserveText(result.count, node, at: position)
      let escape =
        (text.cells[position].low | open.cells[position].low | close.cells[position].low) & TextView.escapeFlag
      out.cells[position] = scratchText(result, flags: escape)
    }
  }
}

extension Execution {
  /// Returns the matcher that another `matches` of this run has for the same query. Of many, the first ones are asked.
  func matcher(like state: FullTextSearchState) -> TextMatcher? {
    textSearches.prefix(16).first { $0 !== state && $0.isReady(in: self) && $0.hasQuery(of: state) }?.matcher
  }

  /// Counts what stands in a text, as far as the run may go.
  func add(_ text: UnsafeBufferPointer<UInt8>, to matcher: TextMatcher) throws(RuntimeProblem) {
    if text.count > Evaluator.longText { try charge(text.count) }
    matcher.add(text)
    if matcher.isInterrupted { try checkpoint() }
  }

  /// Counts texts, words and what the query's words are found in, over all live entities.
  func measure(_ source: TextSource, _ state: FullTextSearchState) throws(RuntimeProblem) {
    state.statisticsRun = run
    state.statistics = TextStatistics(texts: 0, words: 0, found: [])
    guard let type = source.type, let matcher = state.matcher else { return }
    if let index = source.index {
      // The access path has looked the words up already.
      for other in textSearches {
        if let search = other.search, search.index == index, search.columnIDs == source.columns,
          other.hasQuery(of: state)
        {
          state.statistics = search.statistics
          return
        }
      }
      let search = try FullTextSearch(
        snapshot, type, index, source.columns, matcher, self)
      state.statistics = search.statistics
      return
    }
    let columns = source.columns.map { snapshot.column(type, $0) }
    let live = snapshot.liveness(type)
    let slots = snapshot.slotCount(type)
    var statistics = TextStatistics(
      texts: snapshot.liveCount(type), words: 0, found: Array(repeating: 0, count: matcher.query.leaves.count))
    for number in 0..<slots {
      let row = UInt32(truncatingIfNeeded: number)
      if number & 255 == 0 { try checkpoint() }
      if let live, live.byte(row) != 1 { continue }
      matcher.begin()
      for column in columns where !column.isNull(row) {
        try add(TextView.text(at: column.cell(row, width: 16).assumingMemoryBound(to: Cell.self)), to: matcher)
      }
      statistics.words += matcher.length
      for leaf in statistics.found.indices where matcher.frequencies[leaf] > 0 { statistics.found[leaf] += 1 }
    }
    state.statistics = statistics
  }
}
