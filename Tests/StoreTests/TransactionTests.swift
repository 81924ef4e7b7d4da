import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

@Suite struct TransactionTests {
  let social = SocialFixture()

  @Test(arguments: 1...12) func againstDictionaries(seed: Int) throws {
    var changes = RandomChanges(social, seed: seed)
    var model = SocialModel()
    var snapshot = social.empty
    for round in 0..<12 {
      let before = snapshot.memoryDigest
      let transaction = WriteTransaction(snapshot)
      let draft = model
      for _ in 0..<60 { try changes.step(transaction, &model) }
      #expect(snapshot.memoryDigest == before, "seed \(seed) round \(round)")
      if round % 4 == 3 {
        // Dropped: nothing of it is left.
        model = draft
      } else {
        snapshot = transaction.commit()
      }
      let differences = model.differences(social, snapshot)
      #expect(differences.isEmpty, "seed \(seed) round \(round)")
      let inconsistencies = snapshot.check()
      #expect(inconsistencies.isEmpty, "seed \(seed) round \(round)")
      if !differences.isEmpty || !inconsistencies.isEmpty { return }
    }
  }

  @Test(arguments: 1...4) func branchesAreIndependent(seed: Int) throws {
    var changes = RandomChanges(social, seed: seed + 50)
    var base = SocialModel()
    let first = WriteTransaction(social.empty)
    for _ in 0..<200 { try changes.step(first, &base) }
    let root = first.commit()
    let digest = root.memoryDigest
    var left = (snapshot: root, model: base)
    var right = (snapshot: root, model: base)
    for _ in 0..<5 {
      let leftTransaction = WriteTransaction(left.snapshot)
      let rightTransaction = WriteTransaction(right.snapshot)
      for _ in 0..<60 {
        try changes.step(leftTransaction, &left.model)
        try changes.step(rightTransaction, &right.model)
      }
      left.snapshot = leftTransaction.commit()
      right.snapshot = rightTransaction.commit()
      #expect(left.model.differences(social, left.snapshot).isEmpty, "seed \(seed)")
      #expect(right.model.differences(social, right.snapshot).isEmpty, "seed \(seed)")
      #expect(left.snapshot.check().isEmpty && right.snapshot.check().isEmpty, "seed \(seed)")
    }
    #expect(root.memoryDigest == digest)
    #expect(base.differences(social, root).isEmpty)
  }

