import GQLStore

/// A provider of the code of the embedding program that a plan's host nodes stand for, by their numbers. A run has one.
package protocol HostCode: AnyObject {
  /// Sets the truth of each row for which the test holds to 2, those of the others to 0.
  func test(
    _ number: Int, _ rows: UnsafeBufferPointer<UInt32>, into truths: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem)

  /// Puts rows into order; what is equal keeps its place.
  func sort(_ number: Int, _ rows: UnsafeMutableBufferPointer<UInt32>) throws(RuntimeProblem)

  /// Finds rows, in their order.
  func rows(_ number: Int) throws(RuntimeProblem) -> [UInt32]
}

extension Optional where Wrapped == any HostCode {
  /// The code of a run whose plan has host nodes.
  var required: any HostCode {
    guard let code = self else { preconditionFailure("a plan with host nodes is run with their code") }
    return code
  }
}

extension Evaluator {
  /// Has the embedding program test the entities.
  func host(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    try execution.checkpoint()
    try execution.host.required.test(
      Int(node.index), UnsafeBufferPointer(start: vector(node.a).rows, count: count), into: out.truths)
  }
}
