import Foundation
import StorageProofs
import Testing

/// How much the proofs do here: `GQLITE_STORAGE_ROUNDS` multiplies it, `GQLITE_STORAGE_SEED` begins elsewhere.
enum Tries {
  static let factor = max(1, ProcessInfo.processInfo.environment["GQLITE_STORAGE_ROUNDS"].flatMap { Int($0) } ?? 1)
  static let seed = ProcessInfo.processInfo.environment["GQLITE_STORAGE_SEED"].flatMap { UInt64($0) } ?? 1

  /// Expects that nothing is wrong, and that enough was tried.
  static func expect(
    _ report: ProofReport, atLeast least: Int, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    print(report)
    for problem in report.problems { Issue.record("\(report.name): \(problem)", sourceLocation: sourceLocation) }
    #expect(report[what] >= least, "\(report)", sourceLocation: sourceLocation)
  }
}

/// A process is killed at a random instant; see ``KillProof`` and ``ImportProof``.
@Suite struct KillTests {
  @Test func killed() {
    Tries.expect(KillProof.run(rounds: 48 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 30, "commits")
  }

  /// An import that is ended by SIGTERM, SIGINT or SIGKILL.
  @Test func importing() {
    Tries.expect(ImportProof.run(rounds: 12 * Tries.factor, seed: Tries.seed, jobs: 1), atLeast: 12, "rounds")
  }
}
