import StorageProofs
import Testing

/// The power goes at any instant; see ``PowerProof``.
@Suite struct PowerTests {
  @Test func statesOfTheDisk() {
    Tries.expect(PowerProof.run(states: 160 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 160, "states")
  }
}
