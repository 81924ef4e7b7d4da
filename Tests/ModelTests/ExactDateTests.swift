import Foundation
import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Moment: Equatable {
  let id: Int
  var at: Date
  var end: Date?
  var name = ""
}

@EntityModel
private struct Ranked {
  let id: Int
  var at: Date
  var end: Date?
  @Index<Self>(\.at) var byTime

  init(id: Int, at: Date, end: Date?) {
    self.id = id
    self.at = at
    self.end = end
  }
}

@EntityModel
private struct Hashed {
  let id: Int
  var at: Date
  var end: Date?
  @HashIndex<Self>(\.at) var byTime

  init(id: Int, at: Date, end: Date?) {
    self.id = id
    self.at = at
    self.end = end
  }
}

@EntityModel
private struct Single {
  let id: Int
  @Unique<Self>(\.at, collisions: .throw) var byTime
  var at: Date
}

@EntityModel
private struct Later {
  let id: Int
}

private protocol Dated: EntityModelProtocol where ID == Int {
  init(id: Int, at: Date, end: Date?)
  var at: Date { get }
  var end: Date? { get }
  static var atPath: KeyPath<Self, Date> & Sendable { get }
  static var endPath: KeyPath<Self, Date?> & Sendable { get }
}

extension Moment: Dated {
  init(id: Int, at: Date, end: Date?) { self.init(id: id, at: at, end: end, name: "") }
  static var atPath: KeyPath<Self, Date> & Sendable { \.at }
  static var endPath: KeyPath<Self, Date?> & Sendable { \.end }
}
extension Ranked: Dated {
  static var atPath: KeyPath<Self, Date> & Sendable { \.at }
  static var endPath: KeyPath<Self, Date?> & Sendable { \.end }
}
extension Hashed: Dated {
  static var atPath: KeyPath<Self, Date> & Sendable { \.at }
  static var endPath: KeyPath<Self, Date?> & Sendable { \.end }
}

