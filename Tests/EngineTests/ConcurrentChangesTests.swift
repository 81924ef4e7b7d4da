import Foundation
import GQLite
import Testing

/// Writers on several threads, and readers meanwhile.
@Suite struct ConcurrentChangesTests {
  private static let schema = """
    interface Named { id: ID! name: String! }
    type Account implements Named @fulltext(fields: ["name"]) {
      id: ID! name: String! amount: Int! @index
      owner: Owner @relation(inverse: "accounts")
    }
    type Owner implements Named { id: ID! name: String! accounts: [Account!]! }
    """

  /// Two accounts whose sum never changes.
  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    _ = try database.query(
      """
      mutation { insertOwner(data: {id: 1, name: "O", accounts: [
        {id: 1, name: "left", amount: 1000}, {id: 2, name: "right", amount: 1000}]}) }
      """)
    return database
  }

  private static func isBalanced(_ answer: Answer) -> Bool {
    String(decoding: answer.utf8, as: UTF8.self) == #"{"total":2000,"n":2,"named":3,"owned":2,"found":1}"#
  }

  private static let question = """
    { total := sum(Account.amount) n: count(Account) named: count(Named) owned := count(Owner.accounts)
      found: count(Account(where: name matches "left")) }
    """

  @Test("readers see whole operations only, and no change of two writers is lost") func whole() throws {
    let database = try database()
    let move = try database.prepare(
      """
      mutation($d: Int!) {
        updateAccount(where: id == 1, set: {amount: amount - $d})
        updateAccount2: updateAccount(where: id == 2, set: {amount: amount + $d})
        deleteAccount(where: id == 1) { id }
        restoreAccount(where: id == 1) { id }
        insertAccount(data: {id: 3, name: "third", amount: 5, owner: 1}) { id }
        purged: deleteAccount(where: id == 3, hard: true) { id }
      }
      """)
    let reader = try database.prepare(Self.question)
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<60 {
        do {
          if thread < 2 {
            _ = try move.run(["d": thread == 0 ? 1 : 2])
          } else if !Self.isBalanced(try reader.run()) {
            failures.add("step \(step)")
          }
        } catch {
          failures.add("\(error)")
        }
      }
    }
    #expect(failures.all.isEmpty, "\(failures.all.prefix(3))")
    let answer = try database.query("{ Account { id amount } }")
    #expect(
      String(decoding: answer.utf8, as: UTF8.self) == #"{"Account":[{"id":1,"amount":820},{"id":2,"amount":1180}]}"#)
    #expect(database.check().isEmpty)
  }

  @Test("readers of one entity's many links see a whole version of them") func hub() throws {
    let database = try Database(schema: Self.schema)
    _ = try database.query(#"mutation { insertOwner(data: {id: 1, name: "O"}) }"#)
    let many = (0..<300).map { "{id: \($0), name: \"n\", amount: \($0), owner: 1}" }.joined(separator: " ")
    _ = try database.query("mutation { insertAccount(data: [\(many)]) }")
    let changes = [
      "mutation { deleteAccount(where: amount % 3 == 0) }", "mutation { restoreAccount(all: true) }",
      #"mutation { insertAccount(data: {id: 900, name: "x", amount: 0, owner: 1}) }"#,
      "mutation { deleteAccount(where: id == 900, hard: true) }",
      "mutation { updateAccount(where: amount < 3, set: {owner: null}) }",
      "mutation { updateAccount(where: amount < 3, set: {owner: 1}) }",
    ]
    let writers = try changes.map { try database.prepare($0) }
    // Both directions, each through the other.
    let reader = try database.prepare(
      "{ Owner { there := count(accounts) back := count(accounts(where: owner == ^)) } n := count(Account(where: owner != null)) }"
    )
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<60 {
        do {
          if thread == 0 {
            _ = try writers[step % writers.count].run()
          } else {
            let answer = try reader.run()
            let value = try Value(json: Array(answer.utf8))
            let there = value["Owner"]?[0]?["there"]?.int
            if there == nil || there != value["Owner"]?[0]?["back"]?.int || there != value["n"]?.int {
              failures.add(answer.jsonString)
            }
          }
        } catch {
          failures.add("\(error)")
        }
      }
    }
    #expect(failures.all.isEmpty, "\(failures.all.prefix(3))")
    #expect(database.check().isEmpty)
  }

  @Test("a transaction that fails leaves nothing, whatever it did before") func undone() throws {
    let database = try database()
    let before = try database.query("{ Account { ...* owner { id } _updatedAt } Named { id name } }")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.transaction { transaction in
        try transaction.run("mutation { deleteOwner(where: true, all: true) { id } }")
        try transaction.run("mutation { deleteAccount(where: true, all: true, hard: true) { id } }")
        try transaction.run("mutation { insertAccount(data: {id: 1, name: \"new\", amount: 0}) { id } }")
        throw Stop()
      }
    }
    let after = try database.query("{ Account { ...* owner { id } _updatedAt } Named { id name } }")
    #expect(before.utf8.elementsEqual(after.utf8))
    #expect(Self.isBalanced(try database.query(Self.question)))
    #expect(database.check().isEmpty)
  }
}
