import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// The row that a save finds under the values of a unique index: the last one, with nulls as values in a B-tree.
@Suite struct LastRowTests {
  private static let texts: [TestValue] = ["x", "X", "y", "a text of many letters", "A TEXT OF MANY LETTERS", ""].map {
    .text($0)
  }
  /// By number of the column: what an entity has there.
  private typealias Values = [TestValue]

  /// How an index compares them: a folded column has the text of the one before it.
  private func key(_ columns: [Int], _ values: Values) -> Values {
    columns.map { column in
      guard column == 3 else { return values[column] }
      guard case .text(let text) = values[2] else { return .null }
      return .text(text.lowercased())
    }
  }

  @Test(arguments: 1...8) func againstAllRows(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    var builder = CatalogBuilder()
    let type = builder.type(
      "T",
      [
        ("id", .int64, .int), ("a", .int64, .int), ("b", .text, .string), ("bFolded", .text, .string),
        ("c", .int64, .int),
      ])
    builder.index(type, .hash, [0], unique: true, primary: true)
    let keys = [[1], [3], [2], [1, 4], [4, 1, 3], [3, 1], [1, 3, 4]]
    let trees = keys.map { builder.index(type, .btree, $0) }
    let hashes = keys.map { builder.index(type, .hash, $0) }
    let transaction = WriteTransaction(Snapshot.empty(builder.catalog))
    func someValues(_ id: Int) -> Values {
      func number() -> TestValue { random.chance(30) ? .null : .int(Int64(random.below(3))) }
      let text = random.chance(30) ? TestValue.null : Self.texts[random.below(Self.texts.count)]
      // What the folded column is said to hold is passed over.
      return [.int(Int64(id)), number(), text, .null, number()]
    }
    var all: [Values] = []
    for id in 0..<200 {
      let values = someValues(id)
      #expect(try transaction.insert(type, values) == id)
      all.append(values)
      if random.chance(30) {
        let (row, other) = (random.below(all.count), someValues(0))
        for column in [1, 2, 4] {
          try transaction.update(type, UInt32(row), column, other[column])
          all[row][column] = other[column]
        }
      }
      let asked = random.chance(50) ? all[random.below(all.count)] : someValues(0)
      let except = random.chance(50) ? PageLayout.noRow : UInt32(random.below(all.count))
      let (cells, valid) = (asked.map(\.cell), asked.map { $0 != .null })
      for (number, columns) in keys.enumerated() {
        let wanted = key(columns, asked)
        let expected = all.indices.last { key(columns, all[$0]) == wanted && UInt32($0) != except }
        let words = Comment(rawValue: "seed \(seed) row \(id) columns \(columns) \(asked)")
        let inTree = try transaction.lastRow(trees[number], cells: cells, valid: valid, except: except)
        #expect(inTree.map { Int($0) } == expected, words)
        let inHash = try transaction.lastRow(hashes[number], cells: cells, valid: valid, except: except)
        #expect(inHash.map { Int($0) } == (wanted.contains(.null) ? nil : expected), words)
      }
    }
    #expect(transaction.commit().check().isEmpty)
  }
}
