import GQLBase
import GQLCatalog
import GQLRegex
import GQLStore

/// Rows to evaluate for: gathered, or consecutive rows of one page.
struct Batch {
  var count: Int
  var scopes: ScopeRows
  /// The first row of scope 0 if the rows are consecutive within a page.
  var pageRow: UInt32
  var isPage: Bool

  init(_ scopes: ScopeRows) {
    count = scopes.count
    self.scopes = scopes
    pageRow = 0
    isPage = false
  }

  /// Some of its rows, that follow one another.
  func slice(_ start: Int, _ count: Int) -> Batch {
    var part = self
    part.count = count
    part.scopes.count = count
    for depth in part.scopes.scopes.indices { part.scopes.scopes[depth] += start }
    part.pageRow = pageRow &+ UInt32(truncatingIfNeeded: start)
    return part
  }
}

/// The registers of one ``ExpressionProgram`` in one run; made with the program, kept by the execution. Not for two
/// threads at once.
package final class ExpressionState {
  let program: ExpressionProgram
  let blocks: [BlockState]
  /// The run that parameters were read in.
  @exclusivity(unchecked) private var run: UInt64 = 0
  /// Rows of the scopes of a page batch, and positions in it.
  private var pageScopes = ScopeRows(count: 0, scopes: [])
  /// One scope.
  @exclusivity(unchecked) private var rowScopes = ScopeRows(count: 0, scopes: [])
  private var pageBuffers: [UnsafeMutablePointer<UInt32>] = []
  private var assembled: AssembledVectors?
  lazy var pagePositions = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)

  package init(_ program: ExpressionProgram) {
    self.program = program
    blocks = program.blocks.map { BlockState($0, usualRows: program.batchRows) }
  }

  deinit {
    for buffer in pageBuffers { buffer.deallocate() }
    if !pageBuffers.isEmpty { pagePositions.deallocate() }
  }

  /// Forgets what was derived from parameters if this is another run.
  func begin(_ execution: Execution) {
    if run == execution.run { return }
    run = execution.run
    for block in blocks where block.block.usesParameters { block.forgetParameters() }
  }

  func evaluate(_ index: Int, _ batch: Batch, _ execution: Execution) throws(RuntimeProblem) -> BlockState {
    let block = blocks[index]
    let grown = block.prepare(batch.count, execution)
    if grown > 0 { try execution.holdRegisters(grown) }
    try Evaluator.run(block, of: self, batch, execution)
    return block
  }

  /// The vectors of all expressions; of a long program slice by slice, put together.
  func roots(_ batch: Batch, _ execution: Execution) throws(RuntimeProblem) -> UnsafePointer<Vector> {
    guard batch.count > program.batchRows else { return try evaluate(program.main, batch, execution).rootVectors() }
    let whole = try assembledVectors(execution)
    var start = 0
    while start < batch.count {
      let count = min(program.batchRows, batch.count - start)
      let vectors = try evaluate(program.main, batch.slice(start, count), execution).rootVectors()
      whole.put(vectors, at: start, count)
      start += count
    }
    return UnsafePointer(whole.vectors)
  }

  private func assembledVectors(_ execution: Execution) throws(RuntimeProblem) -> AssembledVectors {
    if let assembled { return assembled }
    let block = program.blocks[program.main]
    let bytes = AssembledVectors.byteCount(block)
    // Asked before: a program of many thousand expressions needs a hundred megabytes here.
    try execution.checkMemory(bytes)
    let made = AssembledVectors(block)
    assembled = made
    try execution.holdRegisters(bytes)
    return made
  }

  /// Returns a batch of one scope. The list of scopes is that of the last one, changed in place.
  func batch(_ rows: UnsafePointer<UInt32>, _ count: Int) -> Batch {
    if rowScopes.scopes.isEmpty { rowScopes.scopes.append(rows) } else { rowScopes.scopes[0] = rows }
    rowScopes.count = count
    return Batch(rowScopes)
  }

  // MARK: - Pages

  func pageBatch(_ firstRow: UInt32, _ count: Int, _ outer: ScopeRows?) -> Batch {
    let depth = (outer?.scopes.count ?? 0) + 1
    let rows = ScopeRows.batchRows
    if pageBuffers.count < depth {
      if pageBuffers.isEmpty { _ = pagePositions }
      while pageBuffers.count < depth { pageBuffers.append(.allocate(capacity: rows)) }
      pageScopes.scopes = ContiguousArray(pageBuffers.prefix(depth).map { UnsafePointer($0) })
    } else if pageScopes.scopes.count != depth {
      pageScopes.scopes = ContiguousArray(pageBuffers.prefix(depth).map { UnsafePointer($0) })
    }
    pageScopes.count = count
    let own = pageBuffers[0]
    if program.needsRows {
      for index in 0..<count { own[index] = firstRow &+ UInt32(truncatingIfNeeded: index) }
    }
    if let outer {
      for (depth, scope) in outer.scopes.enumerated() {
        pageBuffers[depth + 1].update(repeating: scope[0], count: count)
      }
    }
    var batch = Batch(pageScopes)
    batch.pageRow = firstRow
    batch.isPage = true
    return batch
  }

  // MARK: - Filtering

  func filter(
    _ batch: Batch, _ execution: Execution, _ positions: UnsafeMutablePointer<UInt16>
  ) throws(RuntimeProblem) -> Int {
    guard batch.count > program.batchRows else { return try filterSlice(batch, execution, positions) }
    var start = 0
    var found = 0
    while start < batch.count {
      let count = min(program.batchRows, batch.count - start)
      // Never more than were looked at, so that there is room.
      let target = positions + found
      let more = try filterSlice(batch.slice(start, count), execution, target)
      for index in 0..<more { target[index] &+= UInt16(truncatingIfNeeded: start) }
      found += more
      start += count
    }
    return found
  }

  private func filterSlice(
    _ batch: Batch, _ execution: Execution, _ positions: UnsafeMutablePointer<UInt16>
  ) throws(RuntimeProblem) -> Int {
    let mark = execution.scratch.mark
    // Also where it fails: who goes on after that fails often.
    defer { if program.releasesScratch { execution.scratch.release(to: mark) } }
    var count = batch.count
    var isWhole = true
    for index in program.conjuncts {
      if isWhole {
        let truths = try evaluate(index, batch, execution).root(0).truths
        count = TruthKernel.positions(truths, batch.count, into: positions)
        isWhole = count == batch.count
      } else {
        let block = blocks[index]
        let narrowed = try block.narrow(batch, positions, count, execution)
        let truths = try evaluate(index, narrowed, execution).root(0).truths
        count = TruthKernel.compact(positions, truths, count)
      }
      if count == 0 { break }
    }
    return count
  }
}

