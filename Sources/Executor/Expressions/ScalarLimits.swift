import GQLBase
import GQLStore

/// How much one call of a scalar function may make.
enum ScalarLimits {
  /// Bytes of one computed text.
  static let textBytes = 1 << 26
  /// Code points that `padStart` fills up to.
  static let padding = 1 << 20
  /// Elements of one computed list.
  static let elements = 1 << 20
  /// Bytes of all that one run has computed and not written yet, where the run has no limit of its own.
  static let memory = 1 << 32
}

extension Evaluator {
  /// Throws if a text of so many bytes is too long, or too much to hold beside what was computed before.
  func reserveText(_ bytes: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    guard bytes <= ScalarLimits.textBytes else {
      throw problem(.limitExceeded(name: "text bytes", limit: ScalarLimits.textBytes), node, at: position)
    }
    if bytes > TextView.inlineCapacity { try reserve(bytes, node, at: position) }
  }

  /// The same for a list of `count` elements.
  func reserveList(_ count: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    guard count <= ScalarLimits.elements else {
      throw problem(.limitExceeded(name: "list elements", limit: ScalarLimits.elements), node, at: position)
    }
    try reserve(count * 17, node, at: position)
  }

  private func reserve(_ bytes: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    let limit = min(execution.limits.maximumMemory, ScalarLimits.memory)
    if bytes > limit - execution.scratch.usedBytes { throw problem(.memory(limit: limit), node, at: position) }
  }
}
