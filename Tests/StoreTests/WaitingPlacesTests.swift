import GQLCatalog
import Testing

@testable import GQLStore

/// Lists of which some links wait, against plain lists with all of them.
@Suite struct WaitingPlacesTests {
  private let social = SocialFixture()

  private enum Item: Equatable {
    case row(UInt32)
    /// The key of a message that is not there.
    case waits(Int64)
  }

  /// Two users with messages.
  private struct Model {
    var lists: [[Item]] = [[], []]
    var isGone = [false, false]
    /// The messages that are deleted and kept.
    var asleep = Set<UInt32>()
    var nextKey: Int64 = 0

    func rows(_ list: Int) -> [UInt32] {
      lists[list].compactMap { if case .row(let row) = $0 { row } else { nil } }
    }
    func present(_ list: Int) -> [UInt32] { rows(list).filter { !asleep.contains($0) } }
    mutating func newKey() -> Int64 {
      nextKey += 1
      return nextKey
    }
    mutating func drop(_ gone: [UInt32]) {
      for list in lists.indices {
        lists[list].removeAll { if case .row(let row) = $0 { gone.contains(row) } else { false } }
      }
      asleep.subtract(gone)
    }
  }

  private func remember(_ transaction: WriteTransaction, _ owner: UInt32, _ key: Int64, place: Int) {
    transaction.rememberDangling(social.messages, source: owner, key: Cell(key), place: place)
  }

  /// The place after some links that are there and some that wait; those to deleted entities stand between.
  private func place(_ transaction: WriteTransaction, _ owner: UInt32, after present: Int, waiting: Int) -> Int {
    present + waiting + transaction.suspendedPlaces(social.messages, source: owner).count { $0 <= present }
  }

  /// One change of both; false where there is nothing to change.
  private func change(
    _ transaction: WriteTransaction, _ model: inout Model, _ owners: [UInt32], _ random: inout SeededRandom
  ) throws -> Bool {
    let list = random.below(2)
    let owner = owners[list]
    let isGone = model.isGone[list]
    let present = model.present(list)
    switch random.below(16) {
    case 0, 1:
      if isGone { return false }
      let row = try social.insertMessage(transaction, Int(model.newKey()), chat: 0)
      try transaction.appendReference(social.messages, source: owner, target: row)
      model.lists[list].append(.row(row))
    case 2, 3:
      if isGone { return false }
      let key = model.newKey()
      let counts = transaction.listCounts(social.messages, source: owner)
      let place = place(transaction, owner, after: counts.present, waiting: counts.waiting)
      #expect(place == model.lists[list].count)
      remember(transaction, owner, key, place: place)
      model.lists[list].append(.waits(key))
    case 4 where !isGone && present.count == model.rows(list).count:
      // Written anew, with others that wait in between.
      transaction.forgetDangling(social.messages, source: owner)
      var items: [Item] = []
      for row in present.shuffled(using: &random) where random.chance(80) {
        while random.chance(50) { items.append(.waits(model.newKey())) }
        items.append(.row(row))
      }
      model.lists[list] = items
      try model.present(list).withUnsafeBufferPointer {
        try transaction.setReferences(social.messages, source: owner, targets: $0)
      }
      var counts = (present: 0, waiting: 0)
      for item in items {
        guard case .waits(let key) = item else {
          counts.present += 1
          continue
        }
        remember(
          transaction, owner, key,
          place: place(transaction, owner, after: counts.present, waiting: counts.waiting))
        counts.waiting += 1
      }
    case 5 where !isGone:
      guard let row = present.randomElement(using: &random) else { return false }
      try transaction.removeReference(social.messages, source: owner, target: row)
      model.drop([row])
    case 6 where !isGone:
      let kept = present.filter { _ in random.chance(60) }
      try kept.withUnsafeBufferPointer {
        try transaction.setReferences(social.messages, source: owner, targets: $0)
      }
      // Suspended links stay.
      model.drop(present.filter { !kept.contains($0) })
    case 7, 8:
      let rows = present.filter { _ in random.chance(30) }
      if rows.isEmpty { return false }
      let keeps = random.chance(60)
      try transaction.delete(social.message, rows: rows, keeps: keeps)
      if keeps { model.asleep.formUnion(rows) } else { model.drop(rows) }
    case 9:
      guard let row = model.rows(list).randomElement(using: &random) else { return false }
      try transaction.purge(social.message, row)
      model.drop([row])
    case 10:
      guard let row = model.asleep.sorted().randomElement(using: &random) else { return false }
      try transaction.restore(social.message, row)
      model.asleep.remove(row)
    case 11:
      transaction.forgetDangling(social.messages, source: owner)
      model.lists[list].removeAll { if case .waits = $0 { true } else { false } }
    case 12:
      if isGone {
        try transaction.restore(social.user, owner)
      } else {
        try transaction.delete(social.user, owner)
      }
      model.isGone[list].toggle()
    default:
      let waiting = model.lists[list].indices.filter { if case .waits = model.lists[list][$0] { true } else { false } }
      guard let place = waiting.randomElement(using: &random), case .waits(let key) = model.lists[list][place] else {
        return false
      }
      model.lists[list][place] = .row(try social.insertMessage(transaction, Int(key), chat: 0))
    }
    return true
  }

  @Test(arguments: 0..<40) func randomChanges(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    var transaction = WriteTransaction(social.empty)
    var model = Model()
    // Messages need a chat.
    #expect(try social.insertChat(transaction, 1) == 0)
    let owners = [try social.insertUser(transaction, "a"), try social.insertUser(transaction, "b")]
    for step in 0..<400 {
      guard try change(transaction, &model, owners, &random) else { continue }
      for list in 0..<2 where !model.isGone[list] {
        let found = Array(transaction.column(social.user, ColumnID(9)).references(owners[list]))
        try #require(found == model.present(list), "seed \(seed), step \(step)")
      }
      if random.chance(10) {
        let snapshot = transaction.commit()
        try #require(snapshot.check().isEmpty, "seed \(seed), step \(step)")
        transaction = WriteTransaction(snapshot)
      }
    }
  }

  /// What leaves a long list, of which very many wait, does not change what these know.
  @Test func longListsThatWait() throws {
    let transaction = WriteTransaction(social.empty)
    let owner = try social.insertUser(transaction, "a")
    var rows: [UInt32] = []
    for number in 0..<3_000 {
      rows.append(try social.insertMessage(transaction, number))
      try transaction.appendReference(social.messages, source: owner, target: rows[number])
    }
    for number in 0..<3_000 { remember(transaction, owner, Int64(10_000 + number), place: number * 2 + 1) }
    // The list is 0, w, 1, w, …; of those that are there only each tenth stays.
    for (number, row) in rows.enumerated() where number % 10 != 0 { try transaction.purge(social.message, row) }
    var expected: [UInt32] = []
    for number in stride(from: 0, to: 3_000, by: 10) {
      expected.append(rows[number])
      expected.append(try social.insertMessage(transaction, 10_000 + number + 9))
    }
    #expect(Array(transaction.column(social.user, ColumnID(9)).references(owner)) == expected)
  }
}