/// The registers of one block.
final class BlockState {
  let block: Block
  /// A copy of the block's nodes at a fixed address.
  let nodes: UnsafeMutablePointer<Node>
  let nodeCount: Int
  private let usesParameters: Bool
  @exclusivity(unchecked) private(set) var capacity = 0
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var byteCount = 0
  /// Each node's own memory, and where its values are now: there, in a page, or in the operand of an identity.
  private let own: UnsafeMutablePointer<Vector>
  let vectors: UnsafeMutablePointer<Vector>
  private let roots: UnsafeMutablePointer<Vector>
  /// Ones; room for the positions and the truths of a narrowed batch.
  @exclusivity(unchecked) private(set) var ones: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private(set) var positions: UnsafeMutablePointer<UInt16>
  @exclusivity(unchecked) private(set) var active: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var hasParameters = false
  /// The rows of a narrowed or an expanded batch that this block is evaluated for.
  @exclusivity(unchecked) private var input = ScopeRows(count: 0, scopes: [])
  @exclusivity(unchecked) private(set) var inputBuffers: [UnsafeMutablePointer<UInt32>] = []
  @exclusivity(unchecked) private var inputCapacity = 0
  /// The rows of most batches: there is room for them at once.
  private let usualRows: Int
  var expansions: [ExpansionBox]
  /// Patterns and sets of nodes, by node; dropped with the parameters.
  @exclusivity(unchecked) var patterns: [Int: CompiledPatterns] = [:]
  @exclusivity(unchecked) var listSets: [Int: ConstantSet] = [:]
  /// Full-text queries of nodes, by node.
  var searches: [Int: [FullTextSearchState]] = [:]

