import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// The laws of change sets: what is recorded is what differs, applying makes of one version the other, and the inverse
/// leads back.
@Suite struct ChangeSetTests {
  let social = SocialFixture()

  private func applied(_ changes: ChangeSet, to snapshot: Snapshot) throws -> Snapshot {
    let transaction = WriteTransaction(snapshot)
    try transaction.apply(changes)
    return transaction.commit()
  }

  private func expectLaws(_ changes: ChangeSet, from old: Snapshot, to new: Snapshot, _ place: Comment) throws {
    #expect(changes == new.changes(since: old), place)
    let inverse = try changes.inverse()
    #expect(try inverse.inverse() == changes, place)
    try expectJSON(changes, from: old, to: new, place)
    try expectJSON(inverse, from: new, to: old, place)
    #expect(inverse == old.changes(since: new), place)
    let forward = try applied(changes, to: old)
    #expect(forward.content() == new.content(), place)
    #expect(forward.check().isEmpty, place)
    let back = try applied(inverse, to: new)
    #expect(back.content() == old.content(), place)
    #expect(back.check().isEmpty, place)
    #expect(try applied(changes, to: back).content() == new.content(), place)
  }

  /// A set as JSON is the same set again, whether ids stand beside rows or not.
  private func expectJSON(
    _ changes: ChangeSet, from old: Snapshot, to new: Snapshot, _ place: Comment
  ) throws {
    let coder = ChangeJSON(new)
    for versions in [nil, (before: old, after: new)] {
      var text = ByteBuffer()
      try coder.append(changes, between: versions, to: &text)
      #expect(try text.withUnsafeBytes { try coder.changes($0) } == changes, place)
    }
  }

  @Test(arguments: 1...40) func recordedIsDiffedAndApplied(seed: Int) throws {
    var changes = RandomChanges(social, seed: seed + 900)
    var model = SocialModel()
    var snapshot = social.empty
    var replica = social.empty
    for round in 0..<10 {
      let transaction = WriteTransaction(snapshot)
      transaction.beginRecording()
      let draft = model
      var taken: [ChangeSet] = []
      for step in 0..<(round == 0 ? 80 : 1 + round * 3) {
        try changes.step(transaction, &model)
        if seed % 2 == 0, step % 3 == 2 { taken.append(transaction.takeChanges()) }
      }
      taken.append(transaction.takeChanges())
      if round % 4 == 3 {
        model = draft
        continue
      }
      let next = transaction.commit()
      if taken.count == 1 { try expectLaws(taken[0], from: snapshot, to: next, "seed \(seed) round \(round)") }
      for set in taken { replica = try applied(set, to: replica) }
      #expect(replica.content() == next.content(), "seed \(seed) round \(round)")
      #expect(model.differences(social, replica).isEmpty, "seed \(seed) round \(round)")
      #expect(replica.check().isEmpty, "seed \(seed) round \(round)")
      snapshot = next
    }
  }

  @Test func whatIsWrittenBackIsNoChange() throws {
    let first = WriteTransaction(social.empty)
    let anna = try social.insertUser(first, "anna", name: "A name of more than twelve bytes", age: 3)
    let bert = try social.insertUser(first, "bert")
    let base = first.commit()
    let transaction = WriteTransaction(base)
    transaction.beginRecording()
    try transaction.update(social.user, anna, 1, .text("B"))
    try transaction.appendReference(social.friends, source: anna, target: bert)
    try transaction.removeReference(social.friends, source: anna, target: bert)
    try transaction.update(social.user, anna, 1, .text("A name of more than twelve bytes"))
    #expect(transaction.takeChanges().isEmpty)
    #expect(transaction.takeChanges().isEmpty)
  }

  /// A transaction that records, and has changed the only user's age from 3 to 4.
  private func aged() throws -> (base: Snapshot, transaction: WriteTransaction, anna: UInt32) {
    let first = WriteTransaction(social.empty)
    let anna = try social.insertUser(first, "anna", age: 3)
    let base = first.commit()
    let transaction = WriteTransaction(base)
    transaction.beginRecording()
    try transaction.update(social.user, anna, 5, .int(4))
    return (base, transaction, anna)
  }

  @Test func rolledBackIsNoChange() throws {
    let (base, transaction, anna) = try aged()
    let checkpoint = transaction.checkpoint()
    try transaction.update(social.user, anna, 5, .int(5))
    _ = try social.insertUser(transaction, "bert", age: 6)
    try transaction.delete(social.user, anna)
    transaction.rollback(to: checkpoint)
    let changes = transaction.takeChanges()
    let next = transaction.commit()
    try expectLaws(changes, from: base, to: next, "rolled back")
    #expect(next.int(social.user, anna, 5) == 4)
  }

  /// An entity of one row takes about so many bytes and its values.
  @Test func anUpdateIsSmall() throws {
    let (_, transaction, _) = try aged()
    #expect(transaction.takeChanges().bytes.count <= 24)
  }

