import Foundation
import GQLite
import Testing

/// Writers of single entities on several threads, one of whom is always refused half way, and readers.
@Suite struct PointMutationThreadTests {
  private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []
    var all: [String] { lock.withLock { texts } }
    func add(_ text: String) { lock.withLock { texts.append(text) } }
  }

  private static let schema = """
    type Owner { id: ID! name: String! email: String @unique accounts: [Account!]! @relation(inverse: "owner") }
    type Account {
      id: ID! amount: Int! @index note: String
      owner: Owner! @relation(inverse: "accounts")
    }
    """

  @Test("everybody sees what they wrote themselves, nobody sees half a statement, and nothing goes back")
  func whatIsSeen() throws {
    let database = try Database(schema: Self.schema)
    for id in 1...4 {
      _ = try database.query(
        """
        mutation($id: ID!, $e: String) {
          insertOwner(data: {id: $id, name: "O", email: $e}) insertAccount(data: {id: $id, amount: 0, owner: $id})
        }
        """, ["id": .int(Int64(id)), "e": .string("e\(id)")])
    }
    let update = try database.prepare(
      "mutation($id: ID!) { updateAccount(where: id == $id, set: {amount: amount + 1}) }")
    let insert = try database.prepare(
      "mutation($id: ID!) { insertAccount(data: {id: $id, amount: 0, owner: 2, note: \"n\"}) }")
    let delete = try database.prepare("mutation($id: ID!) { deleteAccount(where: id == $id) }")
    let refused = try database.prepare(#"mutation { updateOwner(where: id == 1, set: {name: "X", email: "e2"}) }"#)
    let read = try database.prepare(
      """
      query($id: ID!) {
        Account(where: id == $id) { amount } names: count(Owner(where: name == "O"))
        noted: count(Account(where: note == "n")) back: count(Owner(where: id == 2).accounts(where: note != null))
      }
      """)
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 7) { thread in
      do {
        var last: Int64 = 0
        for step in 1...200 {
          let id = Value.int(Int64(thread % 4 + 1))
          switch thread {
          case 0..<4: _ = try update.run(["id": id])
          case 4 where step % 3 == 0: if (try? refused.run()) != nil { failures.add("a taken value was written") }
          case 5:
            _ = try insert.run(["id": .int(Int64(1000 + step))])
            if step % 2 == 0 { _ = try delete.run(["id": .int(Int64(999 + step))]) }
          default: break
          }
          guard thread > 3 || step % (thread + 2) == 0 else { continue }
          let answer = try Value(json: Array(read.run(["id": id]).utf8))
          let amount = answer["Account"]?[0]?["amount"]?.int ?? -1
          if thread < 4, amount != Int64(step) { failures.add("own writes: \(amount) at \(step)") }
          if amount < last { failures.add("it went back from \(last) to \(amount)") }
          if answer["names"]?.int != 4 { failures.add("half a statement was seen") }
          if answer["noted"]?.int != answer["back"]?.int { failures.add("links and rows differ") }
          last = amount
        }
      } catch {
        failures.add("\(error)")
      }
    }
    #expect(failures.all.isEmpty, "\(failures.all.prefix(3))")
    #expect(
      try database.query("{ Account(where: id in [1, 2, 3, 4], orderBy: id) { amount } n: count(Account) }").jsonString
        == #"{"Account":[{"amount":200},{"amount":200},{"amount":200},{"amount":200}],"n":104}"#)
    #expect(database.check().isEmpty)
  }
}