  @Test func failedCallsChangeNothing() throws {
    let transaction = WriteTransaction(social.empty)
    let anna = try social.insertUser(transaction, "anna", email: "a@example.org", age: 3)
    let bert = try social.insertUser(transaction, "bert", email: "b@example.org", age: 4)
    #expect(throws: StoreProblem.uniqueViolation(index: social.userID, existing: anna, row: nil)) {
      try social.insertUser(transaction, "anna")
    }
    #expect(throws: StoreProblem.uniqueViolation(index: social.byEmail, existing: bert, row: nil)) {
      try social.insertUser(transaction, "carl", email: "b@example.org")
    }
    #expect(throws: StoreProblem.uniqueViolation(index: social.byEmail, existing: bert, row: nil)) {
      try transaction.update(social.user, anna, 3, .text("b@example.org"))
    }
    let after = transaction.commit()
    #expect(after.slotCount(social.user) == 2)
    #expect(after.text(social.user, anna, 3) == "a@example.org")
    #expect(after.check().isEmpty)
  }

  @Test func keysCompareByValue() throws {
    let transaction = WriteTransaction(social.empty)
    let prices: [TestValue] = [
      .decimal(15, scale: 1), .decimal(150, scale: 2), .decimal(-15, scale: 1), .decimal(0, scale: 0),
      .decimal(0, scale: 5), .decimal(1500, scale: 3),
    ]
    for (number, price) in prices.enumerated() {
      _ = try social.insertUser(transaction, "u\(number)", balance: price)
    }
    let snapshot = transaction.commit()
    #expect(snapshot.rows(social.byBalance, [.decimal(15000, scale: 4)]) == [0, 1, 5])
    #expect(snapshot.rows(social.byBalance, [.decimal(0, scale: 1)]) == [3, 4])
    #expect(snapshot.rows(social.byBalance, [.decimal(-150, scale: 2)]) == [2])
    #expect(snapshot.rows(social.byBalance, [.decimal(151, scale: 2)]) == [])
    #expect(snapshot.hashIndex(social.byBalance).distinctKeys == 3)
    #expect(snapshot.distinctCount(social.user, ColumnID(6)) == 3)
    #expect(snapshot.check().isEmpty)
  }

  @Test func textsIgnoreFlags() throws {
    let transaction = WriteTransaction(social.empty)
    var values: [TestValue] = Array(repeating: .null, count: 32)
    values[0] = .text("42")
    var cells = values.map(\.cell)
    cells[0].low |= TextView.numberFlag
    let row = try transaction.insert(social.user, cells: cells, valid: values.map { $0 != .null })
    #expect(transaction.findRow(social.user, key: [TestValue.text("42").cell]) == row)
    let snapshot = transaction.commit()
    #expect(TextView(snapshot.column(social.user, ColumnID(0)).wide(row)).isNumber)
    #expect(snapshot.rows(social.userID, [.text("42")]) == [row])
  }

  @Test func listsAreCopied() throws {
    let transaction = WriteTransaction(social.empty)
    let tags: [String?] = ["short", nil, "a tag that is longer than twelve bytes", ""]
    let row = try social.insertUser(transaction, "anna", tags: .texts(tags))
    let empty = try social.insertUser(transaction, "bert", tags: .texts([]))
    let snapshot = transaction.commit()
    let cell = snapshot.column(social.user, ColumnID(7)).wide(row)
    #expect(cell.high == 4)
    let start = try #require(UnsafeRawPointer(bitPattern: UInt(cell.low)))
    let read = (0..<4).map { index -> String? in
      if (start + 64 + index).load(as: UInt8.self) == 0 { return nil }
      return TextView((start + index * 16).load(as: Cell.self)).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self)
      }
    }
    #expect(read == tags)
    #expect(!snapshot.column(social.user, ColumnID(7)).isNull(empty))
    #expect(snapshot.column(social.user, ColumnID(7)).wide(empty).high == 0)
  }

  @Test func supersededTextIsCompacted() throws {
    var snapshot = social.empty
    var transaction = WriteTransaction(snapshot)
    let rows = try (0..<200).map { try social.insertUser(transaction, "user \($0)", city: "a city of some length") }
    snapshot = transaction.commit()
    for round in 0..<60 {
      transaction = WriteTransaction(snapshot)
      for row in rows {
        try transaction.update(social.user, row, 4, .text("city number \(round) of \(row), with a long name"))
      }
      snapshot = transaction.commit()
    }
    #expect(snapshot.text(social.user, rows[7], 4) == "city number 59 of 7, with a long name")
    // 200 texts of 48 bytes are live; 60 times as much was written.
    #expect(snapshot.tables[Int(social.user.index)].columns[4].arena.used < 140_000)
    #expect(snapshot.check().isEmpty)
  }

  @Test func manyKeysSplitPages() throws {
    let transaction = WriteTransaction(social.empty)
    for number in 0..<6000 { _ = try social.insertChat(transaction, number &* 7919) }
    let first = transaction.snapshot()
    #expect(first.check().isEmpty)
    for number in 0..<3000 { try transaction.delete(social.chat, UInt32(number * 2)) }
    let snapshot = transaction.commit()
    #expect(snapshot.check().isEmpty)
    #expect(first.check().isEmpty)
    #expect(WriteTransaction(snapshot).findRow(social.chat, key: [Cell(Int64(7919 * 3))]) == 3)
    #expect(WriteTransaction(snapshot).findRow(social.chat, key: [Cell(Int64(7919 * 2))]) == nil)
    #expect(WriteTransaction(first).findRow(social.chat, key: [Cell(Int64(7919 * 2))]) == 2)
  }

  @Test func statistics() throws {
    let transaction = WriteTransaction(social.empty)
    for number in 0..<100 {
      _ = try social.insertUser(transaction, "user \(number)", age: number % 4 == 0 ? nil : Int64(number % 10))
    }
    let chat = try social.insertChat(transaction, 1)
    try transaction.setReferences(social.members, chat, (0..<25).map { UInt32($0) })
    let snapshot = transaction.commit()
    #expect(snapshot.nullCount(social.user, ColumnID(5)) == 25)
    #expect(snapshot.fanOut(social.chats) == FanOut(mean: 0.25, maximum: 1, nonEmpty: 25))
    #expect(snapshot.fanOut(social.members) == FanOut(mean: 25, maximum: 25, nonEmpty: 1))
    let upper = KeyRange.Bound(.int(5), isInclusive: false)
    // Ages 0…4 of the numbers that are no multiple of four.
    let expected = (0..<100).filter { $0 % 4 != 0 && $0 % 10 < 5 }.count
    #expect(snapshot.cardinality(social.byAge, KeyRange(upper: upper)) == expected)
    #expect(snapshot.cardinality(social.userID, KeyRange(equal: [.id("user 7", isNumber: false)])) == 1)
    #expect(snapshot.isAscending(social.chat, ColumnID(0)))
    #expect(!snapshot.isAscending(social.user, ColumnID(5)))
    #expect(snapshot.generation != social.empty.generation)
  }
}
