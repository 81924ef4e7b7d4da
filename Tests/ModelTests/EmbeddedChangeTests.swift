import Foundation
import GQLite
import Synchronization
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Trip: Equatable {
  let id: Int
  var name: String
  var start: Stop
  var stops: [Stop]
  @Relationship(inverse: \.trips) var guide: Guide?

  struct Stop: Codable, Hashable {
    var place: String
    var nights: Int?
  }

  mutating func willSave(to context: inout Context) throws {
    start.place = start.place.uppercased()
  }

  func didSave(to context: inout Context) throws {
    if name == "bad" { throw CancellationError() }
  }
}

@EntityModel
private struct Guide: Equatable {
  let id: String
  var home: Trip.Stop?
  @Relationship(inverse: \.guide) var trips: [Trip]?
}

/// Embedded objects while schemas change, under hooks, in several threads.
@Suite struct EmbeddedChangeTests {
  private static let schema = """
    type Stop { place: String! nights: Int }
    type Guide { id: ID! home: Stop trips: [Trip!]! @relation(inverse: "guide") }
    type Trip { id: Int! name: String! start: Stop! stops: [Stop!]! guide: Guide @relation(inverse: "trips") }
    """

  private func trip(_ id: Int, _ name: String, _ places: String...) -> Trip {
    Trip(id: id, name: name, start: .init(place: "a"), stops: places.map { .init(place: $0) })
  }

  /// A field that comes is filled; one that goes, and that Swift wants, is an error with its name; then it is back.
  @Test func schemasThatChange() throws {
    let database = try Database(schema: Self.schema)
    try trip(1, "one", "x", "y").save(to: database)
    let all = FetchAll(Trip.query(), in: database)
    let kept = try Trip.fetchedResults(in: database, batchSize: 1)
    let first = Trip(id: 1, name: "one", start: .init(place: "A"), stops: [.init(place: "x"), .init(place: "y")])
    #expect(all.wrappedValue == [first])
    try database.changeSchema(
      to: Self.schema.replacingOccurrences(of: "nights: Int }", with: "nights: Int stars: Int! = 4 }"))
    #expect(all.wrappedValue == [first] && all.error == nil)
    var second = first
    second.stops[1].nights = 2
    try second.save(to: database)
    #expect(all.wrappedValue == [second])
    #expect(
      try database.query("{ Trip { start { stars } stops { place nights stars } } }").jsonString
        == #"{"Trip":[{"start":{"stars":4},"stops":[{"place":"x","nights":null,"stars":4},"#
        + #"{"place":"y","nights":2,"stars":4}]}]}"#)
    try database.changeSchema(to: Self.schema.replacingOccurrences(of: "place: String! ", with: ""), allowingLoss: true)
    #expect(throws: ModelError.unreadable("'Trip.start' is Stop in the schema, which has no field 'place'")) {
      try Trip.results(in: database)
    }
    #expect(all.wrappedValue == [second] && all.error != nil)
    try database.changeSchema(
      to: Self.schema.replacingOccurrences(of: "place: String!", with: "place: String! = \"p\""))
    #expect(
      all.wrappedValue.map(\.start.place) == ["p"] && all.wrappedValue.map { $0.stops.map(\.nights) } == [[nil, 2]])
    #expect(all.error == nil)
    try database.changeSchema(
      to: Self.schema.replacingOccurrences(of: "start: Stop!", with: "start: Int"), allowingLoss: true)
    #expect(
      throws: ModelError.invalidSchema(
        "the type 'Trip' of the schema has a field 'start: Int' that is neither JSON! nor an object, as Stop is")
    ) { try Trip.results(in: database) }
    // What was given before is what it was.
    #expect(kept.map(\.stops) == [first.stops])
  }

  /// Hooks may change them; what a save that fails has written of them goes.
  @Test func hooks() throws {
    let database = try Database(schema: Self.schema)
    let guide = Guide(
      id: "g", home: .init(place: "h", nights: 1), trips: .relation([trip(1, "one", "x"), trip(2, "two")]))
    try guide.save(to: database)
    let all = "{ Trip { name start { place } stops { place } guide { id home { place nights } } } }"
    let before = try database.query(all).jsonString
    #expect(
      before
        == #"{"Trip":[{"name":"one","start":{"place":"A"},"stops":[{"place":"x"}],"guide":{"id":"g","home":{"place":"h","#
        + #""nights":1}}},{"name":"two","start":{"place":"A"},"stops":[],"guide":{"id":"g","home":{"place":"h","nights":1}}}]}"#
    )
    var bad = guide
    bad.home = nil
    bad.$trips = .relation([trip(1, "new", "z"), trip(3, "bad", "u", "v")])
    #expect(throws: CancellationError.self) { try bad.save(to: database) }
    #expect(try database.query(all).jsonString == before && database.check().isEmpty)
    let loaded = try #require(Guide.query("g").with(\.$trips) { $0.sorted(by: \.id.desc) }.resolve(in: database))
    #expect(loaded.home == guide.home && loaded.trips?.map { $0.stops.map(\.place) } == [[], ["x"]])
    #expect(try Guide.include(#Predicate { $0.home?.nights == 1 }).count(in: database) == 1)
    let abroad = #Predicate<Trip> { $0.guide?.home?.place == "h" && $0.stops.isEmpty }
    #expect(try Trip.include(abroad).results(in: database).map(\.id) == [2])
    try database.update { context in
      var home = try #require(Guide.query("g").resolve(in: context))
      home.home?.place = "i"
      try home.save(to: &context)
    }
    #expect(try Trip.include(abroad).isEmpty(in: database))
  }

  /// What is written together is read together.
  @Test func readersAndAWriter() throws {
    let database = try Database(schema: Self.schema)
    try trip(1, "0").save(to: database)
    let problems = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: 5) { number in
      if number == 0 {
        for count in 1...60 {
          var trip = trip(1, "\(count)")
          trip.stops = (0..<(count % 7)).map { .init(place: "p\(count)", nights: $0) }
          trip.start.nights = count % 7
          do { try trip.save(to: database) } catch { problems.add(1, ordering: .relaxed) }
        }
        isDone.store(true, ordering: .relaxed)
      } else {
        repeat {
          let trip = number % 2 == 0 ? Trip.query(1).resolve(in: database) : try? Trip.results(in: database).first
          let isWhole =
            trip.map { trip in
              trip.stops.count == trip.start.nights ?? 0 && trip.stops.allSatisfy { $0.place == "p\(trip.name)" }
                && trip.stops.map(\.nights) == (0..<trip.stops.count).map { $0 }
            } ?? false
          if !isWhole { problems.add(1, ordering: .relaxed) }
        } while !isDone.load(ordering: .relaxed)
      }
    }
    #expect(problems.load(ordering: .relaxed) == 0 && database.check().isEmpty)
    #expect(
      try database.query("{ Trip { stops { nights } } }").jsonString
        == #"{"Trip":[{"stops":[{"nights":0},{"nights":1},{"nights":2},{"nights":3}]}]}"#)
  }
}
