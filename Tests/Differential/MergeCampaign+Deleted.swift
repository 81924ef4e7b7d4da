import GQLite

/// Entities that one side has written and deleted.
extension MergeCampaign {
  /// Merges one side's changes with, and without, a change of the other side that touches nothing else, and restores all
  /// that can be restored. The two results are the same.
  package func runDeleted(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    let past = Self.strictPast(&random)
    let changes = Self.strictChanges(&random, 100) + Self.strictChanges(&random, 200)
    func report(_ problem: String) {
      result.reports.append("seed \(seed): \(problem)\n\((past + ["-- mine"] + changes).joined(separator: "\n"))")
    }
    do {
      var answers: [String] = []
      for isMoved in [false, true] {
        let database = try Database(schema: Self.strict + " type Other { id: ID! }")
        for text in Self.strictStart() { try database.run(text) }
        for text in past { _ = try? database.run(text) }
        let draft = database.edit(.snapshot)
        for text in changes { _ = try? draft.run(text) }
        if isMoved { try database.run("mutation { insertOther(data: {id: 1}) }") }
        result.conflicts += try draft.save().conflicts.count
        result.merges += 1
        restore(database)
        let problems = database.check()
        if !problems.isEmpty { report("inconsistent: \(problems.prefix(3))") }
        answers.append(try database.run(Self.everything).jsonString)
      }
      if answers[0] != answers[1] { report("alone\n\(answers[0])\nmerged\n\(answers[1])") }
    } catch {
      report("\(error)")
    }
    return result
  }

  /// Restores all that can be restored.
  func restore(_ database: Database) {
    let ids = [1, 2, 3, 4, 5, 6, 50] + [100, 200].flatMap { first in (0..<6).map { first + 2 * $0 } }
    // Some twice, because some need others.
    for type in ["Place", "User", "Post", "Note", "Badge", "User", "Post", "Note", "Badge"] {
      for id in ids { _ = try? database.run("mutation { restore\(type)(where: id == \(id)) }") }
    }
  }
}