  init(_ block: Block, usualRows: Int) {
    self.block = block
    self.usualRows = usualRows
    let count = max(block.nodes.count, 1)
    nodeCount = block.nodes.count
    nodes = .allocate(capacity: count)
    for (index, node) in block.nodes.enumerated() { (nodes + index).initialize(to: node) }
    usesParameters = block.usesParameters
    own = .allocate(capacity: count)
    vectors = .allocate(capacity: count)
    roots = .allocate(capacity: max(block.roots.count, 1))
    let nothing = UnsafeMutablePointer<UInt8>(bitPattern: 64).unsafelyUnwrapped
    ones = nothing
    active = nothing
    positions = UnsafeMutablePointer<UInt16>(bitPattern: 64).unsafelyUnwrapped
    expansions = (0..<block.expansionCount).map { _ in ExpansionBox() }
  }

  deinit {
    nodes.deallocate()
    own.deallocate()
    vectors.deallocate()
    roots.deallocate()
    memory?.deallocate()
    for buffer in inputBuffers { buffer.deallocate() }
  }

  func forgetParameters() {
    hasParameters = false
    if !patterns.isEmpty { patterns.removeAll() }
    if !listSets.isEmpty { listSets.removeAll() }
  }

  func root(_ index: Int) -> Vector { vectors[Int(block.roots[index])] }

  func rootVectors() -> UnsafePointer<Vector> {
    for index in 0..<block.roots.count { roots[index] = vectors[Int(block.roots[index])] }
    return UnsafePointer(roots)
  }

  /// Room for `count` rows; constants and parameters in their registers. Gives the bytes that it has taken for that.
  @discardableResult
  func prepare(_ count: Int, _ execution: Execution) -> Int {
    var grown = 0
    // Also for a first batch of no rows: the vectors mean nothing before.
    if count > capacity || capacity == 0 { grown = grow(count <= 16 ? 16 : max(count, usualRows)) }
    if !hasParameters, usesParameters {
      hasParameters = true
      for index in 0..<block.nodes.count where block.nodes[index].operation == .parameter {
        let parameter = Int(block.nodes[index].index)
        fill(index, execution.parameterValid[parameter] ? execution.parameterCells[parameter] : nil)
      }
    }
    return grown
  }

  /// Most runs that look up one entity need registers of a few rows only.
  private func grow(_ rows: Int) -> Int {
    let before = byteCount
    capacity = (rows + 63) & ~63
    var size = capacity * 4
    for node in block.nodes { size += capacity * (BlockState.stride(node.kind) + 1) }
    byteCount = size
    memory?.deallocate()
    var next = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    memory = next
    ones = next.bindMemory(to: UInt8.self, capacity: capacity)
    ones.initialize(repeating: 1, count: capacity)
    next += capacity
    active = next.bindMemory(to: UInt8.self, capacity: capacity)
    next += capacity
    positions = next.bindMemory(to: UInt16.self, capacity: capacity)
    next += capacity * 2
    for index in 0..<block.nodes.count {
      let kind = block.nodes[index].kind
      let values = next
      next += capacity * BlockState.stride(kind)
      own[index] = Vector(kind: kind, values: values, validity: next.bindMemory(to: UInt8.self, capacity: capacity))
      next += capacity
      vectors[index] = own[index]
    }
    for index in 0..<block.nodes.count where block.nodes[index].operation == .constant {
      fill(index, block.constants[Int(block.nodes[index].index)])
    }
    hasParameters = false
    return size - before
  }

