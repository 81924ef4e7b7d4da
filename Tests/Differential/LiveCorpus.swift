import GQLCatalog
import GQLEngine
import GQLite

/// The queries of golden files, followed while the data that they are asked of change: interfaces, embedded objects,
/// closures, cursors, computed fields and whatever else has a golden file.
package struct LiveCorpus: Sendable {
  /// Random mutations of each database.
  package var changes = 40

  package init() {}

  private typealias Named = (path: String, follower: LiveFollower)

  /// Follows all queries of golden files below some folders.
  package func run(_ paths: [String], seed: UInt64) throws -> LiveCampaign.Result {
    var databases = GoldenDatabases()
    var followers: [ObjectIdentifier: (database: Database, followers: [Named])] = [:]
    for path in try paths.flatMap({ try GoldenRunner.cases(at: $0) }) {
      guard let golden = try? GoldenCase(path: path), golden.missingRequirement == nil,
        golden.stages.contains(.json), let found = try? Self.queries(golden, &databases)
      else { continue }
      for (number, (query, values)) in found.queries.enumerated() {
        let follower = LiveFollower(query, values)
        guard (try? follower.begin(number % 2 == 0 ? .diff : .full)) != nil else { continue }
        followers[ObjectIdentifier(found.database), default: (found.database, [])].followers.append((path, follower))
      }
    }
    var result = LiveCampaign.Result()
    for (number, group) in followers.values.sorted(by: { $0.followers.count < $1.followers.count }).enumerated() {
      let report = follow(group.followers, group.database, SeededRandom(seed: seed &+ UInt64(number)), &result)
      if let report { result.reports.append(report) }
      for (_, follower) in group.followers { follower.end() }
    }
    return result
  }

  private static func queries(
    _ golden: GoldenCase, _ databases: inout GoldenDatabases
  ) throws -> (database: Database, queries: [(PreparedQuery, [String: GQLite.Value])])? {
    let dialect = golden.value("dialect").flatMap { QueryDialect(rawValue: $0) } ?? .extended
    let document = try QueryDocument(name: golden.path, bytes: golden.bytes, dialect: dialect)
    // What depends on the time is another answer when it is run again.
    if document.hasMutations || String(decoding: golden.bytes, as: UTF8.self).contains("now()") { return nil }
    let database = try databases.database(for: golden, document)
    let variables = try golden.value("vars").map { try GQLite.Value(json: Array($0.utf8)) }
    let queries = try database.prepareAll(document).compactMap { query -> (PreparedQuery, [String: GQLite.Value])? in
      if let operation = golden.value("operation"), query.name != operation { return nil }
      if query.isExplained { return nil }
      var values: [String: GQLite.Value] = [:]
      for variable in query.variables {
        if let value = variables?[variable.name] { values[variable.name] = value }
      }
      return (query, values)
    }
    return (database, queries)
  }

  /// Changes the data at random, and compares. Returns the first difference.
  private func follow(
    _ followers: [Named], _ database: Database, _ random: SeededRandom, _ result: inout LiveCampaign.Result
  ) -> String? {
    var random = random
    var log: [String] = []
    for number in 0...changes {
      if number > 0 {
        guard let change = change(database, &random) else { continue }
        log.append(change)
      }
      database.waitUntilTold()
      for (path, follower) in followers {
        result.checks += 1
        guard let problem = follower.take(database, told: &result.told, mayRepeat: number == 0) else { continue }
        return """
          \(path) after \(log.suffix(5).joined(separator: "\n      "))
          \(problem)
          plan
          \((try? follower.query.explain(follower.variables)) ?? "")
          """
      }
    }
    return nil
  }

  /// Makes one random change; returns its text, nil where there is none to be made.
  private func change(_ database: Database, _ random: inout SeededRandom) -> String? {
    let catalog = database.catalog
    let types = catalog.types.filter { $0.kind == .entity && $0.idProperties.count == 1 }
    guard let type = types.randomElement(using: &random) else { return nil }
    let id = type.properties[Int(type.idProperties[0].index)]
    for _ in 0..<8 {
      guard let (text, values) = mutation(database, catalog, type, id, &random) else { continue }
      guard let answer = try? database.run(text, values) else { continue }
      return "\(text) with \(values): \(answer.jsonString.prefix(60))"
    }
    return nil
  }

  private func mutation(
    _ database: Database, _ catalog: Catalog, _ type: EntityType, _ id: Property, _ random: inout SeededRandom
  ) -> (String, [String: GQLite.Value])? {
    let isGone = random.chance(15)
    let list = "\(type.rootMany)(\(isGone ? "deleted: ONLY, " : "")limit: 500) { \(id.name) }"
    guard let found = try? database.run("{ x: \(list) }"), let rows = found.value["x"]?.elements,
      let row = rows.randomElement(using: &random), let key = row[id.name]
    else { return nil }
    let values = ["id": key]
    let head = "mutation($id: \(name(id.signature.type, catalog) ?? "ID")!"
    if isGone { return ("\(head)) { restore\(type.name)(where: \(id.name) == $id) }", values) }
    if random.chance(25) {
      let isHard = random.chance(30) ? ", hard: true" : ""
      return ("\(head)) { delete\(type.name)(where: \(id.name) == $id\(isHard)) }", values)
    }
    guard let property = type.properties.randomElement(using: &random), property.id != id.id else { return nil }
    if let scalar = name(property.signature.type, catalog) {
      guard let other = try? database.run("{ x: \(type.rootMany)(limit: 500) { y: \(property.name) } }"),
        let value = other.value["x"]?.elements?.randomElement(using: &random)?["y"]
      else { return nil }
      let taken = random.chance(20) && !property.signature.isNonNull ? .null : value
      return (
        "\(head), $v: \(scalar)) { update\(type.name)(where: \(id.name) == $id, set: {\(property.name): $v}) }",
        ["id": key, "v": taken]
      )
    }
    guard case .entity(let target) = property.signature.type, catalog[target].kind == .entity,
      catalog[target].idProperties.count == 1
    else { return nil }
    let targetID = catalog[target].properties[Int(catalog[target].idProperties[0].index)]
    guard let others = try? database.run("{ x: \(catalog[target].rootMany)(limit: 500) { y: \(targetID.name) } }"),
      let link = others.value["x"]?.elements?.randomElement(using: &random)?["y"]
    else { return nil }
    return (
      "\(head), $v: \(name(targetID.signature.type, catalog) ?? "ID")) "
        + "{ update\(type.name)(where: \(id.name) == $id, set: {\(property.name): $v}) }",
      ["id": key, "v": random.chance(20) ? .null : link]
    )
  }

  /// The name of a type of values; nil for others.
  private func name(_ type: ValueType, _ catalog: Catalog) -> String? {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): catalog[id].name
    case .embedded, .null, .entity, .list: nil
    }
  }
}

extension GQLite.Value {
  /// The elements of a list.
  fileprivate var elements: [GQLite.Value]? { if case .list(let elements) = self { elements } else { nil } }
}
