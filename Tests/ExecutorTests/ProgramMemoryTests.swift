import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import Testing

@testable import GQLExecutor

/// What long programs hold counts as their run's memory.
@Suite struct ProgramMemoryTests {
  typealias H = ExpressionHarness

  private func sum(_ number: Int) -> BoundExpression {
    H.node(.arithmetic(.add, H.column(.i), H.constant(.int(Int64(number)), .int)), .int)
  }

  private func kind(_ harness: H, limit: Int, _ body: () throws(RuntimeProblem) -> Void) -> RuntimeProblem.Kind? {
    harness.execution.limits.maximumMemory = limit
    defer { harness.execution.limits = .none }
    do throws(RuntimeProblem) {
      try body()
      return nil
    } catch {
      return error.kind
    }
  }

  /// Registers of some 18 MB for 256 rows at a time, and 70 MB for the whole batch.
  @Test func assembledVectors() throws {
    let harness = try H(Array(repeating: [.i: .int(1)], count: 1024))
    let rows = Array(0..<UInt32(1024))
    let program = ExpressionProgram((0..<4000).map(sum), catalog: harness.catalog)
    #expect(program.batchRows == 256)
    func run() throws(RuntimeProblem) {
      let buffer = UnsafeMutablePointer<UInt32>.allocate(capacity: rows.count)
      defer { buffer.deallocate() }
      buffer.initialize(from: rows, count: rows.count)
      let vectors = try program.evaluate(ScopeRows(count: 1024, scopes: [UnsafePointer(buffer)]), harness.execution)
      #expect(vectors[3999].words[1023] == 4000)
    }
    #expect(kind(harness, limit: 40 << 20, run) == .memory(limit: 40 << 20))
    #expect(kind(harness, limit: 120 << 20, run) == nil)
    #expect(kind(harness, limit: 40 << 20, run) == .memory(limit: 40 << 20))
  }

  /// Conditions that see what is left of a batch, in 64 scopes: 7 MB of registers and 50 MB of rows.
  @Test func narrowedBatches() throws {
    let harness = try H((0..<1024).map { [.i: .int($0 == 0 ? 0 : 1)] })
    let zero = H.constant(.int(0), .int)
    let conditions = (0..<200).map { H.node(.compare(.greater, sum($0), zero)) }
    let program = ExpressionProgram([H.node(.and(conditions))], catalog: harness.catalog)
    func run() throws(RuntimeProblem) {
      let buffer = UnsafeMutablePointer<UInt32>.allocate(capacity: 1024)
      let positions = UnsafeMutablePointer<UInt16>.allocate(capacity: 1024)
      defer {
        buffer.deallocate()
        positions.deallocate()
      }
      for row in 0..<1024 { buffer[row] = UInt32(row) }
      let scopes = ContiguousArray(repeating: UnsafePointer(buffer), count: 64)
      let found = try program.filter(ScopeRows(count: 1024, scopes: scopes), harness.execution, into: positions)
      #expect(found == 1023)
    }
    #expect(kind(harness, limit: 30 << 20, run) == .memory(limit: 30 << 20))
    #expect(kind(harness, limit: 100 << 20, run) == nil)
  }

  /// Sets of an expression keep their members' memory from batch to batch: 60 times 256 KB.
  @Test func expansions() throws {
    let count = 64_000
    let harness = try H(
      Array(repeating: [.i: .int(1)], count: count), links: Array(repeating: 0, count: count))
    let program = ExpressionProgram(
      (0..<60).map { H.node(.aggregate(.sum, SetID(0), sum($0)), .int) }, catalog: harness.catalog)
    func run() throws(RuntimeProblem) {
      let hub = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
      defer { hub.deallocate() }
      hub.initialize(to: 0)
      let vectors = try program.evaluate(ScopeRows(count: 1, scopes: [UnsafePointer(hub)]), harness.execution)
      #expect(vectors[1].words[0] == Int64(2 * count))
    }
    #expect(kind(harness, limit: 10 << 20, run) == .memory(limit: 10 << 20))
    #expect(kind(harness, limit: 40 << 20, run) == nil)
  }

  /// The same of tests for a first member, which are looked for in parts of the links.
  @Test func firstMembers() throws {
    let count = 64_000
    let harness = try H(
      Array(repeating: [.i: .int(1)], count: count), links: Array(repeating: 0, count: count), sets: 60)
    let program = ExpressionProgram(
      (0..<60).map { H.node(.quantifier(.exists, SetID($0), nil)) }, catalog: harness.catalog)
    func run() throws(RuntimeProblem) {
      let hub = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
      defer { hub.deallocate() }
      hub.initialize(to: 0)
      let vectors = try program.evaluate(ScopeRows(count: 1, scopes: [UnsafePointer(hub)]), harness.execution)
      #expect(vectors[59].truths[0] == 0)
    }
    #expect(kind(harness, limit: 5 << 20, run) == .memory(limit: 5 << 20))
    #expect(kind(harness, limit: 60 << 20, run) == nil)
  }
}
