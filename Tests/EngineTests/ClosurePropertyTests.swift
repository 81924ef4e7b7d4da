import GQLite
import Testing

/// Closures of many entities at once are those of each by itself, whether their members are shared or not.
@Suite struct ClosurePropertyTests {
  private struct Graph {
    var down: [[Int]]
    var up: [Int?]
    var links: [[Int]]

    /// Trees of every shape, and links anywhere.
    init(_ random: inout SeededRandom) {
      let count = 1 + random.below(80)
      down = Array(repeating: [], count: count)
      up = Array(repeating: nil, count: count)
      links = []
      for number in 0..<count {
        if number > 0, random.below(6) > 0 {
          let parent = random.below(2) == 0 ? random.below(number) : max(0, number - 1 - random.below(3))
          up[number] = parent
          down[parent].append(number)
        }
        var targets: [Int] = []
        for _ in 0..<random.below(3) {
          let target = random.below(count)
          if !targets.contains(target) { targets.append(target) }
        }
        links.append(targets)
      }
    }

    var lines: String {
      up.indices.map { number in
        let links = links[number].map { "\"\($0)\"" }.joined(separator: ",")
        return "{\"id\":\"\(number)\",\"up\":\(up[number].map { "\"\($0)\"" } ?? "null"),\"links\":[\(links)]}\n"
      }.joined()
    }

    /// Breadth first from one node; a row by the depth at which it is first reached.
    func closure(of root: Int, _ next: [[Int]], _ depths: ClosedRange<Int>) -> [(node: Int, depth: Int)] {
      var known: Set<Int> = depths.lowerBound == 0 ? [root] : []
      var result = depths.lowerBound == 0 ? [(node: root, depth: 0)] : []
      var front = [root]
      var depth = 0
      while depth < depths.upperBound, !front.isEmpty {
        depth += 1
        front = front.flatMap { next[$0] }.filter { known.insert($0).inserted }
        if depth >= depths.lowerBound { result += front.map { ($0, depth) } }
      }
      return result
    }
  }

  private static let fields = """
    id a: closure(down) { id _depth } b: closure(down, depth: 0..2) { id _depth } c: closure(down, depth: 2..3) { id }
    d: closure(up) { id _depth } e: closure(links, depth: 1..2) { id _depth } f: closure(up, depth: 0..1) { id }
    """

  @Test(arguments: 0..<40) func togetherAsAlone(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) &* 977 &+ 5)
    let graph = Graph(&random)
    let database = try Database(
      schema: """
        type Node {
          id: ID! up: Node @relation(inverse: "down") down: [Node!]! @relation(inverse: "up") links: [Node!]!
        }
        """)
    try database.load([.lines("Node", graph.lines)])
    let ups = graph.up.map { $0.map { [$0] } ?? [] }
    func json(_ members: [(node: Int, depth: Int)], showsDepth: Bool = true) -> String {
      let objects = members.map { "{\"id\":\"\($0.node)\"\(showsDepth ? ",\"_depth\":\($0.depth)" : "")}" }
      return "[\(objects.joined(separator: ","))]"
    }
    func expected(_ roots: [Int]) -> String {
      let objects = roots.map { root in
        let a = json(graph.closure(of: root, graph.down, 1...Int.max))
        let b = json(graph.closure(of: root, graph.down, 0...2))
        let c = json(graph.closure(of: root, graph.down, 2...3), showsDepth: false)
        let d = json(graph.closure(of: root, ups, 1...Int.max))
        let e = json(graph.closure(of: root, graph.links, 1...2))
        let f = json(graph.closure(of: root, ups, 0...1), showsDepth: false)
        return "{\"id\":\"\(root)\",\"a\":\(a),\"b\":\(b),\"c\":\(c),\"d\":\(d),\"e\":\(e),\"f\":\(f)}"
      }
      return "{\"Node\":[\(objects.joined(separator: ","))]}"
    }
    let all = Array(graph.up.indices)
    // Trees that share nothing, then all nodes, whose subtrees lie in each other.
    let roots = all.filter { graph.up[$0] == nil }
    let trees = try database.query("{ Node(where: up is null) { \(Self.fields) } }").jsonString
    #expect(trees == expected(roots), "seed \(seed)")
    #expect(try database.query("{ Node { \(Self.fields) } }").jsonString == expected(all), "seed \(seed)")
    // A few of them share or do not, in one prepared query.
    let some = try database.prepare("query($ids: [ID!]!) { Node(where: id in $ids) { \(Self.fields) } }")
    for _ in 0..<10 {
      let chosen = all.filter { _ in random.below(4) == 0 }
      let answer = try some.run(["ids": .list(chosen.map { .string("\($0)") })]).jsonString
      #expect(answer == expected(chosen), "seed \(seed), \(chosen)")
    }
  }

  @Test("Limits hold for closures of many as for those of one")
  func limits() throws {
    let database = try Database(
      schema: "type Node { id: ID! up: Node @relation(inverse: \"down\") down: [Node!]! @relation(inverse: \"up\") }")
    let lines = (0..<300).map { "{\"id\":\"\($0)\",\"up\":\($0 < 3 ? "null" : "\"\($0 % 3)\"")}\n" }.joined()
    try database.load([.lines("Node", lines)])
    let query = try database.prepare("{ Node(where: up is null) { n: closure(down) { id } } }")
    var limits = QueryLimits.standard
    limits.visitedRows = 300
    let found = problem { _ = try query.run(options: RunOptions(limits: limits)) }
    #expect(found?.code == "limit-exceeded")
    #expect(found?.message.contains("'visited-rows' of 300") == true)
    limits.visitedRows = 1_000
    let answer = try query.run(options: RunOptions(limits: limits)).jsonString
    #expect(answer.hasPrefix("{\"Node\":[{\"n\":[{\"id\":\"3\"}"))
  }
}
