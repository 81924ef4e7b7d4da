import GQLBase
import GQLStore
import GQLWriting

/// The limits of values that are copied: to the stage, and into the store.
extension Mutator {
  /// A ``checkpoint(_:)`` once in 32 KiB of copied values; rows of long ones are else too many between two looks.
  @inline(__always)
  func checkCopied(at source: @autoclosure () -> InputSource) throws(MutationProblem) {
    if heldBytes &- lookedBytes >= 1 << 15 { try lookAtCopied(at: source()) }
  }

  @inline(never)
  private func lookAtCopied(at source: InputSource) throws(MutationProblem) {
    lookedBytes = heldBytes
    guard let constants else { return }
    do throws(MutationProblem) { try checkpoint(constants) } catch { throw placed(error, at: source) }
  }

  /// Throws if a comparison of values was to end before its end.
  @inline(__always)
  func checkStop() throws(MutationProblem) {
    guard let constants else { return }
    try running { () throws(RuntimeProblem) in try constants.checkStop() }
  }

  /// Throws if the elements of two lists are more than one may have.
  func checkElements(_ count: Int, at source: RecordStage.Origin) throws(MutationProblem) {
    guard let constants else { return }
    do throws(MutationProblem) {
      try running { () throws(RuntimeProblem) in try constants.reserveList(count) }
    } catch {
      throw placed(error, at: sources[source.start])
    }
  }

  /// A limit that was passed, with the place of what has passed it. Time-outs and cancellation have none.
  private func placed(_ error: MutationProblem, at source: InputSource) -> MutationProblem {
    guard case .runtime(var reason) = error.kind else { return error }
    switch reason.kind {
    case .memory, .limitExceeded: break
    default: return error
    }
    var result = problem(.runtime(reason), at: source)
    reason.range = result.range
    result.kind = .runtime(reason)
    return result
  }
}
