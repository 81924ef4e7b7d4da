import GQLBase
import Testing

@testable import GQLEngine

/// Pages that follow each other are the list, whatever its order, its filter and the size of the pages.
@Suite struct PagingTests {
  static let schema = """
    type Item @index(fields: ["a"]) @index(fields: ["b", "a"]) {
      id: ID! a: Int b: String c: Float! d: Int @index owner: Owner @relation(inverse: "items")
    }
    type Owner { id: ID! name: String items: [Item!]! @relation(inverse: "owner") }
    """

  static func database(_ count: Int, seed: UInt64) throws -> Database {
    var random = SeededRandom(seed: seed)
    var items = ""
    for id in 0..<count {
      func maybe(_ text: String) -> String { random.below(4) == 0 ? "null" : text }
      let owner = random.below(3)
      items += """
        {"__typename":"Item","id":\(id),"a":\(maybe(String(random.below(6)))),"b":\(maybe("\"t\(random.below(4))\"")),\
        "c":\(Double(random.below(5)) / 2),"d":\(maybe(String(random.below(count)))),"owner":"o\(owner)"}

        """
    }
    for owner in 0..<3 {
      let name = owner == 1 ? "null" : "\"n\""
      items += #"{"__typename":"Owner","id":"o\#(owner)","name":\#(name)}"# + "\n"
    }
    let database = try Database(schema: schema)
    try database.load([.lines(nil, items)])
    return database
  }

  static let orders = [
    "", "orderBy: a", "orderBy: -a", "orderBy: [b, a]", "orderBy: [-b, a]", "orderBy: desc(a, nulls: FIRST)",
    "orderBy: asc(b, nulls: FIRST)", "orderBy: c", "orderBy: [c, -d]", "orderBy: a + 1", "orderBy: owner.name",
    "orderBy: [owner.name, -id]", "orderBy: -id", "orderBy: collate(b, CI)", "orderBy: d", "orderBy: -d",
    "orderBy: a == null, distinctOn: c", "distinctOn: [a, b]", "orderBy: -c, distinctOn: a",
  ]
  static let filters = ["", "where: c > 0.5", "where: a is not null", "where: d > 3", "where: b == \"t1\""]

  @Test(arguments: orders) func pagesAreTheList(_ order: String) throws {
    let database = try Self.database(70, seed: 7)
    for filter in Self.filters {
      let fields = [
        "Item", "owner(id: \"o1\") { items", "Item(groupBy: owner, offset: 1, limit: 1) { _items",
        "owner(id: \"o2\") { items(groupBy: {many: c > 1}, limit: 1) { _items",
      ]
      for field in fields {
        let close = String(repeating: " }", count: field.count { $0 == "{" } - (field.contains("{many") ? 1 : 0))
        func list(_ arguments: String) throws -> [(id: String, cursor: String)] {
          let given = [filter, order, arguments].filter { !$0.isEmpty }.joined(separator: ", ")
          let text = "{ \(field)\(given.isEmpty ? "" : "(\(given))") { id _cursor }\(close) }"
          return try entries(try database.query(text))
        }
        let all = try list("")
        for size in [1, 3, 64] {
          var pages: [String] = []
          var cursor: String?
          while pages.count <= all.count {
            let page = try list("limit: \(size)" + (cursor.map { ", after: \"\($0)\"" } ?? ""))
            pages += page.map(\.id)
            guard let last = page.last, page.count == size else { break }
            cursor = last.cursor
          }
          #expect(pages == all.map(\.id), "\(field) \(filter) \(order) by \(size)")
          var back: [String] = []
          var before = all.last?.cursor
          while let place = before, back.count <= all.count {
            let page = try list("limit: \(size), before: \"\(place)\"")
            back = page.map(\.id) + back
            before = page.first?.cursor
          }
          #expect(back == all.dropLast().map(\.id), "\(field) \(filter) \(order) back by \(size)")
        }
        if all.count > 6 {
          let between = try list("after: \"\(all[1].cursor)\", before: \"\(all[5].cursor)\"")
          #expect(between.map(\.id) == all[2..<5].map(\.id))
          let behind = try list("after: \"\(all[1].cursor)\", offset: 2, limit: 2")
          #expect(behind.map(\.id) == all[4..<6].map(\.id))
        }
      }
    }
  }

  @Test func anyTextIsACursorOrAnError() throws {
    let database = try Self.database(20, seed: 3)
    let good = try entries(try database.query("{ Item(orderBy: [b, c]) { id _cursor } }"))[4].cursor
    var random = SeededRandom(seed: 11)
    let letters = Array("ABCxyz019-_=+/ ")
    for round in 0..<400 {
      var text = Array(good)
      for _ in 0...random.below(3) {
        let place = random.below(text.count)
        switch random.below(3) {
        case 0: text[place] = letters[random.below(letters.count)]
        case 1: text.remove(at: place)
        default: text.insert(letters[random.below(letters.count)], at: place)
        }
      }
      let query = "{ Item(orderBy: [b, c], after: \"\(String(text))\", limit: 1) { id } }"
      do {
        _ = try database.query(query)
        #expect(text == Array(good), "round \(round)")
      } catch {
        #expect(error.problems.map(\.code) == ["invalid-cursor"])
      }
    }
  }

  private func entries(_ answer: Answer) throws -> [(id: String, cursor: String)] {
    var value = try JSONValue.parse(Array(answer.jsonString.utf8))
    while case .object(let members) = value, let first = members.first { value = first.value }
    // The only group, and its list.
    if case .array(let elements) = value, elements.count == 1, case .object(let members) = elements[0],
      case .array? = members.first?.value
    {
      value = members[0].value
    }
    guard case .array(let elements) = value else { return [] }
    return elements.map { element in
      guard case .object(let members) = element else { return ("", "") }
      func text(_ index: Int) -> String {
        guard members.indices.contains(index) else { return "" }
        if case .string(let text) = members[index].value { return text.string }
        return members[index].value.json
      }
      return (text(0), text(1))
    }
  }
}
