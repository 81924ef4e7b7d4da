import GQLite

/// Random changes of two sides that are merged: the result is what ``MergeOracle`` says, and the laws of merging hold.
package struct MergeCampaign: Sendable {
  package struct Result: Sendable {
    package var merges = 0
    package var conflicts = 0
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      merges += other.merges
      conflicts += other.conflicts
      reports += other.reports
    }
  }

  package init() {}

  static let schema = """
    type User {
      id: ID! name: String age: Int views: Int! @merge(by: SUM) tags: [String!]
      team: Team @relation(inverse: "members") labels: [Label!]! @relation(inverse: "users")
    }
    type Team { id: ID! title: String members: [User!]! @relation(inverse: "team") }
    type Label { id: ID! title: String users: [User!]! @relation(inverse: "labels") }
    """

  /// One pair of sides, merged in each way; stops at its first difference.
  package func run(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    do {
      let report = random.chance(50) ? try compare(&random, &result) : try lawful(&random, &result)
      if let report { result.reports.append("seed \(seed): \(report)") }
    } catch {
      result.reports.append("seed \(seed): \(error)")
    }
    return result
  }

  // MARK: - The oracle

  private func compare(_ random: inout SeededRandom, _ result: inout Result) throws -> String? {
    let start = Self.start(&random)
    let (mine, theirs) = (Self.changes(&random, 100), Self.changes(&random, 200))
    var texts: [String] = []
    var found: [MergeChoice: [String]] = [:]
    for choice in [MergeChoice.fail, .mine, .theirs] {
      let database = try Database(schema: Self.schema)
      for text in start { try database.run(text) }
      let draft = database.edit(random.chance(30) ? .live : .snapshot)
      let base = try MergeOracle.state(of: database.run(MergeOracle.query))
      // On one thread: a live context is not asked before both are done.
      let own = draft.database.edit(.snapshot)
      for text in mine { _ = try? own.run(text) }
      let here = try MergeOracle.state(of: own.run(MergeOracle.query))
      try own.save()
      for text in theirs { _ = try? database.run(text) }
      let there = try MergeOracle.state(of: database.run(MergeOracle.query))
      let oracle = MergeOracle(base: base, mine: here, theirs: there, choice: choice)
      texts = start + ["-- mine"] + mine + ["-- theirs"] + theirs
      func report(_ problem: String) -> String { "\(choice): \(problem)\n\(texts.joined(separator: "\n"))" }
      if random.chance(20) {
        // What is followed with a conflict is told all the same.
        _ = try draft.run(MergeOracle.query)
      }
      do {
        let saved = try draft.save(conflicts: choice)
        found[choice] = saved.conflicts.map(Self.name).sorted()
        if choice == .fail, oracle.conflicts > 0 { return report("saved in spite of \(oracle.conflicts) conflicts") }
        result.merges += 1
        result.conflicts += saved.conflicts.count
      } catch {
        if choice != .fail || oracle.conflicts == 0 { return report("\(error)") }
        if try MergeOracle.state(of: database.run(MergeOracle.query)) != there { return report("half saved") }
        result.merges += 1
        continue
      }
      let answer = try MergeOracle.state(of: database.run(MergeOracle.query))
      let problems = database.check() + draft.database.check()
      if !problems.isEmpty { return report("inconsistent: \(problems.prefix(3))") }
      let isPlain = oracle.conflicts == 0 && here.values.allSatisfy(\.isLive) && there.values.allSatisfy(\.isLive)
      let (wanted, got) = (
        MergeOracle.text(oracle.merged, ordersLinks: !isPlain), MergeOracle.text(answer, ordersLinks: !isPlain)
      )
      if wanted != got { return report("expected\n\(wanted)\ngot\n\(got)") }
      if try MergeOracle.state(of: draft.run(MergeOracle.query)) != answer { return report("the context differs") }
    }
    if let mine = found[.mine], let theirs = found[.theirs], mine != theirs {
      return "conflicts are \(mine) for mine and \(theirs) for theirs\n\(texts.joined(separator: "\n"))"
    }
    return nil
  }

  private static func name(_ conflict: MergeConflict) -> String {
    "\(conflict.kind) \(conflict.type).\(conflict.field ?? "") \(conflict.id)"
  }

  // MARK: - Changes

  static func start(_ random: inout SeededRandom) -> [String] {
    let teams = (1...4).map { #"{id: \#($0), title: "t\#($0)"}"# }.joined(separator: ", ")
    let users = (1...6).map { id in
      let labels = (1...4).shuffled(using: &random).prefix(random.below(4)).map(String.init).joined(separator: ", ")
      let team = random.chance(60) ? ", team: \(1 + random.below(4))" : ""
      return
        #"{id: \#(id), name: "u\#(id)", age: \#(id), views: 0, tags: \#(tags(&random)), labels: [\#(labels)]\#(team)}"#
    }.joined(separator: ", ")
    return [
      "mutation { insertTeam(data: [\(teams)]) insertLabel(data: [\(teams)]) }",
      "mutation { insertUser(data: [\(users)]) }",
    ]
  }

  private static func tags(_ random: inout SeededRandom) -> String {
    let tags = ["a", "b", "c", "d", "e", "f"].shuffled(using: &random).prefix(random.below(5))
    return "[" + tags.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  /// Deletions come first, so that nothing is linked with what is deleted later.
  static func changes(_ random: inout SeededRandom, _ first: Int) -> [String] {
    var texts: [String] = []
    for _ in 0..<random.below(3) where random.chance(60) {
      texts.append("delete\(random.pick(["User", "Team", "Label"]))(where: id == \(1 + random.below(4)))")
    }
    let inserted = first + random.below(3)
    for id in first..<inserted {
      switch random.below(3) {
      case 0: texts.append(#"insertTeam(data: {id: \#(id), title: "n"})"#)
      case 1: texts.append(#"insertLabel(data: {id: \#(id), title: "n"})"#)
      default: texts.append(#"insertUser(data: {id: \#(id), name: "n", views: 1, tags: ["x"]})"#)
      }
    }
    for _ in 0..<(1 + random.below(5)) {
      let id = 1 + random.below(6)
      let set =
        switch random.below(7) {
        case 0: #"name: "\#(random.pick(["p", "q", "r"]))""#
        case 1: random.chance(20) ? "age: null" : "age: \(random.below(4))"
        case 2: "views: \(random.below(9))"
        case 3: "tags: \(tags(&random))"
        case 4: "team: \(1 + random.below(4))"
        default:
          "labels: ["
            + (1...4).shuffled(using: &random).prefix(random.below(4)).map(String.init).joined(separator: ", ") + "]"
        }
      texts.append("updateUser(where: id == \(id), set: {\(set)})")
    }
    return texts.map { "mutation { \($0) }" }
  }

  // MARK: - Laws

  package static let strict = """
    type User {
      id: ID! name: String email: String @unique code: Int! @unique
      posts: [Post!]! @relation(inverse: "author", onDelete: CASCADE) best: Post @relation(inverse: "bestOf")
      homes: [Home!] friends: [User!]! @relation(inverse: "friends")
      main: Home badge: Badge @relation(inverse: "owner", onDelete: CASCADE)
    }
    type Badge { id: ID! owner: User! @relation(inverse: "badge") spare: User }
    type Post {
      id: ID! title: String author: User! @relation(inverse: "posts") bestOf: User @relation(inverse: "best")
      notes: [Note!]! @relation(inverse: "post", onDelete: DENY) about: Thing
    }
    type Note { id: ID! text: String post: Post @relation(inverse: "notes") things: [Thing!]! }
    interface Thing { id: ID! }
    type Place implements Thing { id: ID! name: String }
    type Home { street: String n: Int place: Place }
    """
  package static let everything = """
    {
      User(orderBy: id) { id name email code posts { id } best { id } homes { street n place { id } } friends { id }
        main { street n place { id } } badge { id } }
      Badge(orderBy: id) { id owner { id } spare { id } }
      Post(orderBy: id) { id title author { id } bestOf { id } notes { id } about { id } }
      Note(orderBy: id) { id text post { id } things { id } } Place(orderBy: id) { id name }
    }
    """

  /// Changes that reach keys, required links, cascades, denials and lists of objects.
  package static func strictChanges(_ random: inout SeededRandom, _ first: Int, parity: Int? = nil) -> [String] {
    func id(_ most: Int = 6) -> Int {
      guard let parity else { return 1 + random.below(most) }
      return 2 * (1 + random.below(most / 2)) - parity
    }
    var texts: [String] = []
    for number in 0..<(1 + random.below(6)) {
      let new = random.chance(20) && parity == nil ? 50 : first + 2 * number + (parity ?? 0)
      let text =
        switch random.below(26) {
        case 0:
          #"insertUser(data: {id: \#(new), code: \#(parity == nil ? 20 + random.below(4) : new), email: "\#(parity == nil ? random.below(8) : new)"})"#
        case 1: #"insertPost(data: {id: \#(new), title: "n", author: \#(id()), about: \#(id())})"#
        case 2: #"insertNote(data: {id: \#(new), post: \#(id()), things: [\#(id())]})"#
        case 3: "deleteUser(where: id == \(id())\(random.chance(30) ? ", hard: true" : ""))"
        case 4: "deletePost(where: id == \(id())\(random.chance(30) ? ", hard: true" : ""))"
        case 5, 14: "restoreUser(where: id == \(id()))"
        case 6: "updatePost(where: id == \(id()), set: {author: \(id())})"
        case 7: #"updateUser(where: id == \#(id()), set: {email: "\#(parity == nil ? random.below(8) : id() + 90)"})"#
        case 8: "updateUser(where: id == \(id()), set: {best: \(id())})"
        case 9:
          "updateUser(where: id == \(id()), set: {homes: ["
            + #"{street: "\#(random.below(3))", n: \#(random.below(3)), place: \#(id())}, {street: "z"}]})"#
        case 10:
          "updateNote(where: id == \(id()), set: {post: \(random.chance(30) ? "null" : String(id())), things: [\(id())]})"
        case 11: #"updateUser(where: id == \#(id()), set: {name: "\#(random.below(4))"})"#
        case 12: "deletePlace(where: id == \(id())\(random.chance(30) ? ", hard: true" : ""))"
        case 13: #"updatePost(where: id == \#(id()), set: {title: "\#(random.below(4))"})"#
        case 15: "restorePost(where: id == \(id()))"
        case 16: "restore\(random.pick(["Note", "Place"]))(where: id == \(id()))"
        case 17: "deleteNote(where: id == \(id())\(random.chance(30) ? ", hard: true" : ""))"
        case 19:
          "updateUser(where: id == \(id()), set: {friends: [\(id())\(random.chance(50) ? "" : ", \(id())")]})"
        case 18: "updatePost(where: id == \(id()), set: {about: \(random.chance(30) ? "null" : String(id()))})"
        case 20: #"updateUser(where: id == \#(id()), set: {homes: []})"#
        case 21: "insertBadge(data: {id: \(new), owner: \(id()), spare: \(id())})"
        case 22: "updateBadge(where: id == \(id()), set: {\(random.chance(50) ? "owner" : "spare"): \(id())})"
        case 23: "deleteBadge(where: id == \(id())\(random.chance(30) ? ", hard: true" : ""))"
        case 24: "updateUser(where: id == \(id()), set: {main: null})"
        default:
          #"updateUser(where: id == \#(id()), set: {main: {street: "\#(random.below(3))", n: 1, place: \#(id())}})"#
        }
      texts.append("mutation { \(text) }")
    }
    return texts
  }

  package static func strictStart() -> [String] {
    let ids = 1...6
    func list(_ body: (Int) -> String) -> String { ids.map(body).joined(separator: ", ") }
    return [
      "mutation { insertPlace(data: [\(list { #"{id: \#($0), name: "p"}"# })]) }",
      #"mutation { insertUser(data: [\#(list { #"{id: \#($0), code: \#($0), email: "\#($0)", homes: [{street: "a", n: 1, place: \#($0)}], main: {street: "a", n: 1, place: \#($0)}}"# })]) }"#,
      "mutation { insertBadge(data: [\(list { "{id: \($0), owner: \($0), spare: \($0)}" })]) }",
      // Of one parity: so what two sides of different parity change is disjoint.
      "mutation { insertPost(data: [\(list { "{id: \($0), author: \(($0 + 1) % 6 + 1), about: \($0)}" })]) }",
      "mutation { insertNote(data: [\(list { "{id: \($0), post: \($0), things: [\($0)]}" })]) }",
    ]
  }

  /// Deletions and other changes before both sides begin, in half of all cases.
  package static func strictPast(_ random: inout SeededRandom) -> [String] {
    if random.chance(50) { return [] }
    return (0..<(1 + random.below(4))).map { _ in
      let id = 1 + random.below(6)
      let end = random.chance(15) ? ", hard: true" : ""
      let text =
        switch random.below(7) {
        case 0: "deleteUser(where: id == \(id)\(end))"
        case 1: "deletePost(where: id == \(id)\(end))"
        case 2: "deleteNote(where: id == \(id)\(end))"
        case 3: "deletePlace(where: id == \(id)\(end))"
        case 4: "updateUser(where: id == \(id), set: {best: \(id)})"
        case 5: "updateUser(where: id == \(id), set: {friends: [\(id), \(id % 6 + 1)]})"
        default: "updateNote(where: id == \(id), set: {post: null, things: [\(id), \(id % 6 + 1)]})"
        }
      return "mutation { \(text) }"
    }
  }

  private func lawful(_ random: inout SeededRandom, _ result: inout Result) throws -> String? {
    let isDisjoint = random.chance(30)
    let past = isDisjoint ? [] : Self.strictPast(&random)
    let mine = Self.strictChanges(&random, 100, parity: isDisjoint ? 0 : nil)
    let theirs = Self.strictChanges(&random, 200, parity: isDisjoint ? 1 : nil)
    let texts = (past + ["-- mine"] + mine + ["-- theirs"] + theirs).joined(separator: "\n")
    var conflicts: [[String]] = []
    // The two sides, and exchanged.
    for (here, there) in [(mine, theirs), (theirs, mine)] {
      for choice in [MergeChoice.theirs, .mine, .fail] {
        let database = try Database(schema: Self.strict)
        for text in Self.strictStart() { try database.run(text) }
        for text in past { _ = try? database.run(text) }
        let draft = database.edit(choice == .mine && random.chance(50) ? .live : .snapshot)
        let idle = database.edit(.snapshot)
        for text in here { _ = try? draft.run(text) }
        for text in there { _ = try? database.run(text) }
        let before = (try database.run(Self.everything).jsonString, try draft.run(Self.everything).jsonString)
        func report(_ problem: String) -> String { "\(choice): \(problem)\n\(texts)" }
        if !(try idle.save().applied.isEmpty) { return report("no change is a change") }
        result.merges += 1
        do {
          let saved = try draft.save(conflicts: choice)
          result.conflicts += saved.conflicts.count
          if isDisjoint, !saved.conflicts.isEmpty { return report("disjoint, but \(saved.conflicts)") }
          if choice == .theirs { conflicts.append(Self.names(saved.conflicts)) }
        } catch {
          if isDisjoint || error.problems.contains(where: { $0.code != "merge-conflict" }) { return report("\(error)") }
          let after = (try database.run(Self.everything).jsonString, try draft.run(Self.everything).jsonString)
          if after != before { return report("half saved: \(error)") }
          if choice == .theirs { conflicts.append(["open"]) }
          continue
        }
        let problems = database.check() + draft.database.check()
        if !problems.isEmpty { return report("inconsistent: \(problems.prefix(3))") }
        let answer = try database.run(Self.everything).jsonString
        if try draft.run(Self.everything).jsonString != answer { return report("the context differs") }
        if isDisjoint, choice == .fail {
          // One after the other is the same.
          let other = try Database(schema: Self.strict)
          for text in Self.strictStart() + there + here { _ = try? other.run(text) }
          let wanted = try other.run(Self.everything).jsonString
          if wanted != answer { return report("does not commute: expected\n\(wanted)\ngot\n\(answer)") }
        }
        if random.chance(15) {
          restore(database)
          let others = database.check()
          if !others.isEmpty { return report("inconsistent once restored: \(others.prefix(3))") }
        }
      }
    }
    if conflicts.count == 2, !conflicts.contains(where: { $0.contains("open") }), conflicts[0] != conflicts[1] {
      return "conflicts are not symmetrical: \(conflicts[0]) and \(conflicts[1])\n\(texts)"
    }
    return nil
  }

  /// The conflicts that look alike from both sides; none where others may have hidden some.
  private static func names(_ conflicts: [MergeConflict]) -> [String] {
    if conflicts.contains(where: { [.key, .required, .denied].contains($0.kind) }) { return ["open"] }
    return conflicts.map { "\($0.kind) \($0.type) \($0.id)" }.sorted()
  }
}
