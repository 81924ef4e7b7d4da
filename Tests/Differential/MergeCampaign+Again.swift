import GQLite

/// Merges of a branch into one that has it already.
extension MergeCampaign {
  /// Merges a branch into another one, and later again. Without a change of the branch nothing comes; with one, what comes
  /// is as ``MergeOracle`` says of the version that was merged before, and the two as they are.
  package func runAgain(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    do {
      let report = random.chance(60) ? try compareAgain(&random, &result) : try lawfulAgain(&random, &result)
      if let report { result.reports.append("seed \(seed), again: \(report)") }
    } catch {
      result.reports.append("seed \(seed), again: \(error)")
    }
    return result
  }

  private func compareAgain(_ random: inout SeededRandom, _ result: inout Result) throws -> String? {
    let database = try Database(schema: Self.schema)
    var texts = Self.start(&random)
    for text in texts { try database.run(text) }
    let (draft, other) = (try database.branch("draft"), try database.branch("other"))
    func change(_ branch: Branch, _ first: Int) {
      let changes = Self.changes(&random, first)
      texts += ["-- \(branch.name)"] + changes
      for text in changes { _ = try? branch.run(text) }
    }
    // Without what the database gets meanwhile.
    let later = (0..<3).map { 1000 + $0 }
    func state(_ branch: Branch) throws -> MergeOracle.State {
      try MergeOracle.state(of: branch.run(MergeOracle.query)).filter { found in
        !later.contains { found.key == "Team \($0)" }
      }
    }
    func report(_ problem: String) -> String { "\(problem)\n\(texts.joined(separator: "\n"))" }
    change(draft, 100)
    change(other, 200)
    var choice = random.chance(50) ? MergeChoice.mine : .theirs
    texts.append("-- merge \(choice)")
    try draft.merge(into: other, conflicts: choice)
    for round in 0..<3 {
      result.merges += 1
      // Either side, or a merge the other way that brings nothing, may be first.
      if random.chance(70) { change(other, 300 + 10 * round) }
      let (base, there) = (try state(draft), try state(other))
      do {
        let empty = try draft.merge(into: other)
        if !empty.applied.isEmpty || !empty.conflicts.isEmpty { return report("without a change: \(empty)") }
      } catch {
        if error.problems.first?.code == "merged-branch" { return nil }
        throw error
      }
      change(draft, 400 + 10 * round)
      if random.chance(20) { try database.run("mutation { insertTeam(data: {id: \(later[round])}) }") }
      let here = try state(draft)
      choice = random.chance(50) ? .mine : .theirs
      texts.append("-- merge \(choice)")
      let saved: MergeReport
      do {
        saved = try draft.merge(into: other, conflicts: choice)
      } catch {
        // Numbers of what the other one had deleted were left out before.
        if error.problems.first?.code == "merged-branch" { return nil }
        throw error
      }
      let problems = other.database.check()
      if !problems.isEmpty { return report("inconsistent: \(problems.prefix(3))") }
      result.conflicts += saved.conflicts.count
      let oracle = MergeOracle(base: base, mine: here, theirs: there, choice: choice)
      // What is deleted does not tell its links. So nothing is known where one side has it, and a decision was for that;
      // nor whether the other side has linked what the branch deletes with something that it has deleted.
      let isHalfDeleted = base.contains { id, known in
        guard let own = here[id], let other = there[id] else { return false }
        return known.isLive ? own != known && own.isLive && !other.isLive : other.isLive
      }
      let hasDeleted = base.contains { $0.value.isLive && here[$0.key]?.isLive == false }
      // A link to what is deleted may be in conflict with one that the branch has made.
      let hasHidden = hasDeleted || saved.conflicts.count > oracle.conflicts
      if isHalfDeleted || hasHidden && there.values.contains(where: { !$0.isLive }) { continue }
      let wanted = MergeOracle.text(oracle.merged, ordersLinks: true)
      let got = MergeOracle.text(try state(other), ordersLinks: true)
      if wanted != got { return report("expected\n\(wanted)\ngot\n\(got)") }
      if oracle.conflicts > 0, saved.conflicts.isEmpty { return report("\(oracle.conflicts) conflicts were not told") }
    }
    return nil
  }

  private func lawfulAgain(_ random: inout SeededRandom, _ result: inout Result) throws -> String? {
    let database = try Database(schema: Self.strict)
    let past = Self.strictPast(&random)
    for text in Self.strictStart() { try database.run(text) }
    for text in past { _ = try? database.run(text) }
    let (draft, other) = (try database.branch("draft"), try database.branch("other"))
    var texts = past
    func change(_ branch: Branch, _ first: Int) {
      let changes = Self.strictChanges(&random, first)
      texts += ["-- \(branch.name)"] + changes
      for text in changes { _ = try? branch.run(text) }
    }
    func report(_ problem: String) -> String { "\(problem)\n\(texts.joined(separator: "\n"))" }
    var (source, target) = (draft, other)
    for round in 0..<4 {
      change(source, 100 + 20 * round)
      change(target, 200 + 20 * round)
      let choice = random.chance(50) ? MergeChoice.mine : .theirs
      texts.append("-- \(source.name) into \(target.name), \(choice)")
      result.merges += 1
      do {
        result.conflicts += try source.merge(into: target, conflicts: choice).conflicts.count
      } catch {
        if error.problems.contains(where: { $0.code != "merge-conflict" }) { return report("\(error)") }
        continue
      }
      if random.chance(50) { change(target, 300 + 20 * round) }
      let before = try target.run(Self.everything).jsonString
      let empty = try source.merge(into: target)
      if !empty.applied.isEmpty || !empty.conflicts.isEmpty { return report("without a change: \(empty)") }
      let problems = target.database.check()
      if !problems.isEmpty { return report("inconsistent: \(problems.prefix(3))") }
      if try target.run(Self.everything).jsonString != before { return report("nothing was brought, and is there") }
      if random.chance(40) { swap(&source, &target) }
    }
    return nil
  }
}
