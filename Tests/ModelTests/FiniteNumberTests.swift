import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Probe {
  @Index<Self>(\.d) private var byD
  @HashIndex<Self>(\.o) private var byO

  let id: Int
  var d: Double
  var o: Double? = nil
  var f: Float = 0
  var list: [Double] = []
  var floats: [Float]? = nil
  var place: Place? = nil
  var degrees: Degrees = Degrees(rawValue: 0)
  @Relationship(inverse: \.next) var last: Probe?
  @Relationship(inverse: \.last) var next: Probe?

  struct Place: Codable { var name = ""; var point: [String: [Double]] = [:]; var height: Float = 0 }
  struct Degrees: RawRepresentable, Hashable { var rawValue: Double }
}

/// The same without indexes.
@EntityModel
private struct Bare {
  let id: Int
  var d: Double
  var o: Double? = nil
}

@EntityModel
private struct Halved {
  @Index<Self>(\.half) private var halves
  let id: Int
  var d: Double
  var half: Double { 1 / d }
}

@EntityModel
private struct Priced {
  @Unique<Self>(\.key, collisions: .throw) private var keys

  let id: Int
  var price: Price
  var prices: [Price] = []
  var first: Price? = nil
  var key: Price? = nil
}

private struct Price: Codable, Equatable { var amount: Decimal; var note = "" }

