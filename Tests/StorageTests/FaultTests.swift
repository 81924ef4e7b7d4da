import StorageProofs
import Testing

/// The file system fails; see ``FaultProof``.
@Suite struct FaultTests {
  @Test func calls() {
    Tries.expect(FaultProof.run(atMost: 80 * Tries.factor, jobs: 2), atLeast: 40, "told")
  }
}
