import GQLBase
import GQLQuery
import Testing

@testable import GQLExecutor

/// What a run without a limit of its own may compute.
@Suite struct ComputedMemoryTests {
  @Test func defaultLimit() throws {
    let harness = try ExpressionHarness([[:]])
    #expect(harness.execution.limits.maximumMemory == .max)
    let most = 4 << 30
    #expect(Self.isRefused { () throws(RuntimeProblem) in try harness.execution.checkComputed(most + 1) })
    // Of what is within the limit, the machine decides.
    #expect(!Self.isRefused { () throws(RuntimeProblem) in try harness.execution.checkComputed(1 << 20) })
  }

  private static func isRefused(_ body: () throws(RuntimeProblem) -> Void) -> Bool {
    do throws(RuntimeProblem) {
      try body()
      return false
    } catch {
      return error.kind == .memory(limit: 4 << 30)
    }
  }
}
