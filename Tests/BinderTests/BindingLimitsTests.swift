import GQLBase
import GQLCatalog
import GQLParser
import Testing

@testable import GQLBinder

/// Binding counts what it makes, and looks whether it is to end.
@Suite struct BindingLimitsTests {
  private func bind(
    _ text: String, problems: Int = 100, memory: PreparationMemory? = nil, cancellation: Cancellation? = nil
  ) -> [Diagnostic] {
    var options = BindingOptions()
    options.limits.diagnostics = problems
    options.interruption = Interruption(
      deadline: .max, milliseconds: 0, cancellation: cancellation, memory: memory)
    let document = parse(SourceText(name: "q", bytes: Array(text.utf8))).output
    return checkDocument(document, catalog: BindingFixture.catalog, options: options).diagnostics
  }

  private func taken(_ text: String) -> Int {
    let memory = PreparationMemory(limit: .max)
    _ = bind(text, memory: memory)
    return memory.taken
  }

  private func list(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined(separator: " ") }

  @Test func nodesCount() {
    let fields = list(4_000) { "a\($0): age" }
    #expect(taken("{ User { \(fields) } }") >= 3_000 * 384)
  }

  @Test func problemsCount() {
    let known = taken("{ User { \(list(2_000) { "a\($0): age" }) } }")
    let unknown = taken("{ User { \(list(2_000) { "a\($0): qqq\($0)" }) } }")
    #expect(unknown >= known + 2_000 * 256)
  }

  @Test func operationsCount() {
    #expect(taken(list(500) { "query Q\($0) { __typename }" }) >= 500 * 4_096)
  }

  @Test func isCancelled() {
    let found = bind("{ User { \(list(4_000) { "a\($0): age" }) } }", cancellation: Cancellation { true })
    #expect(found.contains { $0.code == DiagnosticCode("cancelled") })
  }

  /// Half a million names are compared, and no more: here, those of 5,000 fields for a hundred names.
  @Test func suggestionsAreBounded() {
    let suggestions = Suggestions(problems: 1_000)
    let names = (0..<5_000).map { "field\($0)" }
    var found = 0
    for number in 0..<300 {
      let range = SourceRange(at: UInt32(number))
      if !suggestions.near("field\(number)x", at: range, { names }).isEmpty { found += 1 }
    }
    #expect(found == 100)
    #expect(suggestions.near("field0x", at: SourceRange(at: 0), { [] }).isEmpty == false)
    let few = Suggestions(problems: 3)
    #expect((0..<9).count { !few.near("field\($0)x", at: SourceRange(at: UInt32($0)), { names }).isEmpty } == 3)
  }
}
