import GQLBase
import Testing

@testable import GQLExecutor

/// What went wrong in each group, of however many kinds.
@Suite struct GroupFailuresTests {
  @Test("A hundred kinds of problems are kept apart, and noted once each") func manyCauses() {
    let failures = GroupFailures()
    func problem(_ cause: Int) -> RuntimeProblem {
      RuntimeProblem(
        .function(name: "f", message: "message \(cause)"), at: SourceRange(at: UInt32(cause)),
        values: [Text("\(cause)")])
    }
    for group in 0..<1000 { failures.insert(problem(group % 100), group) }
    for group in 0..<1000 { #expect(failures.problem(group) == problem(group % 100)) }
    let bytes = failures.byteCount
    // Other groups with what is known already cost no more than their entries.
    for group in 1000..<2000 { failures.insert(problem(group % 100), group) }
    #expect(failures.byteCount - bytes < 1000 * 128)
    failures.removeAll()
    #expect(failures.problem(3) == nil && failures.byteCount == 0)
    failures.insert(problem(7), 3)
    #expect(failures.problem(3) == problem(7))
  }

  @Test("The last few patterns are kept, the one used last in front") func recentPatterns() {
    var recent = RecentPatterns<Int>()
    for number in 0..<10 { recent.insert(number) }
    #expect(recent.first == 9)
    #expect(recent.find { $0 == 4 } == 4 && recent.first == 4)
    // Eight are kept: 9, 8, … 2.
    #expect(recent.find { $0 == 1 } == nil && recent.find { $0 == 2 } == 2)
  }
}
