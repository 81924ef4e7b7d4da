import GQLBase

/// A count of the members that are found for the answer and not written yet.
///
/// A selection is expanded level by level for a thousand entities at once, so that the members below them may be
/// millions before the first of them is written.
struct ExpandedLevels {
  /// Bytes of rows of finished levels.
  var bytes = 0
  /// Members of finished levels, each of which will be written.
  var members = 0
  /// Bytes of the answer that were written before.
  var written = 0
  /// The set whose members are being found, if each of them will be written; else -1.
  var set = -1

  /// The shortest member of a list: a digit with a comma, or `{}`.
  static var shortestMember: Int { 2 }
}

extension Execution {
  /// Throws if a level that is being expanded has more members than the answer, and the memory, have room for.
  func checkLevel(_ members: Int) throws(RuntimeProblem) {
    let (bytes, overflow) = (expanded.members &+ members).multipliedReportingOverflow(by: ExpandedLevels.shortestMember)
    if overflow || bytes > limits.maximumBytes &- expanded.written {
      throw RuntimeProblem(.limitExceeded(name: "answer-bytes", limit: limits.maximumBytes), at: SourceRange(at: 0))
    }
  }
}
