import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

@Suite struct BTreeTests {
  /// id, group (Int), value (Int), name, ID, decimal, float; B-trees over each and over (group, value).
  struct Fixture {
    let type: EntityTypeID
    let byValue: IndexID
    let byName: IndexID
    let byGroup: IndexID
    let byID: IndexID
    let byDecimal: IndexID
    let byFloat: IndexID
    let snapshot: Snapshot

    init() {
      var builder = CatalogBuilder()
      type = builder.type(
        "T",
        [
          ("id", .int64, .int), ("group", .int64, .int), ("value", .int64, .int), ("name", .text, .string),
          ("code", .text, .id), ("price", .decimal, .decimal), ("score", .float64, .float),
        ])
      builder.index(type, .hash, [0], unique: true, primary: true)
      byValue = builder.index(type, .btree, [2])
      byName = builder.index(type, .btree, [3])
      byGroup = builder.index(type, .btree, [1, 2])
      byID = builder.index(type, .btree, [4])
      byDecimal = builder.index(type, .btree, [5])
      byFloat = builder.index(type, .btree, [6])
      snapshot = Snapshot.empty(builder.catalog)
    }

    static let names = ["", "a", "ab", "abc", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "abcdefghijklmnop", "b", "Zü"]
    /// Integers by value, then other texts by bytes.
    static let codes = [
      "-5", "-1", "0", "7", "9", "10", "12345678901234567890", "123456789012345678901", "-0", "007", "x",
    ]

    func values(_ number: Int, _ random: inout SeededRandom) -> [TestValue] {
      [
        .int(Int64(number)), random.chance(10) ? .null : .int(Int64(random.below(4))),
        random.chance(15) ? .null : .int(Int64(random.below(12)) - 6),
        random.chance(10) ? .null : .text(Self.names[random.below(Self.names.count)]),
        random.chance(10) ? .null : .text(Self.codes[random.below(Self.codes.count)]),
        random.chance(10) ? .null : .decimal(Int64(random.below(40)) - 20, scale: random.below(3)),
        random.chance(10) ? .null : .double([-0.0, 0, 1.5, -2, .greatestFiniteMagnitude, 1e-300][random.below(6)]),
      ]
    }

    /// Inserts, updates and deletes at random, over several versions.
    func populate(
      _ random: inout SeededRandom, _ model: inout [UInt32: [TestValue]]
    ) throws(StoreProblem) -> Snapshot {
      var transaction = WriteTransaction(snapshot)
      for step in 0..<260 {
        if step % 40 == 39 { transaction = WriteTransaction(transaction.commit()) }
        if random.chance(60) || model.isEmpty {
          let values = values(step, &random)
          model[try transaction.insert(type, values)] = values
          continue
        }
        let row = model.keys.sorted()[random.below(model.count)]
        if random.chance(50) {
          try transaction.delete(type, row)
          model[row] = nil
        } else {
          let column = 1 + random.below(6)
          let value = values(0, &random)[column]
          try transaction.update(type, row, column, value)
          model[row]?[column] = value
        }
      }
      return transaction.commit()
    }
  }

  /// Rows in list order: by key, nulls last whatever the direction, equal keys by row.
  private func listed<Key>(
    _ model: [UInt32: [TestValue]], descending: Bool, _ key: ([TestValue]) -> Key?,
    by precedes: (Key, Key) -> Bool
  ) -> [UInt32] {
    model.map { (row: $0.key, key: key($0.value)) }.sorted { left, right in
      switch (left.key, right.key) {
      case (nil, nil): return left.row < right.row
      case (nil, _): return false
      case (_, nil): return true
      case (let a?, let b?):
        if precedes(a, b) { return !descending }
        if precedes(b, a) { return descending }
        return left.row < right.row
      }
    }.map(\.row)
  }

  private func int(_ value: TestValue?) -> Int64? {
    if case .int(let value)? = value { value } else { nil }
  }

  @Test(arguments: 1...4, [false, true]) func boundsOfIntegers(seed: Int, descending: Bool) throws {
    let fixture = Fixture()
    var random = SeededRandom(UInt64(seed))
    var model: [UInt32: [TestValue]] = [:]
    let snapshot = try fixture.populate(&random, &model)
    #expect(snapshot.check().isEmpty, "seed \(seed)")
    let all = listed(model, descending: descending, { int($0[2]) }, by: <)
    for lower in [nil, -7, -3, 0, 2] as [Int64?] {
      for upper in [nil, -4, 0, 3, 9] as [Int64?] {
        for flags in 0..<8 {
          let bounds = BTreeBounds(
            lower: lower.map { Cell($0) }, lowerInclusive: flags & 1 == 0, upper: upper.map { Cell($0) },
            upperInclusive: flags & 2 == 0, includesNulls: flags & 4 == 0)
          let expected = all.filter { row in
            guard let value = int(model[row]?[2]) else { return flags & 4 == 0 }
            if let lower, flags & 1 == 0 ? value < lower : value <= lower { return false }
            if let upper, flags & 2 == 0 ? value > upper : value >= upper { return false }
            return true
          }
          #expect(snapshot.tree(fixture.byValue).count(bounds) == expected.count, "seed \(seed)")
          for (skip, limit) in [(0, Int.max), (0, 3), (1, 5), (7, 4), (20, 100), (500, 1)] {
            let found = snapshot.walk(fixture.byValue, bounds, descending: descending, skip: skip, limit: limit)
            #expect(found == Array(expected.dropFirst(skip).prefix(limit)), "seed \(seed) skip \(skip)")
          }
        }
      }
    }
    let nullRows = all.filter { model[$0]?[2] == .null }
    #expect(snapshot.walk(fixture.byValue, BTreeBounds(onlyNulls: true), descending: descending) == nullRows)
  }

