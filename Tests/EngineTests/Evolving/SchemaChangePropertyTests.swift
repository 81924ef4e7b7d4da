import Foundation
import Testing

@testable import GQLEngine

/// Random schemas one after the other: what a change leaves is what a fresh database with the new schema would load.
@Suite struct SchemaChangePropertyTests {
  /// A field of A that holds a small number in one form or another.
  private struct Field: Equatable {
    var name: String
    var type: String
    var isNonNull: Bool
    var hasDefault: Bool
    var directives: String

    func literal(_ value: Int) -> String {
      switch type {
      case "String": "\"\(value)\""
      case "[Int!]": "[\(value)]"
      default: "\(value)"
      }
    }

    var text: String {
      "\(name): \(type)\(isNonNull ? "!" : "")\(hasDefault ? " = \(literal(77))" : "") \(directives)"
    }
  }

  private struct Schema {
    var fields: [Field] = []
    /// None, `A.r`, `B.q`, both, or `A.r` with room for one.
    var link = 0
    var isMember = false
    var isReversed = false

    var text: String {
      let list = (isReversed ? fields.reversed() : fields).map(\.text)
      let r = ["", "r: [B!]! @relation", "", "r: [B!]! @relation(inverse: \"q\")", "r: B @relation"][link]
      let q = ["", "", "q: [A!]! @relation", "q: [A!]!", ""][link]
      let parts = isReversed ? [r] + list + ["id: ID!"] : ["id: ID!"] + list + [r]
      let note = isMember ? " implements N" : ""
      return """
        \(isMember ? "interface N { id: ID! }" : "")
        type B { id: ID! \(q) }
        type A\(note) { \(parts.joined(separator: "\n")) }
        """
    }

    var hasR: Bool { link == 1 || link >= 3 }
    var hasQ: Bool { link == 2 || link == 3 }
    var holdsLinks: Bool { link > 0 }
  }

  private struct Entity {
    var id: Int
    var values: [String: Int] = [:]
    var links: [Int] = []
    var isDeleted = false
  }

  private static let seeds: [UInt64] = {
    let first = ProcessInfo.processInfo.environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<20).map { first &+ $0 }
  }()

  private func schema(_ random: inout SeededRandom, _ model: [Entity]) -> Schema {
    var schema = Schema()
    for name in ["u", "v", "w"] where random.below(4) > 0 {
      let type = random.pick(["Int", "Float", "Decimal", "String", "[Int!]"])
      var field = Field(name: name, type: type, isNonNull: false, hasDefault: random.below(3) == 0, directives: "")
      field.isNonNull = field.hasDefault && random.below(2) == 0
      if type != "[Int!]" { field.directives = random.pick(["", "@index", "@index(kind: HASH)", "@index"]) }
      if type == "String" { field.directives += random.pick(["", " @collate(CI)", " @trigram", " @fulltext"]) }
      schema.fields.append(field)
    }
    schema.isReversed = random.below(2) == 0
    schema.isMember = random.below(2) == 0
    schema.link = random.below(model.allSatisfy { $0.links.count < 2 } ? 5 : 4)
    return schema
  }

  /// The model's data as one document. Where only B holds the links, they are given there.
  private func document(_ schema: Schema, _ model: [Entity]) -> String {
    let entities = model.map { entity in
      var members = ["\"id\":\(entity.id)"]
      for field in schema.fields {
        // Null where there is nothing, so that the default does not come in.
        members.append("\"\(field.name)\":" + (entity.values[field.name].map { field.literal($0) } ?? "null"))
      }
      if schema.hasR {
        members.append("\"r\":" + (schema.link == 4 ? entity.links.first.map { "\($0)" } ?? "null" : "\(entity.links)"))
      }
      return "{\(members.joined(separator: ","))}"
    }
    let others = (0..<4).map { id in
      let backs = model.filter { $0.links.contains(id) }.map(\.id)
      return schema.hasQ && !schema.hasR ? "{\"id\":\(id),\"q\":\(backs)}" : "{\"id\":\(id)}"
    }
    return "{\"B\":[\(others.joined(separator: ","))],\"A\":[\(entities.joined(separator: ","))]}"
  }

  private func questions(_ schema: Schema, _ random: inout SeededRandom) -> [String] {
    let names = schema.fields.map(\.name)
    let all = (["id"] + names + (schema.hasR ? ["r { id }"] : [])).joined(separator: " ")
    var questions = ["{ A { \(all) } B { id \(schema.hasQ ? "q { id }" : "") } \(schema.isMember ? "N { id }" : "") }"]
    for field in schema.fields where field.type != "[Int!]" {
      questions.append(
        "{ A(where: \(field.name) == \(field.literal(random.below(5)))) { id } n: count(A(where: \(field.name) == null)) }"
      )
      questions.append("{ A(orderBy: [-\(field.name)]) { id } }")
      if field.type == "String" {
        questions.append("{ A(where: \(field.name) contains \"7\" or \(field.name) matches \"3\") { id } }")
      }
    }
    return questions
  }

  @Test("a changed database is a fresh one", arguments: seeds) func agreement(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var model = (0..<(3 + random.below(30))).map { id in
      let limit = seed % 2 == 0 ? 4 : 2
      return Entity(id: id, links: (0..<4).filter { _ in random.below(3) == 0 }.prefix(random.below(limit)).map { $0 })
    }
    var current = schema(&random, model)
    if !current.holdsLinks { for index in model.indices { model[index].links = [] } }
    for index in model.indices {
      for field in current.fields {
        model[index].values[field.name] = field.isNonNull || random.below(4) > 0 ? random.below(5) : nil
      }
    }
    let database = try Database(schema: current.text)
    try database.load([.document(document(current, model))])
    for step in 0..<5 {
      let gone = model.indices.filter { _ in random.below(5) == 0 }
      for index in gone { _ = try database.query("mutation { deleteA(where: id == \(model[index].id)) }") }
      let next = schema(&random, model)
      let place = "seed \(seed), step \(step)\n\(current.text)\n\(next.text)"
      do {
        try database.changeSchema(to: next.text, allowingLoss: true)
      } catch {
        Issue.record("\(place)\n\(error)")
        return
      }
      try #require(database.check() == [], "\(place)")
      for index in model.indices {
        for name in ["u", "v", "w"] {
          guard let field = next.fields.first(where: { $0.name == name }) else {
            model[index].values[name] = nil
            continue
          }
          let isNew = !current.fields.contains { $0.name == name }
          if model[index].values[name] == nil, field.hasDefault, isNew || field.isNonNull {
            model[index].values[name] = 77
          }
        }
        // A field of the one end is no field of the other, unless a schema has said so between.
        let keepsLinks = current.hasR && next.hasR || current.hasQ && next.hasQ
        if !keepsLinks { model[index].links = [] }
      }
      current = next
      // A database that was never changed, with the same entities deleted.
      let fresh = try Database(schema: next.text)
      try fresh.load([.document(document(next, model))])
      for index in gone { _ = try fresh.query("mutation { deleteA(where: id == \(model[index].id)) }") }
      for isRestored in [false, true] {
        if isRestored, !gone.isEmpty {
          for index in gone {
            for one in [database, fresh] { _ = try one.query("mutation { restoreA(where: id == \(model[index].id)) }") }
          }
          try #require(database.check() == [], "\(place)")
        }
        for question in questions(next, &random) {
          let expected = try fresh.query(question).jsonString
          try #require(try database.query(question).jsonString == expected, "\(place)\n\(question)")
        }
      }
    }
  }
}