/// Numbers in columns are finite; those that are not can be asked with, as in Swift.
@Suite struct FiniteNumberTests {
  private static let odd: [(Double, String)] = [(.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf")]

  @Test func refusedWhenSaved() throws {
    var context = Context()
    try Probe(id: 0, d: 1).save(to: &context)
    func refused(
      _ property: String, _ number: String, _ probe: Probe, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let expected = ModelError.numberOutOfRange(
        "Probe", "its '\(property)' is \(number), and numbers in columns are finite")
      #expect(throws: expected, sourceLocation: sourceLocation) { try probe.save(to: &context) }
    }
    for (number, words) in Self.odd {
      refused("d", words, Probe(id: 1, d: number))
      refused("o", words, Probe(id: 1, d: 1, o: number))
      refused("f", words, Probe(id: 1, d: 1, f: Float(number)))
      refused("list", words, Probe(id: 1, d: 1, list: [1, number]))
      refused("floats", words, Probe(id: 1, d: 1, floats: [Float(number)]))
      refused("degrees", words, Probe(id: 1, d: 1, degrees: .init(rawValue: number)))
      refused("place.point.x[1]", words, Probe(id: 1, d: 1, place: .init(point: ["x": [0, number]])))
      refused("place.height", words, Probe(id: 1, d: 1, place: .init(height: Float(number))))
      // Within another, and in a change.
      var outer = Probe(id: 2, d: 1)
      outer.$next = .relation(Probe(id: 3, d: number))
      refused("d", words, outer)
      refused("d", words, Probe(id: 0, d: number))
    }
    // Nothing of it was saved.
    #expect(Probe.query().resolve(in: context).map(\.d) == [1])
    #expect(
      throws: ModelError.numberOutOfRange("Halved", "its index 'halves' is over inf, and numbers in columns are finite")
    ) {
      try Halved(id: 1, d: 0).save(to: &context)
    }
    #expect(Database(context).check().isEmpty)
  }

  /// Embedded objects of a schema in text.
  @Test func refusedInEmbeddedObjects() throws {
    let database = try Database(
      schema: "type Holder { id: Int! spot: Spot! } type Spot @embedded { x: Float! more: [Float!]! }")
    struct Found: Error {}
    for (number, words) in Self.odd {
      #expect(throws: ModelError.self) { try Holder(id: 1, spot: .init(x: number, more: [])).save(to: database) }
      do { try Holder(id: 1, spot: .init(x: 1, more: [number])).save(to: database) } catch {
        #expect("\(error)".contains("'spot") && "\(error)".contains("Holder") && "\(error)".contains(words))
      }
    }
    #expect(try Holder.count(in: database) == 0)
  }

  /// Foundation encodes a decimal that is no number as what is no JSON.
  @Test func decimalsInCodableTypes() throws {
    let database = try Database(for: Priced.self)
    let (one, odd) = (Price(amount: 1, note: #"a "NaN", NaN"#), Price(amount: .nan))
    try Priced(id: 0, price: one, prices: [one], first: one, key: one).save(to: database)
    func refused(_ property: String, _ priced: Priced, sourceLocation: SourceLocation = #_sourceLocation) {
      let expected = ModelError.numberOutOfRange(
        "Priced", "its '\(property)' is NaN, and numbers in columns are finite")
      #expect(throws: expected, sourceLocation: sourceLocation) { try priced.save(to: database) }
    }
    refused("price", Priced(id: 1, price: odd))
    refused("price", Priced(id: 1, price: Price(amount: .nan, note: "NaN")))
    refused("prices", Priced(id: 1, price: one, prices: [one, odd]))
    refused("first", Priced(id: 1, price: one, first: odd))
    refused("key", Priced(id: 1, price: one, key: odd))
    let object = try #require(try database.object(Priced.self, id: 0))
    object.price.amount = .nan
    #expect(object.error != nil)
    #expect(try Priced.query().results(in: database).map(\.price) == [one])
    #expect(try Priced.filter(\.price == odd).results(in: database).isEmpty)
    #expect(database.check() == [])
    // JSON of a schema in text.
    let other = try Database(schema: "type Boxed { id: Int! box: Box! } type Box @embedded { any: JSON! }")
    try Boxed(id: 0, box: .init(any: one)).save(to: other)
    #expect(throws: ModelError.numberOutOfRange("Boxed", "its 'box' is NaN, and numbers in columns are finite")) {
      try Boxed(id: 1, box: .init(any: odd)).save(to: other)
    }
    #expect(try Boxed.query().results(in: other).map(\.box.any) == [one])
  }

  private static let stored: [Double?] = [nil, -1e300, -1, 0, 0.5, 1, 2, 1e300]

  /// Asks the same of a type with indexes, of one without, and of Swift.
  private func check(
    _ predicate: Predicate<Probe>, _ bare: Predicate<Bare>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var context = Context()
    for (id, number) in Self.stored.enumerated() {
      try Probe(id: id, d: number ?? 7, o: number).save(to: &context)
      try Bare(id: id, d: number ?? 7, o: number).save(to: &context)
    }
    let expected = try Probe.results(in: context).filter { try predicate.evaluate($0) }.map(\.id)
    let others = Set(Self.stored.indices).subtracting(expected)
    #expect(try Probe.include(predicate).results(in: context).map(\.id) == expected, sourceLocation: sourceLocation)
    #expect(try Bare.include(bare).results(in: context).map(\.id) == expected, sourceLocation: sourceLocation)
    #expect(
      try Set(Probe.exclude(predicate).results(in: context).map(\.id)) == others, sourceLocation: sourceLocation)
    #expect(try Set(Bare.exclude(bare).results(in: context).map(\.id)) == others, sourceLocation: sourceLocation)
  }

  @Test func asked() throws {
    for (number, _) in Self.odd {
      let optional: Double? = number
      try check(#Predicate { $0.d == number }, #Predicate { $0.d == number })
      try check(#Predicate { $0.d != number }, #Predicate { $0.d != number })
      try check(#Predicate { $0.d < number }, #Predicate { $0.d < number })
      try check(#Predicate { !($0.d < number) }, #Predicate { !($0.d < number) })
      try check(#Predicate { $0.d >= number }, #Predicate { $0.d >= number })
      try check(#Predicate { $0.o == number }, #Predicate { $0.o == number })
      try check(#Predicate { $0.o == optional }, #Predicate { $0.o == optional })
      try check(#Predicate { $0.o != optional }, #Predicate { $0.o != optional })
      try check(#Predicate { ($0.o ?? number) == number }, #Predicate { ($0.o ?? number) == number })
      try check(#Predicate { ($0.o ?? number) > 0 }, #Predicate { ($0.o ?? number) > 0 })
      try check(#Predicate { $0.d + number > 0 }, #Predicate { $0.d + number > 0 })
      let set: Set<Double> = [number, 0, 1]
      try check(#Predicate { set.contains($0.d) }, #Predicate { set.contains($0.d) })
      let optionals: [Double?] = [number, nil, 2]
      try check(#Predicate { optionals.contains($0.o) }, #Predicate { optionals.contains($0.o) })
    }
    let (upwards, downwards) = (0...Double.infinity, -Double.infinity...0.5)
    try check(#Predicate { upwards.contains($0.d) }, #Predicate { upwards.contains($0.d) })
    try check(#Predicate { downwards.contains($0.d) }, #Predicate { downwards.contains($0.d) })
    try check(#Predicate { !upwards.contains($0.d) }, #Predicate { !upwards.contains($0.d) })
  }

  @Test func askedByKeyPaths() throws {
    var context = Context()
    for (id, number) in Self.stored.enumerated() {
      try Probe(id: id, d: number ?? 7, o: number).save(to: &context)
      try Bare(id: id, d: number ?? 7, o: number).save(to: &context)
    }
    func check(
      _ predicate: QueryPredicate<Probe>, _ bare: QueryPredicate<Bare>, _ holds: (Probe) -> Bool,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let expected = Probe.query().resolve(in: context).filter(holds).map(\.id)
      #expect(
        Set(Probe.filter(predicate).resolve(in: context).map(\.id)) == Set(expected), sourceLocation: sourceLocation)
      #expect(Set(Bare.filter(bare).resolve(in: context).map(\.id)) == Set(expected), sourceLocation: sourceLocation)
      let others = Set(Self.stored.indices).subtracting(expected)
      #expect(Set(Probe.filter(!predicate).resolve(in: context).map(\.id)) == others, sourceLocation: sourceLocation)
      #expect(Set(Bare.filter(!bare).resolve(in: context).map(\.id)) == others, sourceLocation: sourceLocation)
    }
    for (number, _) in Self.odd {
      check(\.d == number, \.d == number) { $0.d == number }
      check(\.d != number, \.d != number) { $0.d != number }
      check(\.d < number, \.d < number) { $0.d < number }
      check(\.d <= number, \.d <= number) { $0.d <= number }
      check(\.d > number, \.d > number) { $0.d > number }
      check(\.o == number, \.o == number) { $0.o == number }
      check(\.o != number, \.o != number) { $0.o != number }
    }
  }

  /// What Swift reckons on with is no error.
  @Test func infiniteResults() throws {
    let huge = 1e308
    try check(#Predicate { 1 / $0.d > 0 }, #Predicate { 1 / $0.d > 0 })
    try check(#Predicate { 1 / $0.d < 0 }, #Predicate { 1 / $0.d < 0 })
    try check(#Predicate { $0.d / $0.d == 1 }, #Predicate { $0.d / $0.d == 1 })
    try check(#Predicate { !($0.d / $0.d == 1) }, #Predicate { !($0.d / $0.d == 1) })
    try check(#Predicate { $0.d * huge > 1 }, #Predicate { $0.d * huge > 1 })
    try check(#Predicate { $0.d * huge * huge > 1 }, #Predicate { $0.d * huge * huge > 1 })
    try check(#Predicate { $0.d * huge - $0.d * huge == 0 }, #Predicate { $0.d * huge - $0.d * huge == 0 })
    try check(#Predicate { ($0.o ?? 0) / 0 > 1 }, #Predicate { ($0.o ?? 0) / 0 > 1 })
    try check(#Predicate { $0.id > 2 && 1 / $0.d > 1 }, #Predicate { $0.id > 2 && 1 / $0.d > 1 })
    // All at once, and of relations.
    var context = Context()
    for (id, number) in [0.0, 1, 2].enumerated() {
      var probe = Probe(id: id, d: number)
      if id > 0 { probe.$last = .id(id - 1) }
      try probe.save(to: &context)
    }
    let query = Probe.include(#Predicate { 1 / $0.d > 0.7 })
    #expect(try query.results(in: context).map(\.id) == [0, 1])
    #expect(
      Probe.query().related(\.$last).include(#Predicate { 1 / $0.d > 0.7 }).resolve(in: context).map(\.id) == [0, 1])
    #expect(
      try Probe.include(#Predicate { if let last = $0.last { 1 / last.d > 5 } else { false } }).results(in: context)
        .map(\.id) == [1])
    // Whole numbers that are divided by zero would stop the process.
    #expect(throws: ModelError.self) {
      try Probe.include(#Predicate { 1 / $0.d > 0 && 1 / $0.id > 0 }).results(in: context)
    }
  }
}

@EntityModel
private struct Holder {
  let id: Int
  var spot: Spot

  struct Spot: Codable { var x: Double, more: [Double] }
}

@EntityModel
private struct Boxed {
  let id: Int
  var box: Box

  struct Box: Codable { var any: Price }
}
