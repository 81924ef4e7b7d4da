import StorageProofs
import Testing

/// What is opened is what was written; see ``ReplayProof``.
@Suite struct ReplayTests {
  @Test func whatIsOpenedIsWhatWasWritten() {
    Tries.expect(ReplayProof.run(replays: 240 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 240, "replays")
  }
}
