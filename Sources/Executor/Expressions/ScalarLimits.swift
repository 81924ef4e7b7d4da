import GQLBase
import GQLCatalog
import GQLStore

/// The limits of what expressions compute, without the place, which ``Evaluator/placed(_:_:at:)`` adds.
extension Execution {
  /// Bytes of all that one run has computed and not written yet, where the run has no limit of its own.
  static var computedMemory: Int { 1 << 32 }

  private var memoryLimit: Int { min(limits.maximumMemory, Self.computedMemory) }

  private var textLimit: Int { min(limits.maximumText, TextView.maximumLength) }

  /// The longest text that may be computed now.
  var textAllowance: Int { min(textLimit, max(memoryLimit - scratch.usedBytes, TextView.inlineCapacity)) }

  /// Throws if a text of so many bytes is too long, or too much to hold beside what was computed before.
  func reserveText(_ bytes: Int) throws(RuntimeProblem) {
    let limit = textLimit
    guard bytes <= limit else {
      throw RuntimeProblem(.limitExceeded(name: "text-bytes", limit: limit), at: SourceRange(at: 0))
    }
    if bytes > TextView.inlineCapacity { try reserve(bytes) }
  }

  /// The same for a list of `count` elements.
  func reserveList(_ count: Int) throws(RuntimeProblem) {
    let limit = limits.maximumElements
    guard count <= limit else {
      throw RuntimeProblem(.limitExceeded(name: "list-elements", limit: limit), at: SourceRange(at: 0))
    }
    try reserve(count * 17)
  }

  /// Throws if so many bytes, and what was computed, are more than the run may hold, be it that it has no limit of its
  /// own.
  func checkComputed(_ bytes: Int) throws(RuntimeProblem) {
    try checkMemory(bytes)
    try reserve(bytes)
  }

  private func reserve(_ bytes: Int) throws(RuntimeProblem) {
    let limit = memoryLimit
    if bytes > limit - scratch.usedBytes { throw RuntimeProblem(.memory(limit: limit), at: SourceRange(at: 0)) }
    try checkCeiling(holding: scratch.usedBytes + bytes)
  }
}

extension Evaluator {
  /// Throws if a text of so many bytes is too long, or too much to hold beside what was computed before.
  func reserveText(_ bytes: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    do throws(RuntimeProblem) { try execution.reserveText(bytes) } catch { throw placed(error, node, at: position) }
  }

  /// The same for a list of `count` elements.
  func reserveList(_ count: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    do throws(RuntimeProblem) { try execution.reserveList(count) } catch { throw placed(error, node, at: position) }
  }

  /// What was thrown below the node, where the place was not known. Time-outs and cancellation have none.
  @inline(never)
  func placed(_ error: RuntimeProblem, _ node: Node, at position: Int) -> RuntimeProblem {
    switch error.kind {
    case .limitExceeded, .memory: problem(error.kind, node, at: position)
    default: error
    }
  }
}