  @Test func aListThatGrowsIsNotCopied() throws {
    let first = WriteTransaction(social.empty)
    let chat = try social.insertChat(first, 1)
    for number in 0..<500 { _ = try social.insertMessage(first, number, chat: chat, text: "t", created: 1) }
    let transaction = WriteTransaction(first.commit())
    transaction.beginRecording()
    _ = try social.insertMessage(transaction, 1000, chat: chat, text: "t", created: 1)
    #expect(transaction.takeChanges().bytes.count <= 64)
  }

  // MARK: - Bad sets

  /// A row whose number is damaged has void rows before it, which share their pages.
  @Test func aRowFarAwayTakesLittleMemory() throws {
    // The first type; the row 200,000,000 behind none; void before, live after; nothing of it.
    var bytes: ContiguousArray<UInt8> = [UInt8(social.chat.index) + 1]
    var distance = 200_000_001
    while distance >= 0x80 {
      bytes.append(UInt8(distance & 0x7F | 0x80))
      distance >>= 7
    }
    bytes += [UInt8(distance), 0x04, 0x00, 0x00]
    let transaction = WriteTransaction(social.empty)
    try transaction.apply(ChangeSet(bytes: bytes))
    #expect(transaction.slotCount(social.chat) == 200_000_001)
    #expect(transaction.liveCount(social.chat) == 1)
    #expect(transaction.tables[Int(social.chat.index)].byteCount < 1 << 26)
  }

  @Test func anotherVersionIsRefused() throws {
    let first = WriteTransaction(social.empty)
    let anna = try social.insertUser(first, "anna", age: 3)
    let base = first.commit()
    let transaction = WriteTransaction(base)
    transaction.beginRecording()
    try transaction.delete(social.user, anna)
    let changes = transaction.takeChanges()
    #expect(throws: ChangeProblem.otherVersion(type: Int(social.user.index), row: anna)) {
      try WriteTransaction(social.empty).apply(changes)
    }
  }

  /// Whatever bytes say, applying them ends with an error or with a store whose readers can rely on it.
  @Test(arguments: 1...20) func damagedSetsNeitherCrashNorHang(seed: Int) throws {
    var changes = RandomChanges(social, seed: seed + 4000)
    var model = SocialModel()
    let first = WriteTransaction(social.empty)
    for _ in 0..<60 { try changes.step(first, &model) }
    let base = first.commit()
    let transaction = WriteTransaction(base)
    transaction.beginRecording()
    for _ in 0..<30 { try changes.step(transaction, &model) }
    let bytes = transaction.takeChanges().bytes
    var random = SeededRandom(UInt64(seed))
    let coder = ChangeJSON(base)
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0...random.below(3) {
        switch random.below(3) {
        case 0: damaged.removeLast(min(damaged.count, 1 + random.below(20)))
        case 1 where !damaged.isEmpty: damaged[random.below(damaged.count)] = UInt8(random.below(256))
        default: damaged.insert(UInt8(random.below(256)), at: random.below(damaged.count + 1))
        }
      }
      let set = ChangeSet(bytes: damaged)
      var text = ByteBuffer()
      // Where it can be written, it can be read; what has another form than ours reads as ours.
      if (try? coder.append(set, to: &text)) != nil {
        let read = text.withUnsafeBytes { try? coder.changes($0) }
        if let read { _ = try? coder.append(read, between: (base, base), to: &text) }
      }
      let target = WriteTransaction(base)
      do throws(ChangeProblem) {
        try target.apply(set)
        // Well-formed by chance: all that it leads to is there.
        let made = target.commit()
        // A number that is damaged may be that of a row far away.
        if made.tables.contains(where: { $0.slots > 1 << 20 }) { continue }
        _ = made.content()
        _ = made.check()
      } catch {}
      _ = try? set.inverse()
    }
  }

  @Test(
    "what is said of the content of a row that was void and is void is refused",
    arguments: [
      (RowChangeMarks.fields, [1, 2, 2, 0]), (RowChangeMarks.lists, [2, 0, 0, 1, 0, 0]),
      (RowChangeMarks.record, [0, 0]), (RowChangeMarks.suspended, [1, 0, 0, 0]),
    ] as [(UInt64, [UInt8])])
  func contentOfNothing(_ mark: UInt64, _ part: [UInt8]) throws {
    let snapshot = social.empty
    // One that is there, and one far beyond the pages.
    for row in [UInt64(0), 5_000_000] {
      var bytes = ByteBuffer()
      bytes.append(varint: UInt64(social.chat.index) + 1)
      bytes.append(varint: row + 1)
      bytes.append(UInt8(truncatingIfNeeded: mark))
      bytes.append(UInt8(truncatingIfNeeded: mark >> 8))
      for byte in part + [0] { bytes.append(byte) }
      let changes = ChangeSet(bytes: bytes.withUnsafeBytes { ContiguousArray($0) })
      let place = row == 0 ? 4 : 7
      let problem = #expect(throws: ChangeProblem.self) { _ = try applied(changes, to: snapshot) }
      #expect(problem == .malformed(offset: place), "\(mark)")
      #expect(throws: ChangeProblem.self) { try changes.forEachRow { _, _ in } }
      #expect(throws: ChangeProblem.self) { _ = try changes.inverse() }
    }
  }
}
