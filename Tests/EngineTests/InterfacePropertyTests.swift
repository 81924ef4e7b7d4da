import Foundation
import GQLPlanner
import GQLite
import Testing

/// Random changes of the members of an interface and a union: the lists of the abstract types are those of a model, in
/// order of first insertion, whatever was deleted, restored, purged or failed.
@Suite struct InterfacePropertyTests {
  private struct Entity {
    var type: String
    var id: String
    var name: String
    var isDeleted = false
    /// What `to` of a link leads to.
    var to: String?
  }

  private static let schema = """
    interface N { id: ID!  name: String }
    union U = A | B
    type A implements N { id: ID!  name: String @index  of: U }
    type B implements N { id: ID!  name: String @index(kind: HASH) }
    type C implements N { id: ID!  name: String  to: N }
    """

  private static let seeds: [UInt64] = {
    let first = ProcessInfo.processInfo.environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<10).map { first &+ $0 }
  }()

  @Test("interfaces and unions follow their members", arguments: seeds)
  func agreement(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let database = try Database(schema: Self.schema)
    var model = try load(into: database, &random)
    for step in 0..<40 {
      let (text, succeeds) = change(&model, &random)
      var failed = false
      do { _ = try database.prepare(text).run() } catch { failed = true }
      let place = "seed \(seed), step \(step): \(text)"
      try #require(failed != succeeds, "\(place): it \(failed ? "failed" : "succeeded")")
      try #require(database.check() == [], "\(place)")
      for (query, expected) in questions(model, &random) {
        for plan in [PlannerOptions(), PlannerOptions(forcing: random.pick([.scanOnly, .alternative(1)]))] {
          let answer = try database.prepare(query).run(planner: plan).jsonString
          try #require(answer == expected, "\(place)\n\(query) under \(plan)")
        }
      }
    }
  }

  /// Members, and entities that are linked to any of them.
  private func load(into database: Database, _ random: inout SeededRandom) throws -> [Entity] {
    var model: [Entity] = []
    for number in 0..<random.below(8) {
      let type = random.pick(["A", "B"])
      let entity = Entity(type: type, id: "\(type.lowercased())-\(number)", name: "n\(random.below(3))")
      model.append(entity)
      try database.load([.lines(type, "{\"id\":\"\(entity.id)\",\"name\":\"\(entity.name)\"}\n")])
    }
    for number in 0..<random.below(6) {
      var entity = Entity(type: "C", id: "c-\(number)", name: "n\(random.below(3))")
      var link = ""
      if let target = model.randomElement(using: &random) {
        entity.to = target.id
        link = ",\"to\":{\"__typename\":\"\(target.type)\",\"id\":\"\(target.id)\"}"
      }
      model.append(entity)
      try database.load([.lines("C", "{\"id\":\"\(entity.id)\",\"name\":\"\(entity.name)\"\(link)}\n")])
    }
    return model
  }

  /// One mutation, and whether it succeeds.
  private func change(_ model: inout [Entity], _ random: inout SeededRandom) -> (text: String, succeeds: Bool) {
    let type = random.pick(["A", "B", "C"])
    let own = model.indices.filter { model[$0].type == type }
    let alive = own.filter { !model[$0].isDeleted }
    let name = "n\(random.below(3))"
    switch random.below(10) {
    case 0...3:
      let id = "\(type.lowercased())\(random.below(1000))"
      guard !model.contains(where: { $0.id == id }) else { break }
      if random.chance(15), let known = alive.first {
        // The second row fails, and takes the first along.
        return (
          "mutation { insert\(type)(data: [{id: \"\(id)\", name: \"\(name)\"}, {id: \"\(model[known].id)\"}]) { id } }",
          false
        )
      }
      model.append(Entity(type: type, id: id, name: name))
      return ("mutation { insert\(type)(data: [{id: \"\(id)\", name: \"\(name)\"}]) { id } }", true)
    case 4:
      guard let target = alive.randomElement(using: &random) else { break }
      model[target].name = name
      return ("mutation { update\(type)(where: id == \"\(model[target].id)\", set: {name: \"\(name)\"}) { id } }", true)
    case 5, 6:
      guard let target = alive.randomElement(using: &random) else { break }
      model[target].isDeleted = true
      return ("mutation { delete\(type)(where: id == \"\(model[target].id)\") { id } }", true)
    case 7:
      guard let target = own.randomElement(using: &random) else { break }
      let id = model[target].id
      for index in model.indices where model[index].to == id { model[index].to = nil }
      model.remove(at: target)
      return ("mutation { delete\(type)(where: id == \"\(id)\", hard: true) { id } }", true)
    case 8:
      for index in own where model[index].name == name { model[index].isDeleted = false }
      return ("mutation { restore\(type)(where: name == \"\(name)\") { id } }", true)
    default:
      // Everything of a name at once.
      for index in alive where model[index].name == name { model[index].isDeleted = true }
      return ("mutation { delete\(type)(where: name == \"\(name)\") { id } }", true)
    }
    return ("mutation { delete\(type)(where: id == \"nobody\") { id } }", true)
  }

  private func questions(_ model: [Entity], _ random: inout SeededRandom) -> [(query: String, expected: String)] {
    func list(_ entities: [Entity], _ text: (Entity) -> String) -> String {
      "[\(entities.map(text).joined(separator: ","))]"
    }
    let alive = model.filter { !$0.isDeleted }
    let name = "n\(random.below(3))"
    let united = alive.filter { $0.type != "C" }
    let gone = model.filter(\.isDeleted)
    let named = alive.filter { $0.name == name }
    return [
      (
        "{ N(deleted: ONLY) { id __typename _status } U(deleted: INCLUDE) { _status } n: count(N(deleted: INCLUDE)) }",
        "{\"N\":"
          + list(gone) { "{\"id\":\"\($0.id)\",\"__typename\":\"\($0.type)\",\"_status\":\"DELETED\"}" } + ",\"U\":"
          + list(model.filter { $0.type != "C" }) { "{\"_status\":\"\($0.isDeleted ? "DELETED" : "CREATED")\"}" }
          + ",\"n\":\(model.count)}"
      ),
      (
        "{ N(deleted: INCLUDE, where: name == \"\(name)\") { id } }",
        "{\"N\":\(list(model.filter { $0.name == name }) { "{\"id\":\"\($0.id)\"}" })}"
      ),
      (
        "{ N { __typename id name } n: count(N) }",
        "{\"N\":\(list(alive) { "{\"__typename\":\"\($0.type)\",\"id\":\"\($0.id)\",\"name\":\"\($0.name)\"}" }),"
          + "\"n\":\(alive.count)}"
      ),
      (
        "{ U { ... on A { id } ... on B { id } } }",
        "{\"U\":\(list(united) { "{\"id\":\"\($0.id)\"}" })}"
      ),
      (
        "{ N(where: name == \"\(name)\") { id } n: count(N(where: __typename == \"A\" and name == \"\(name)\")) }",
        "{\"N\":\(list(named) { "{\"id\":\"\($0.id)\"}" }),\"n\":\(named.count { $0.type == "A" })}"
      ),
      (
        "{ C { id to { id } } }",
        "{\"C\":"
          + list(alive.filter { $0.type == "C" }) { link in
            let target = alive.first { $0.id == link.to }
            return "{\"id\":\"\(link.id)\",\"to\":\(target.map { "{\"id\":\"\($0.id)\"}" } ?? "null")}"
          } + "}"
      ),
    ]
  }
}