  @Test(arguments: 1...4, [false, true]) func ordersOfOtherKinds(seed: Int, descending: Bool) throws {
    let fixture = Fixture()
    var random = SeededRandom(UInt64(seed + 100))
    var model: [UInt32: [TestValue]] = [:]
    let snapshot = try fixture.populate(&random, &model)
    let whole = BTreeBounds(includesNulls: true)

    func bytes(_ value: TestValue) -> [UInt8]? { if case .text(let text) = value { Array(text.utf8) } else { nil } }
    let byName = listed(model, descending: descending, { bytes($0[3]) }) { $0.lexicographicallyPrecedes($1) }
    #expect(snapshot.walk(fixture.byName, whole, descending: descending) == byName, "seed \(seed)")
    for prefix in ["", "a", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "zz"] {
      let expected = byName.filter { row in
        if case .text(let text)? = model[row]?[3] { text.utf8.starts(with: prefix.utf8) } else { false }
      }
      let bounds = BTreeBounds(textPrefix: TestValue.text(prefix).cell)
      #expect(snapshot.walk(fixture.byName, bounds, descending: descending) == expected, "seed \(seed) \(prefix)")
    }

    func hundredths(_ value: TestValue) -> Int64? {
      if case .decimal(let significand, let scale) = value { significand * [100, 10, 1][scale] } else { nil }
    }
    #expect(
      snapshot.walk(fixture.byDecimal, whole, descending: descending)
        == listed(model, descending: descending, { hundredths($0[5]) }, by: <), "seed \(seed)")
    func double(_ value: TestValue) -> Double? { if case .double(let value) = value { value } else { nil } }
    #expect(
      snapshot.walk(fixture.byFloat, whole, descending: descending)
        == listed(model, descending: descending, { double($0[6]) }, by: <), "seed \(seed)")
    func place(_ value: TestValue) -> Int? {
      if case .text(let text) = value { Fixture.codes.firstIndex(of: text) } else { nil }
    }
    #expect(
      snapshot.walk(fixture.byID, whole, descending: descending)
        == listed(model, descending: descending, { place($0[4]) }, by: <), "seed \(seed)")
  }

  @Test(arguments: 1...4, [false, true]) func compoundKeys(seed: Int, descending: Bool) throws {
    let fixture = Fixture()
    var random = SeededRandom(UInt64(seed + 200))
    var model: [UInt32: [TestValue]] = [:]
    let snapshot = try fixture.populate(&random, &model)
    for group in 0..<5 {
      let equal = [TestValue.int(Int64(group))]
      let members = model.filter { $0.value[1] == equal[0] }
      let expected = listed(members, descending: descending, { int($0[2]) }, by: <)
      let whole = BTreeBounds(includesNulls: true)
      #expect(
        snapshot.walk(fixture.byGroup, whole, equal: equal, descending: descending) == expected,
        "seed \(seed) group \(group)")
      #expect(
        snapshot.walk(fixture.byGroup, BTreeBounds(onlyNulls: true), equal: equal, descending: descending)
          == expected.filter { model[$0]?[2] == .null })
      let bounds = BTreeBounds(lower: Cell(Int64(-2)), upper: Cell(Int64(3)), upperInclusive: false)
      let inside = expected.filter { (-2...2).contains(int(model[$0]?[2]) ?? 99) }
      #expect(snapshot.walk(fixture.byGroup, bounds, equal: equal, descending: descending) == inside)
      let both = members.filter { $0.value[2] == .int(1) }.keys.sorted()
      #expect(
        snapshot.walk(fixture.byGroup, BTreeBounds(), equal: equal + [.int(1)], descending: descending) == both)
    }
  }

  @Test func longGroupsDescending() throws {
    let fixture = Fixture()
    let transaction = WriteTransaction(fixture.snapshot)
    var groups: [[UInt32]] = [[], [], []]
    for number in 0..<1500 {
      let value = number % 3
      let row = try transaction.insert(
        fixture.type, [.int(Int64(number)), .null, .int(Int64(value)), .null, .null, .null, .null])
      groups[value].append(row)
    }
    let snapshot = transaction.commit()
    let all = groups[2] + groups[1] + groups[0]
    for skip in [0, 1, 499, 500, 501, 999, 1000, 1499] {
      for limit in [1, 10, 300, 2000] {
        #expect(
          snapshot.walk(fixture.byValue, BTreeBounds(), descending: true, skip: skip, limit: limit)
            == Array(all.dropFirst(skip).prefix(limit)), "skip \(skip) limit \(limit)")
      }
    }
  }

  @Test func deletingEverythingLeavesAnEmptyTree() throws {
    let fixture = Fixture()
    var random = SeededRandom(77)
    var transaction = WriteTransaction(fixture.snapshot)
    var rows: [UInt32] = []
    for number in 0..<300 { rows.append(try transaction.insert(fixture.type, fixture.values(number, &random))) }
    transaction = WriteTransaction(transaction.commit())
    rows.shuffle(using: &random)
    for (step, row) in rows.enumerated() {
      try transaction.delete(fixture.type, row)
      if step % 25 == 0 { #expect(transaction.snapshot().check().isEmpty) }
    }
    let snapshot = transaction.commit()
    #expect(snapshot.check().isEmpty)
    #expect(snapshot.tree(fixture.byName).entryCount == 0)
    #expect(snapshot.liveCount(fixture.type) == 0)
    #expect(snapshot.slotCount(fixture.type) == 300)
  }
}