  private static func stride(_ kind: Vector.Kind) -> Int {
    switch kind {
    case .truth: 1
    case .rows: 4
    case .word, .double: 8
    case .wide: 16
    }
  }

  private func fill(_ index: Int, _ cell: Cell?) {
    var vector = own[index]
    vector.isConstant = true
    vector.allValid = cell != nil
    vector.validity.update(repeating: cell == nil ? 0 : 1, count: capacity)
    let value = cell ?? Cell(low: 0)
    switch vector.kind {
    case .truth: vector.truths.update(repeating: cell == nil ? 1 : value.low != 0 ? 2 : 0, count: capacity)
    case .rows:
      vector.rows.update(
        repeating: cell == nil ? PageLayout.noRow : UInt32(truncatingIfNeeded: value.low), count: capacity)
    case .word, .double: vector.words.update(repeating: value.int, count: capacity)
    case .wide: vector.cells.update(repeating: value, count: capacity)
    }
    vectors[index] = vector
  }

  /// The register of a node, to be written.
  @inline(__always)
  func register(_ index: Int) -> Vector { own[index] }

  // MARK: - Input

  /// Buffers for so many rows of `depth` scopes.
  func prepareInput(_ depth: Int, rows: Int, _ execution: Execution) throws(RuntimeProblem) {
    if input.scopes.count == depth, rows <= inputCapacity { return }
    let before = inputBuffers.count * inputCapacity
    if rows > inputCapacity {
      for buffer in inputBuffers { buffer.deallocate() }
      inputBuffers.removeAll()
      inputCapacity = max(rows, usualRows)
    }
    while inputBuffers.count < depth { inputBuffers.append(.allocate(capacity: inputCapacity)) }
    input.scopes = ContiguousArray(inputBuffers.prefix(depth).map { UnsafePointer($0) })
    let grown = inputBuffers.count * inputCapacity - before
    if grown > 0 { try execution.holdRegisters(grown * 4) }
  }

  func inputBatch(_ count: Int) -> Batch {
    input.count = count
    return Batch(input)
  }

  /// The batch's rows at the given positions, as this block's input.
  func narrow(
    _ batch: Batch, _ positions: UnsafePointer<UInt16>, _ count: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> Batch {
    try prepareInput(batch.scopes.scopes.count, rows: count, execution)
    for depth in 0..<batch.scopes.scopes.count {
      let target = inputBuffers[depth]
      if depth == 0, batch.isPage {
        for index in 0..<count { target[index] = batch.pageRow &+ UInt32(positions[index]) }
      } else {
        let source = batch.scopes.scopes[depth]
        for index in 0..<count { target[index] = source[Int(positions[index])] }
      }
    }
    return inputBatch(count)
  }
}

/// A place for an expansion that is reused from batch to batch.
final class ExpansionBox {
  var expansion = Expansion()
  /// Its bytes that are counted.
  var heldBytes = 0
  /// Holds the value of a call that is the same for every element, and the run in which it was computed; nil for null.
  var value: Cell?
  var valueRun: UInt64 = 0
  /// The parents of the members of a batch.
  let parents = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
  deinit { parents.deallocate() }
}

/// The patterns that a node compiled last.
enum CompiledPatterns {
  case like(RecentPatterns<LikePattern>)
  case regex(RecentPatterns<RegexMatcher>)
}

/// A few compiled patterns, the one that was used last in front: rows that take turns among some do not compile them
/// again.
struct RecentPatterns<Compiled> {
  private var patterns: [Compiled] = []
  private static var kept: Int { 8 }

  var first: Compiled? { patterns.first }

  mutating func find(_ isWanted: (Compiled) -> Bool) -> Compiled? {
    guard let place = patterns.firstIndex(where: isWanted) else { return nil }
    if place > 0 { patterns.swapAt(0, place) }
    return patterns[0]
  }

  mutating func insert(_ pattern: Compiled) {
    if patterns.count == Self.kept { patterns.removeLast() }
    patterns.insert(pattern, at: 0)
  }
}