/// Dates come back to the bit, and conditions and orders of key paths compare them as Swift does.
@Suite struct ExactDateTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
  }

  private static func bits(_ dates: [Date]) -> [UInt64] {
    dates.map { ($0.timeIntervalSinceReferenceDate + 0).bitPattern }
  }

  /// What was saved is what is read.
  private func comesBack(_ dates: [Date], _ comment: Comment) throws {
    var context = Context()
    for (id, date) in dates.enumerated() { try Moment(id: id, at: date, end: date).save(to: &context) }
    let read = try Moment.query().sorted(by: \.id).results(in: context)
    #expect(Self.bits(read.map(\.at)) == Self.bits(dates), comment)
    #expect(Self.bits(read.compactMap(\.end)) == Self.bits(dates), comment)
    #expect(try Self.bits(Moment.query().sorted(by: \.id).values(\.at, in: context)) == Self.bits(dates), comment)
    let copy = context
    try Moment(id: 0, at: .distantPast, end: nil).save(to: &context)
    #expect(try copy.moment(0)?.at == dates[0], comment)
    #expect(try copy.moment(dates.count - 1)?.at == dates[dates.count - 1], comment)
  }

  @Test func nowComesBack() throws {
    var dates: [Date] = []
    while dates.count < 1000 {
      let now = Date()
      if now != dates.last { dates.append(now) }
    }
    try comesBack(dates, "now")
  }

  @Test(arguments: [1e9, 2e9, 4e9, 1e10, 1e11])
  func wholeMillisecondsAndMicrosecondsComeBack(_ seconds: Double) throws {
    var random = Generator(state: 7)
    let numbers = (0..<1000).map { _ in Double.random(in: -seconds...seconds, using: &random) }
    try comesBack(numbers.map { Date(timeIntervalSince1970: ($0 * 1e3).rounded() / 1e3) }, "milliseconds since 1970")
    try comesBack(numbers.map { Date(timeIntervalSince1970: ($0 * 1e6).rounded() / 1e6) }, "microseconds since 1970")
    try comesBack(numbers.map { Date(timeIntervalSinceReferenceDate: ($0 * 1e3).rounded() / 1e3) }, "ms since 2001")
    try comesBack(numbers.map { Date(timeIntervalSinceReferenceDate: ($0 * 1e6).rounded() / 1e6) }, "µs since 2001")
    try comesBack(numbers.map { Date(timeIntervalSince1970: 1.7e9).addingTimeInterval($0 / 7) }, "added")
  }

  @Test func randomDatesComeBack() throws {
    var random = Generator(state: 11)
    var dates: [Date] = [.distantPast, .distantFuture]
    while dates.count < 3000 {
      let interval = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
      if abs(interval) < 3e12 { dates.append(Date(timeIntervalSinceReferenceDate: interval)) }
    }
    let edges = [
      0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e-7, -1e-7, 5e-7, -5e-7, 1.5e-6, 0.9999999, -0.9999999,
    ]
    dates += edges.map { Date(timeIntervalSinceReferenceDate: $0) }
    dates += edges.map { Date(timeIntervalSince1970: $0) }
    try comesBack(dates, "random")
  }

  /// Reads what could be saved out of a file, folded or not, and out of a copy.
  @Test func datesComeBackOutOfFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "dates-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.gqlite").path
    let edge = 4e12
    let dates: [Date] =
      [.distantPast, .distantFuture]
      + [1 - edge, edge.nextDown, -6.4e10, 2.6e11].map { Date(timeIntervalSinceReferenceDate: $0) }
    let database = try Database(path: path, models: [Moment.self])
    for (id, date) in dates.enumerated() { try Moment(id: id, at: date, end: date).save(to: database) }
    func check(_ database: Database, _ comment: Comment) throws {
      let read = try Moment.query().sorted(by: \.id).results(in: database)
      #expect(Self.bits(read.map(\.at)) == Self.bits(dates), comment)
      #expect(Self.bits(read.compactMap(\.end)) == Self.bits(dates), comment)
      #expect(database.check() == [], comment)
    }
    try database.close()
    let reopened = try Database(path: path, models: [Moment.self])
    try check(reopened, "reopened")
    try reopened.compact()
    try reopened.backup(to: path + "2")
    try reopened.close()
    try check(Database(path: path, models: [Moment.self]), "folded")
    try check(Database(path: path + "2", models: [Moment.self]), "copied")
  }

  @Test func datesOutOfRangeAreRefused() throws {
    for interval in [Double.infinity, -.infinity, .nan, 1e13, -1e13, .greatestFiniteMagnitude] {
      var context = Context()
      let date = Date(timeIntervalSinceReferenceDate: interval)
      #expect(throws: ModelError.self) { try Moment(id: 1, at: date).save(to: &context) }
      #expect(throws: ModelError.self) { try Moment(id: 1, at: Date(), end: date).save(to: &context) }
      try Moment(id: 2, at: Date()).save(to: &context)
      #expect(try Moment.filter(\.at < date).count(in: context) == (Date() < date ? 1 : 0))
      #expect(try Moment.filter(\.at == date).count(in: context) == 0)
    }
  }

  /// Neighbors of one microsecond, and of the next ones.
  private static var neighbors: [Date] {
    let middle = Date(timeIntervalSince1970: 1_700_000_000.123456).timeIntervalSinceReferenceDate
    var dates = [middle]
    var (below, above) = (middle, middle)
    for _ in 0..<20 {
      (below, above) = (below.nextDown, above.nextUp)
      dates += [below, above]
    }
    return (dates + dates + [0, 1e-300, -1e-300, 1.7e9]).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @Test func comparesAsSwift() throws {
    try compare(Moment.self, Self.neighbors)
    try compare(Ranked.self, Self.neighbors)
    try compare(Hashed.self, Self.neighbors)
  }

  /// No date of the store has anything beside its microseconds, but what they are compared with has.
  @Test func comparesWholeMicrosecondsAsSwift() throws {
    let whole = (0..<20).map { Date(timeIntervalSince1970: Double(1_700_000_000_000_000 + $0) / 1e6) }
    try compare(Moment.self, whole)
    try compare(Ranked.self, whole)
  }

  private func compare<Entity: Dated>(_ type: Entity.Type, _ dates: [Date]) throws {
    var context = Context()
    var random = Generator(state: 3)
    let all = dates.enumerated().map { number, date in
      Entity(id: number, at: date, end: number % 5 == 0 ? nil : dates.randomElement(using: &random))
    }
    for entity in all { try entity.save(to: &context) }
    let (at, end) = (type.atPath, type.endPath)
    func expect(_ query: QueryList<Entity>, _ holds: (Entity) -> Bool, _ comment: Comment) throws {
      #expect(try query.results(in: context).map(\.id).sorted() == all.filter(holds).map(\.id), comment)
    }
    for date in dates.prefix(12) + Self.neighbors.prefix(30) {
      try expect(type.filter(at == date), { $0.at == date }, "==")
      try expect(type.filter(at != date), { $0.at != date }, "!=")
      try expect(type.filter(at < date), { $0.at < date }, "<")
      try expect(type.filter(at <= date), { $0.at <= date }, "<=")
      try expect(type.filter(at > date), { $0.at > date }, ">")
      try expect(type.filter(at >= date), { $0.at >= date }, ">=")
      try expect(type.filter(!(at < date)), { !($0.at < date) }, "not <")
      try expect(type.filter(at < date || end == date), { $0.at < date || $0.end == date }, "or")
      try expect(type.filter(end == date), { $0.end == date }, "optional ==")
      try expect(type.filter(end != date), { $0.end != date }, "optional !=")
    }
    #expect(
      try type.query().sorted(by: at).results(in: context).map(\.id)
        == all.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.map(\.id))
    #expect(
      try type.query().sorted(by: at).reverse().results(in: context).map(\.at) == all.map(\.at).sorted(by: >))
    #expect(
      try type.query().sorted(by: at).limit(7, offset: 3).results(in: context).map(\.at)
        == Array(all.map(\.at).sorted().dropFirst(3).prefix(7)))
  }

  @Test func predicatesCompareAsSwift() throws {
    var context = Context()
    let dates = Self.neighbors
    let all = dates.enumerated().map { Moment(id: $0, at: $1, end: $0 % 4 == 0 ? nil : dates[$0 / 2]) }
    for entity in all { try entity.save(to: &context) }
    for date in dates.prefix(20) {
      let list = [date, dates[3], .distantPast]
      let range = date...dates[4].addingTimeInterval(1)
      let predicates: [Predicate<Moment>] = [
        #Predicate { $0.at == date }, #Predicate { $0.at < date }, #Predicate { !($0.at <= date) },
        #Predicate { $0.end == date }, #Predicate { $0.at >= date && $0.name == "" },
        #Predicate { list.contains($0.at) }, #Predicate { range.contains($0.at) },
        #Predicate { $0.end.flatMap { $0 > date } ?? false }, #Predicate { ($0.end ?? date) == date },
        #Predicate { $0.at <= $0.at },
      ]
      for (number, predicate) in predicates.enumerated() {
        let found = try Moment.filter(QueryPredicate(predicate)).results(in: context).map(\.id).sorted()
        #expect(try found == all.filter { try predicate.evaluate($0) }.map(\.id), "predicate \(number)")
      }
    }
  }

  @Test func updatesTakeAndGiveWhatIsFiner() throws {
    let now = Date(timeIntervalSince1970: 1_700_000_000.1234567)
    let whole = Date(timeIntervalSince1970: 1_700_000_000.123457)
    let database = try Database(for: Moment.self)
    try Moment(id: 1, at: now, end: now, name: "a").save(to: database)
    let text = #"{ Moment { at end } }"#
    #expect(
      try database.query(text).jsonString
        == #"{"Moment":[{"at":"2023-11-14T22:13:20.123457Z","end":"2023-11-14T22:13:20.123457Z"}]}"#)
    _ = try database.query(#"mutation { updateMoment(where: id == 1, set: {name: "b"}) { id } }"#)
    #expect(Moment.query(1).resolve(in: database) == Moment(id: 1, at: now, end: now, name: "b"))
    #expect(
      try database.query(#"{ Moment(where: at == "2023-11-14T22:13:20.123457Z") { id } }"#).jsonString.contains("1"))
    _ = try database.query(
      #"mutation { updateMoment(where: id == 1, set: {at: "2023-11-14T22:13:20.123457Z", end: null}) { id } }"#)
    #expect(Moment.query(1).resolve(in: database) == Moment(id: 1, at: whole, end: nil, name: "b"))
    try Moment(id: 1, at: now, end: now, name: "c").save(to: database)
    #expect(Moment.query(1).resolve(in: database)?.end == now)
    try Moment(id: 1, at: whole, end: nil, name: "c").save(to: database)
    try database.update { context in
      let old = try #require(Moment.query(1).resolve(in: context))
      #expect(old.at == whole && old.end == nil)
      try Moment(id: 1, at: whole, end: whole, name: "c").save(to: &context)
      #expect(Moment.query(1).resolve(in: context)?.end == whole)
    }
  }

  @Test func deletionKeepsWhatIsFiner() throws {
    var context = Context()
    let dates = Self.neighbors
    for (id, date) in dates.enumerated() { try Moment(id: id, at: date, end: date).save(to: &context) }
    for id in dates.indices { try #require(Moment.query(id).resolve(in: context)).delete(from: &context) }
    let deleted = Deleted<Moment>.query(5).resolve(in: context)
    #expect(deleted?.entity.at == dates[5])
    let exact = try Deleted<Moment>.query().sorted(by: \.id).results(in: context).map(\.entity.at)
    #expect(Self.bits(exact) == Self.bits(dates))
    var other = Context()
    for tombstone in try Deleted<Moment>.results(in: context) { try tombstone.save(to: &other) }
    for id in dates.indices {
      try #require(Deleted<Moment>.query(id).resolve(in: context)).restore(in: &context)
      try #require(Deleted<Moment>.query(id).resolve(in: other)).restore(in: &other)
    }
    for context in [context, other] {
      let read = try Moment.query().sorted(by: \.id).results(in: context)
      #expect(Self.bits(read.map(\.at)) == Self.bits(dates))
      #expect(Self.bits(read.compactMap(\.end)) == Self.bits(dates))
    }
  }

  @Test func learningAndEvolvingKeepWhatIsFiner() throws {
    let dates = Self.neighbors
    var context = Context()
    for (id, date) in dates.enumerated() { try Moment(id: id, at: date, end: date).save(to: &context) }
    try Later(id: 1).save(to: &context)
    #expect(Self.bits(try Moment.query().sorted(by: \.id).results(in: context).map(\.at)) == Self.bits(dates))

    let database = try Database(schema: "type Moment { id: Int! at: DateTime! end: DateTime name: String! }")
    for (id, date) in dates.enumerated() { try Moment(id: id, at: date, end: date).save(to: database) }
    try database.changeSchema(
      to:
        "type Moment { note: String id: Int! end: DateTime at: DateTime! @index name: String! } type Other { id: Int! }"
    )
    let read = try Moment.query().sorted(by: \.id).results(in: database)
    #expect(Self.bits(read.map(\.at)) == Self.bits(dates))
    #expect(Self.bits(read.compactMap(\.end)) == Self.bits(dates))
  }

  @Test func uniqueDatesAreComparedExactly() throws {
    let dates = Array(Set(Self.neighbors)).sorted()
    var context = Context()
    for (id, date) in dates.enumerated() { try Single(id: id, at: date).save(to: &context) }
    for (id, date) in dates.enumerated() {
      #expect(throws: (any Error).self) { try Single(id: 1000 + id, at: date).save(to: &context) }
      try Single(id: id, at: date).save(to: &context)
    }
    #expect(try Single.count(in: context) == dates.count)
    try Single(id: 2000, at: Date(timeIntervalSinceReferenceDate: 1.7e9.nextUp)).save(to: &context)
  }

  /// Pages that branches of one version share.
  @Test func branchesKeepTheirOwn() throws {
    let dates = Self.neighbors
    let whole = Date(timeIntervalSince1970: 1_700_000_000)
    var base = Context()
    for id in 0..<1000 { try Moment(id: id, at: whole).save(to: &base) }
    var (left, right) = (base, base)
    for (number, date) in dates.enumerated() {
      try Moment(id: 1000 + number, at: date).save(to: &left)
      if number % 3 == 0 { try Moment(id: number, at: date).save(to: &left) }
      try Moment(id: 1000 + number, at: whole).save(to: &right)
    }
    for id in 1000..<1100 { try Moment(id: id, at: whole).save(to: &base) }
    #expect(try base.allSatisfy { $0.at == whole } && right.allSatisfy { $0.at == whole })
    for (number, date) in dates.enumerated() {
      #expect(try left.moment(1000 + number)?.at == date)
      #expect(try left.moment(number)?.at == (number % 3 == 0 ? date : whole))
    }
  }

  @Test func textsWriteWholeMicroseconds() throws {
    let database = try Database(for: Moment.self)
    _ = try database.query(
      #"mutation { insertMoment(data: [{id: 1, at: "2024-05-01T12:00:00.123Z", name: ""}]) { id } }"#)
    let date = Date(timeIntervalSince1970: 1_714_564_800.123)
    #expect(Moment.query(1).resolve(in: database)?.at == date)
    #expect(try Moment.filter(\.at == date).count(in: database) == 1)
  }
}

extension Context {
  fileprivate func moment(_ id: Int) throws -> Moment? { Moment.query(id).resolve(in: self) }
  fileprivate func allSatisfy(_ holds: (Moment) -> Bool) throws -> Bool {
    try Moment.results(in: self).allSatisfy(holds)
  }
}
