import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// Files that are damaged: opening ends with an error, or with the content that was written.
///
/// A damaged write-ahead log is one that a loss of power has torn, for all that SQLite knows: the content may be that
/// of an earlier commit then, but of no other. Files of earlier formats say less of themselves: one of format 1 may lack
/// its last commits, and one of format 0 may lack rows too, that others link to.
package enum CorruptionProof {
  package static let codes: Set<String> = [
    "storage-corrupt", "storage-version", "storage-failed", "storage-read-only", "storage-changed", "storage-busy",
  ]

  /// What opening gives: a code, or the content.
  package enum Outcome: Equatable {
    case code(String)
    case content(String)
  }

  package static func open(_ path: String, access: StorageOptions.Access = .write) -> Outcome {
    do throws(QueryError) {
      let database = try Database(path: path, storage: StorageOptions(access: access, creates: false))
      let problems = database.check()
      if !problems.isEmpty { return .content("check: \(problems.prefix(3))") }
      return .content(try database.run(Workload.everything).jsonString)
    } catch { return .code(error.problems.first?.code ?? "no code") }
  }

  /// A result of reading the past.
  private static func openPast(_ path: String) -> Outcome {
    do throws(QueryError) {
      let database = try Database(path: path, storage: StorageOptions(access: .read, creates: false))
      return .content(try database.run(past).jsonString)
    } catch { return .code(error.problems.first?.code ?? "no code") }
  }

  /// All versions of the types that have a history, and who has made them.
  private static let past = """
    { Counter(versions: ALL, orderBy: [id, _version]) { id n note _version _origin }
      Maker(versions: ALL, orderBy: [id, _version]) { id seq owner name _version _origin }
      Item(versions: ALL, orderBy: [id, _version]) { id seq owner name code price kind tags _version _origin } }
    """

  /// What opening the branches gives, one after the other.
  private static func openBranches(_ path: String) -> [Outcome] {
    do throws(QueryError) {
      let database = try Database(path: path, storage: StorageOptions(access: .read, creates: false))
      var outcomes: [Outcome] = []
      for found in try database.branches {
        do throws(QueryError) {
          let branch = try database.branch(found.name, creates: false)
          let problems = branch.database.check()
          if !problems.isEmpty { outcomes.append(.content("check: \(problems.prefix(3))")) }
          outcomes.append(.content(try branch.run(Workload.everything).jsonString))
        } catch { outcomes.append(.code(error.problems.first?.code ?? "no code")) }
      }
      return outcomes
    } catch { return [.code(error.problems.first?.code ?? "no code")] }
  }

  /// A file that is closed, or one as a killed process leaves it, and the contents that it may have.
  package struct Original: Sendable {
    package private(set) var file: [UInt8]
    private(set) var log: [UInt8]
    let format: Int64
    private let isClosed: Bool
    /// After each commit that the write-ahead log may hold, and after the last.
    private(set) var contents: Set<String> = []
    package private(set) var last = ""
    /// Holds what is read of its past.
    package private(set) var past = ""
    /// The contents that its branch has had; none where it has no branch.
    private(set) var branchContents: [String] = []

    package init(
      isClosed: Bool, seed: UInt64, format: Int64 = OldFormat.newest, hasBranch: Bool = false, _ folder: Folder
    ) throws {
      self.format = format
      self.isClosed = isClosed
      let path = folder.file("original.gqlite")
      var options = StorageOptions(durability: .normal)
      options.folding.logBytes = isClosed ? 16 << 20 : 3_000
      options.folding.sliceRows = 5
      let database = try Database(path: path, schema: Workload.schema, storage: options)
      let workload = Workload(seed: seed, threads: 2)
      try workload.begin(database)
      for number in 1...60 {
        if number == 30, !isClosed {
          try database.close()
          try database.reopen()
        }
        try workload.run(number, of: number % 2, in: database)
        last = try database.run(Workload.everything).jsonString
        if number >= 29 { contents.insert(last) }
        if hasBranch, number > 10, number % 3 == 0 {
          let branch = try database.branch("draft")
          // A number that no other commit has; what is refused leaves the branch as it is.
          try workload.run(1000 + number, of: number % 2, in: branch.database)
          if number == 36 { try branch.refresh(conflicts: .mine) }
          branchContents.append(try branch.run(Workload.everything).jsonString)
        }
      }
      past = try database.run(CorruptionProof.past).jsonString
      if isClosed { try database.close() }
      file = Array(try Data(contentsOf: URL(filePath: path)))
      log = isClosed ? [] : Array(try Data(contentsOf: URL(filePath: path + "-wal")))
      if format == OldFormat.newest { return }
      let old = folder.file("old.gqlite")
      try write(old, file, log)
      try OldFormat.downgrade(old, to: format)
      // All of it is in the file then.
      file = Array(try Data(contentsOf: URL(filePath: old)))
      log = []
    }

    /// Returns whether a damaged file may be read as one of this content, if the log is what is damaged, or the file.
    func mayBecome(_ content: String, hitsLog: Bool) -> Bool {
      switch format {
      case 0: true
      case 1: contents.contains(content)
      // The log of a file that was not closed is copied into it without a note of its end, see ``OldFormat``.
      case 2: !isClosed && contents.contains(content)
      default: hitsLog && contents.contains(content)
      }
    }

    package func write(_ path: String, _ file: [UInt8], _ log: [UInt8]) throws {
      for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try Data(file).write(to: URL(filePath: path))
      if !log.isEmpty { try Data(log).write(to: URL(filePath: path + "-wal")) }
    }
  }

  /// Damages files, each in one way.
  package static func run(files: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(files, of: 110)
    return .trying("corruptions", parts: parts.count, jobs: jobs) { part, report in
      let folder = try Folder(syncs: false)
      let isClosed = part % 2 == 0
      // A third of them is of an earlier format.
      let format = part % 6 < 4 ? OldFormat.newest : Int64(part + part / 6) % OldFormat.newest
      let original = try Original(
        isClosed: isClosed, seed: seed &+ UInt64(part), format: format,
        hasBranch: format == OldFormat.newest && part % 3 == 1, folder)
      let path = folder.file("damaged.gqlite")
      try original.write(path, original.file, original.log)
      if open(path) != .content(original.last) { report.fail("seed \(seed), part \(part): what is whole is not read") }
      for number in 0..<parts[part] {
        let seed = seed &* 100_000_000 &+ UInt64(part * 1_000 + number)
        if let problem = try tryOne(original, path, seed, &report) {
          report.fail("part \(part), seed \(seed), \(problem)")
        }
      }
    }
  }

  /// Damages a copy of a file; returns what is wrong.
  private static func tryOne(
    _ original: Original, _ path: String, _ seed: UInt64, _ report: inout ProofReport
  ) throws -> String? {
    var random = SeededRandom(seed: seed)
    var (file, log) = (original.file, original.log)
    let hitsLog = !log.isEmpty && random.chance(40)
    let what = hitsLog ? damage(&log, &random) : damage(&file, &random)
    try original.write(path, file, log)
    report.count("files")
    if original.format < OldFormat.newest { report.count("of an earlier format") }
    switch open(path, access: random.chance(80) ? .write : .read) {
    case .code(let code):
      report.count("refused")
      return codes.contains(code) ? nil : "\(what): \(code)"
    case .content(original.last):
      report.count("right")
      if let problem = pastProblem(original, path, hitsLog: hitsLog, &report) { return "\(what): \(problem)" }
      return branchProblem(original, path, hitsLog: hitsLog, &report).map { "\(what), log \(hitsLog): \($0)" }
    case .content(let found) where original.mayBecome(found, hitsLog: hitsLog):
      report.count("of an earlier commit")
    case .content(let found):
      let difference = Proofs.firstDifference(found, original.last)
      return "format \(original.format), log \(hitsLog), \(what): silently wrong: \(difference)"
    }
    return nil
  }

  /// Finds what is wrong with the past of a file whose database is right.
  private static func pastProblem(
    _ original: Original, _ path: String, hitsLog: Bool, _ report: inout ProofReport
  ) -> String? {
    if original.format < OldFormat.newest { return nil }
    switch openPast(path) {
    case .code(let code):
      report.count("pasts refused")
      return codes.contains(code) ? nil : "the past: \(code)"
    case .content(original.past):
      report.count("pasts right")
      return nil
    case .content(let found): return "the past is silently wrong: \(Proofs.firstDifference(found, original.past))"
    }
  }

  /// What is wrong with the branch of a file whose database is right.
  private static func branchProblem(
    _ original: Original, _ path: String, hitsLog: Bool, _ report: inout ProofReport
  ) -> String? {
    guard let last = original.branchContents.last else { return nil }
    let outcomes = openBranches(path)
    if outcomes.isEmpty, !hitsLog { return "the branch is silently gone" }
    for outcome in outcomes {
      switch outcome {
      case .code(let code):
        report.count("branches refused")
        if !codes.contains(code) { return "the branch: \(code)" }
      case .content(last): report.count("branches right")
      case .content(let found):
        if hitsLog, original.branchContents.contains(found) { continue }
        return "the branch is silently wrong: \(Proofs.firstDifference(found, last))"
      }
    }
    return nil
  }

  /// Damages bytes; says how.
  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) -> String {
    let (count, pages) = (bytes.count, max(1, bytes.count / 4096))
    switch random.below(10) {
    case 0...3:
      let place = random.below(count)
      bytes[place] ^= 1 << UInt8(random.below(8))
      return "a bit of byte \(place)"
    case 4, 5:
      let place = random.below(pages) * 4096 + random.below(120)
      bytes[min(place, count - 1)] = UInt8(random.below(256))
      return "byte \(place)"
    case 6:
      let place = random.below(count)
      for index in place..<min(count, place + 1 + random.below(600)) { bytes[index] = UInt8(random.below(256)) }
      return "bytes from \(place)"
    case 7:
      let size = random.below(count)
      bytes.removeLast(count - size)
      return "cut to \(size)"
    case 8:
      let page = random.below(pages)
      for index in page * 4096..<min(count, (page + 1) * 4096) { bytes[index] = 0 }
      return "page \(page) without content"
    default:
      let (left, right) = (random.below(pages), random.below(pages))
      guard (max(left, right) + 1) * 4096 <= count else { return "nothing" }
      for index in 0..<4096 { bytes.swapAt(left * 4096 + index, right * 4096 + index) }
      return "pages \(left) and \(right)"
    }
  }
}
