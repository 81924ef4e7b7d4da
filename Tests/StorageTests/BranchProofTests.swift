import StorageProofs
import Testing

/// Branches of files under losses of power and faults; see ``BranchProof``.
@Suite struct BranchProofTests {
  @Test func stepsAreWhole() {
    Tries.expect(BranchProof.run(tries: 80 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 80, "states")
  }
}
