import Foundation
import SocialNetwork

/// A million sales, as a CSV file, as NDJSON and as a SQLite file: an id, the number of a customer, a date, an amount, a note, a quantity.
struct SalesFiles {
  let folder: URL
  let rows: Int

  var csv: URL { folder.appending(path: "Sale.csv") }
  var ndjson: URL { folder.appending(path: "Sale.ndjson") }
  var sqlite: URL { folder.appending(path: "Sale.sqlite") }
  var schema: URL { folder.appending(path: "schema.graphql") }
  /// What answers must say: the number of rows, and the sums of amounts in cents and of quantities.
  let expected: Sums

  /// Numbers of the rows that answers are checked by.
  struct Sums: Codable {
    var rows = 0
    var cents = 0
    var quantity = 0
  }

  static let table = """
    CREATE TABLE Sale(id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, date TEXT NOT NULL, amount REAL NOT NULL,
      note TEXT, quantity INTEGER NOT NULL);
    """

  private static let words = ["paid", "gift", "web", "shop", "sale", "back", "new", "old"]

  /// Has the files of a seed written by another process of this program.
  ///
  /// The system counts the memory of who starts a process to that of the process, so this one must stay small.
  init(rows: Int, folder: URL, program: String) throws {
    self.folder = folder
    self.rows = rows
    let child = try ChildProcess([program, "--write", "\(rows)", folder.path])
    expected = try JSONDecoder().decode(Sums.self, from: Data(child.output.utf8))
  }

  /// Writes the files of a seed.
  init(writing rows: Int, to folder: URL) throws {
    self.folder = folder
    self.rows = rows
    var expected = Sums()
    var random = RandomSource(seed: 2026)
    var csv: [UInt8] = Array("id,customer,date,amount,note,quantity\n".utf8)
    var ndjson: [UInt8] = []
    csv.reserveCapacity(rows * 40)
    ndjson.reserveCapacity(rows * 96)
    for id in 1...rows {
      let customer = random.below(1_000) + 1
      let date = "20\(10 + random.below(15))-\(Self.two(1 + random.below(12)))-\(Self.two(1 + random.below(28)))"
      let cents = random.below(10_000)
      let amount = "\(cents / 100).\(Self.two(cents % 100))"
      let note = random.below(3) == 0 ? "" : Self.words[random.below(Self.words.count)]
      let quantity = random.below(9) + 1
      csv.append(contentsOf: "\(id),\(customer),\(date),\(amount),\(note),\(quantity)\n".utf8)
      let text = note.isEmpty ? "null" : "\"\(note)\""
      ndjson.append(
        contentsOf:
          "{\"id\":\(id),\"customer\":\(customer),\"date\":\"\(date)\",\"amount\":\(amount),\"note\":\(text),\"quantity\":\(quantity)}\n"
          .utf8)
      expected.rows += 1
      expected.cents += cents
      expected.quantity += quantity
    }
    self.expected = expected
    try Data(csv).write(to: self.csv)
    try Data(ndjson).write(to: self.ndjson)
    try Data(
      "type Sale { id: ID! customer: Int! date: Date! amount: Float! note: String quantity: Int! }\n".utf8
    ).write(to: schema)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
