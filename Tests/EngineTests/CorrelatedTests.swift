import GQLite
import Testing

/// Sets that depend on what encloses them are found by index, or through a table made once: never by a scan for each
/// element. With 50,000 elements on either side, all pairs would take minutes.
@Suite struct CorrelatedTests {
  private static let count = 50_000
  private static let schema = """
    type A { id: ID! code: String! key: Int @index num: Int tag: Int! }
    type B { id: ID! code: String! @index(kind: HASH) key: Int @index num: Int tag: Int! }
    """

  /// B counts down, so that partners lie elsewhere; every 1,000th num and key is null.
  private static let database: Database? = try? {
    let database = try Database(schema: schema)
    var a = ""
    var b = ""
    for id in 0..<count {
      let own = id % 1000 == 0 ? "null" : String(id)
      let partner = count - 1 - id
      let other = partner % 1000 == 0 ? "null" : String(partner)
      a += "{\"id\":\(id),\"code\":\"code number \(id)\",\"key\":\(own),\"num\":\(own),\"tag\":\(id % 5)}\n"
      b += "{\"id\":\(id),\"code\":\"code number \(partner)\",\"key\":\(other),\"num\":\(other),\"tag\":\(id % 5)}\n"
    }
    try database.load([.lines("A", a), .lines("B", b)])
    return database
  }()

  private struct Row {
    var id: Int
    var num: Int?
    var tag: Int
  }
  private static let others: [Row] = (0..<count).map { id in
    let partner = count - 1 - id
    return Row(id: id, num: partner % 1000 == 0 ? nil : partner, tag: id % 5)
  }
  private static let byNum = Dictionary(grouping: others, by: \.num)
  private static let byTag = Dictionary(grouping: others, by: \.tag)

  /// An expression for each A, and what it is for A number `id`.
  private static let cases: [(expression: String, value: @Sendable (Int) -> Int)] = [
    ("first(B(where: code == ^.code).id) as Int", { count - 1 - $0 }),
    ("b(id: id).tag", { $0 % 5 }),
    ("first(B(where: num == ^.num).id) as Int", { partners($0).first?.id ?? 0 }),
    ("first(B(where: key == ^.key)).id as Int", { partners($0).first?.id ?? 0 }),
    ("count(B(where: num == ^.num))", { partners($0).count }),
    ("count(B(where: num == ^.num and tag == ^.tag))", { id in partners(id).filter { $0.tag == id % 5 }.count }),
    ("if(exists(B(where: num == ^.num and tag > 2)), 1, 0)", { partners($0).contains { $0.tag > 2 } ? 1 : 0 }),
    ("count(B(where: key == ^.key and tag > ^.tag))", { id in partners(id).filter { $0.tag > id % 5 }.count }),
    ("first(B(where: key == ^.key, orderBy: [-tag, id]).tag)", { partners($0).map(\.tag).max() ?? 0 }),
    ("count(B(where: tag == ^.tag and num > 25000))", { overHalf[$0 % 5] }),
    ("max(B(where: tag == ^.tag).num)", { largest[$0 % 5] }),
    ("first(B(where: tag == ^.tag, orderBy: -num)).num", { largest[$0 % 5] }),
    ("if(some(B(where: tag == ^.tag), num > 49990), 1, 0)", { largest[$0 % 5] > 49_990 ? 1 : 0 }),
    ("if(num in B(limit: 1000).num, 1, 0)", { $0 % 1000 == 0 || $0 > 49_000 ? 1 : 0 }),
    // Keys that may fail.
    ("count(B(where: num == ^.num + 1))", { next($0) }),
    ("count(B(where: key == ^.num + 1))", { next($0) }),
    ("count(B(where: id == string(int(^.id) + 1)))", { $0 + 1 < count ? 1 : 0 }),
    ("count(B(where: tag == ^.tag - 1 and num > 25000))", { $0 % 5 == 0 ? 0 : overHalf[$0 % 5 - 1] }),
    ("if(exists(B(where: tag > 1 and num == ^.num * 2)), 1, 0)", { twice($0) }),
  ]
  private static func partners(_ id: Int) -> [Row] { byNum[id % 1000 == 0 ? nil : id] ?? [] }
  /// How many follow: null and one is null.
  private static func next(_ id: Int) -> Int {
    id % 1000 == 0 ? partners(id).count : id + 1 < count && (id + 1) % 1000 != 0 ? 1 : 0
  }
  private static func twice(_ id: Int) -> Int {
    let key: Int? = id % 1000 == 0 ? nil : id * 2
    return (byNum[key] ?? []).contains { $0.tag > 1 } ? 1 : 0
  }
  private static let overHalf = (0..<5).map { tag in (byTag[tag] ?? []).filter { ($0.num ?? 0) > 25_000 }.count }
  private static let largest = (0..<5).map { tag in (byTag[tag] ?? []).compactMap(\.num).max() ?? 0 }

  @Test("never all pairs", arguments: cases.indices) func pairs(_ index: Int) throws {
    let (expression, value) = Self.cases[index]
    let expected = (0..<Self.count).reduce(0) { $0 + value($1) }
    let database = try #require(Self.database)
    let answer = try database.query("{ x := sum(A, \(expression)) }", options: RunOptions(timeout: .seconds(20)))
    #expect(answer.jsonString == "{\"x\":\(expected)}", "\(expression)")
  }
}
