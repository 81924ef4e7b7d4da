import GQLDifferential
import GQLite

/// A random store of items and their owners: skewed and correlated columns, and random indexes on them.
///
/// - `kind` follows `price`, `zip` follows `town`, `at` ascends with the rows;
/// - `town` and the words of `note` are skewed, `likes` is skewed and often null;
/// - few owners have most of the items.
struct RegretData {
  let rows: Int
  let schema: String
  let database: Database
  static let kinds = 20
  static let towns = 60
  static let words = 400
  static let prices = 1000
  let owners: Int

  init(_ random: inout SeededRandom, rows: Int) throws {
    self.rows = rows
    owners = max(rows / 20, 10)
    schema = Self.schema(&random)
    database = try Database(schema: schema)
    let owned = Self.owners(owners, &random)
    let items = Self.items(rows, owners: owners, &random)
    try database.load([
      .ndjson(type: "Owner", bytes: Array(owned.utf8), name: "owners.ndjson"),
      .ndjson(type: "Item", bytes: Array(items.utf8), name: "items.ndjson"),
    ])
  }

  private static func schema(_ random: inout SeededRandom) -> String {
    func index(_ choices: [String]) -> String { random.pick(choices) }
    let tree = " @index"
    let hash = " @index(kind: HASH)"
    var compound = ""
    for fields in [
      "[\"town\", \"price\"]", "[\"kind\", \"at\"]", "[\"at\", \"id\"]", "[\"town\", \"at\"]", "[\"price\", \"at\"]",
    ] where random.chance(35) { compound += " @index(fields: \(fields))" }
    return """
      type Owner {
        id: ID!
        city: String!\(index(["", tree, hash, hash]))
        rank: Int!\(index(["", tree, tree]))
        items: [Item!]! @relation(inverse: "owner")
      }
      type Item\(compound) {
        id: ID!
        price: Int!\(index(["", tree, tree, tree]))
        at: DateTime!\(index(["", tree, tree]))
        kind: String!\(index(["", tree, hash, hash]))
        town: String!\(index(["", tree, hash, hash]))
        zip: String!\(index(["", tree, hash]))
        likes: Int\(index(["", tree, tree]))
        note: String!\(index(["", " @fulltext", " @fulltext", " @trigram"]))
        owner: Owner! @relation(inverse: "items")
      }
      """
  }

  private static func owners(_ count: Int, _ random: inout SeededRandom) -> String {
    var lines = ""
    for id in 0..<count {
      lines += "{\"id\":\(id),\"city\":\"c\(skewed(40, &random))\",\"rank\":\(random.below(1000))}\n"
    }
    return lines
  }

  private static func items(_ count: Int, owners: Int, _ random: inout SeededRandom) -> String {
    var lines = ""
    lines.reserveCapacity(count * 200)
    for id in 0..<count {
      let price = random.below(prices)
      // One in fifty is no rule.
      let kind = random.chance(2) ? random.below(kinds) : price * kinds / prices
      let town = skewed(towns, &random)
      let zip = random.chance(3) ? random.below(towns * 4) : town * 4 + random.below(4)
      let likes = random.chance(30) ? "null" : "\(skewed(5000, &random))"
      var note = "item \(id % 977)"
      for _ in 0..<2 + random.below(6) { note += " w\(skewed(words, &random))" }
      lines += "{\"id\":\(id),\"price\":\(price),\"at\":\"\(time(of: id))\","
      lines += "\"kind\":\"k\(kind)\",\"town\":\"t\(town)\","
      lines += "\"zip\":\"z\(zip)\",\"likes\":\(likes),\"note\":\"\(note)\",\"owner\":\(skewed(owners, &random))}\n"
    }
    return lines
  }

  /// Returns a number below `count`, of which small ones come much more often.
  static func skewed(_ count: Int, _ random: inout SeededRandom) -> Int {
    let share = Double(random.below(1 << 20)) / Double(1 << 20)
    return min(Int(share * share * share * Double(count)), count - 1)
  }

  /// Returns the time of a row: some seconds after that of the row before.
  static func time(of row: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = row * 7
    let days = seconds / 86_400
    // Years of 336 days are good enough.
    let year = 2000 + days / 336
    let month = 1 + days % 336 / 28
    let rest = seconds % 86_400
    return "\(year)-\(two(month))-\(two(1 + days % 28))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
  }
}
