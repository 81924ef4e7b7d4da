import GQLBase
import GQLStore

extension Evaluator {
  /// Bytes of all that one run has computed and not written yet, where the run has no limit of its own.
  private static var computedMemory: Int { 1 << 32 }

  /// Throws if a text of so many bytes is too long, or too much to hold beside what was computed before.
  func reserveText(_ bytes: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    let limit = min(execution.limits.maximumText, TextView.maximumLength)
    guard bytes <= limit else { throw problem(.limitExceeded(name: "text-bytes", limit: limit), node, at: position) }
    if bytes > TextView.inlineCapacity { try reserve(bytes, node, at: position) }
  }

  /// The same for a list of `count` elements.
  func reserveList(_ count: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    let limit = execution.limits.maximumElements
    guard count <= limit else {
      throw problem(.limitExceeded(name: "list-elements", limit: limit), node, at: position)
    }
    try reserve(count * 17, node, at: position)
  }

  private func reserve(_ bytes: Int, _ node: Node, at position: Int) throws(RuntimeProblem) {
    let limit = min(execution.limits.maximumMemory, Self.computedMemory)
    if bytes > limit - execution.scratch.usedBytes { throw problem(.memory(limit: limit), node, at: position) }
  }
}
