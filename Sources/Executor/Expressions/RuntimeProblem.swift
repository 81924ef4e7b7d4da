/// Why a run fails as a whole.
package enum RuntimeProblem: Error, Sendable, Hashable {
  case limit(RunLimit)
  case cancelled
}
