import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Whatever the case.
private struct Folded: RawRepresentable, OwnEquatable, Hashable, Codable {
  let rawValue: String
  static func == (left: Self, right: Self) -> Bool { left.rawValue.lowercased() == right.rawValue.lowercased() }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

/// The same, of what begins in a certain way only, and with no hash of its own.
private struct Code: RawRepresentable, OwnEquatable, Equatable, Codable {
  let rawValue: String
  init(_ text: String) { rawValue = text }
  init?(rawValue: String) {
    guard rawValue.count == 3 else { return nil }
    self.rawValue = rawValue
  }
  static func == (left: Self, right: Self) -> Bool { left.rawValue.lowercased() == right.rawValue.lowercased() }
}

/// Once round is where it began.
private struct Angle: RawRepresentable, OwnEquatable, Hashable, Codable {
  let rawValue: Int
  static func == (left: Self, right: Self) -> Bool { (left.rawValue - right.rawValue) % 360 == 0 }
  func hash(into hasher: inout Hasher) { hasher.combine((rawValue % 360 + 360) % 360) }
}

private struct Near: RawRepresentable, OwnEquatable, Equatable, Codable {
  let rawValue: Double
  static func == (left: Self, right: Self) -> Bool { abs(left.rawValue - right.rawValue) < 0.1 }
}

private enum Grade: Int, CaseIterable {
  case one, two, three
  static func == (left: Self, right: Self) -> Bool { (left.rawValue > 1) == (right.rawValue > 1) }
}

/// Equal where its raw value is.
private struct Plain: RawRepresentable, Hashable, Codable { let rawValue: String }
private enum Kind: String { case round, square }

/// Makes its raw value one of many.
private struct Lower: RawRepresentable, Hashable, Codable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue.lowercased() }
}

@EntityModel
private struct Thing {
  @HashIndex<Self>(\.mail) private var mails
  @HashIndex<Self>(\.plain) private var plains

  let id: Int
  var mail: Folded
  var spare: Folded?
  var all: [Folded]
  var code: Code
  var angle: Angle
  var near: Near
  var grade: Grade
  var plain: Plain
  var kind: Kind
  var lower: Lower
}

@EntityModel
private struct Named {
  let id: Name
  var age: Int

  struct Name: Hashable, Codable, LosslessStringConvertible, OwnEquatable {
    var description: String
    init(_ description: String) { self.description = description }
    static func == (left: Self, right: Self) -> Bool {
      left.description.lowercased() == right.description.lowercased()
    }
    func hash(into hasher: inout Hasher) { hasher.combine(description.lowercased()) }
  }
}

/// What is compared is what Swift's `==` says of it.
@Suite struct OwnEqualityTests {
  private func things() throws -> Context {
    var context = Context()
    for (id, text) in ["A@x", "a@X", "b@x"].enumerated() {
      let mail = Folded(rawValue: text)
      try Thing(
        id: id, mail: mail, spare: id == 2 ? nil : mail, all: [mail], code: Code(text),
        angle: Angle(rawValue: 90 + id * 180), near: Near(rawValue: Double(id) * 0.06), grade: Grade.allCases[id],
        plain: Plain(rawValue: text), kind: id == 0 ? .round : .square, lower: Lower(rawValue: text)
      ).save(to: &context)
    }
    return context
  }

  @Test func filters() throws {
    let context = try things()
    func ids(_ predicate: QueryPredicate<Thing>) -> [Int] { Thing.filter(predicate).resolve(in: context).map(\.id) }
    #expect(ids(\.mail == Folded(rawValue: "a@x")) == [0, 1])
    #expect(ids(\.mail != Folded(rawValue: "a@x")) == [2])
    #expect(ids(\.spare == Folded(rawValue: "A@X")) == [0, 1])
    #expect(ids(\.spare == nil) == [2])
    #expect(ids(\.code == Code("B@X")) == [2])
    #expect(ids(\.angle == Angle(rawValue: 450)) == [0, 2])
    #expect(ids(\.near == Near(rawValue: 0.05)) == [0, 1, 2])
    #expect(ids(\.near == Near(rawValue: 0)) == [0, 1])
    #expect(ids(\.grade == .one) == [0, 1])
    #expect(ids(\.grade != .one) == [2])
    #expect(ids(\.plain == Plain(rawValue: "a@x")) == [])
    #expect(ids(\.plain == Plain(rawValue: "a@X")) == [1])
    #expect(ids(\.kind == .square) == [1, 2])
    #expect(ids(\.lower == Lower(rawValue: "A@X")) == [0, 1])
  }

  @Test func predicates() throws {
    let context = try things()
    let all = try Thing.results(in: context)
    func check(_ predicate: Predicate<Thing>, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.id) == ids, sourceLocation: sourceLocation)
      #expect(try Thing.include(predicate).results(in: context).map(\.id) == ids, sourceLocation: sourceLocation)
      let others = [0, 1, 2].filter { !ids.contains($0) }
      #expect(try Thing.exclude(predicate).results(in: context).map(\.id) == others, sourceLocation: sourceLocation)
    }
    let (mail, angle, near) = (Folded(rawValue: "a@x"), Angle(rawValue: 450), Near(rawValue: 0.01))
    try check(#Predicate { $0.mail == mail }, [0, 1])
    try check(#Predicate { $0.spare == mail }, [0, 1])
    try check(#Predicate { $0.mail == $0.spare ?? mail }, [0, 1])
    try check(#Predicate { $0.all.contains(mail) }, [0, 1])
    try check(#Predicate { $0.all.contains { $0 == mail } }, [0, 1])
    try check(#Predicate { $0.angle == angle }, [0, 2])
    try check(#Predicate { $0.near == near }, [0, 1])
    let mails = [mail]
    try check(#Predicate { mails.contains($0.mail) }, [0, 1])
    let plain = Plain(rawValue: "b@x")
    try check(#Predicate { $0.plain == plain }, [2])
  }

  /// Where equality is that of what columns hold, indexes serve it.
  @Test func plans() throws {
    let context = try things()
    #expect(Thing.filter(\.plain == Plain(rawValue: "b@x")).explain(in: context, costs: false).contains("plain =="))
    #expect(!Thing.filter(\.plain == Plain(rawValue: "b@x")).explain(in: context, costs: false).contains("in Swift"))
    #expect(Thing.filter(\.mail == Folded(rawValue: "b@x")).explain(in: context, costs: false).contains("in Swift"))
    #expect(!Thing.filter(\.kind == .round).explain(in: context, costs: false).contains("in Swift"))
    #expect(!Thing.filter(\.lower == Lower(rawValue: "b")).explain(in: context, costs: false).contains("in Swift"))
  }

  /// Entities are told apart by what their ids are as texts; conditions by what Swift says.
  @Test func ids() throws {
    var context = Context()
    for (age, name) in ["Ann", "ANN", "Bo"].enumerated() {
      try Named(id: Named.Name(name), age: age).save(to: &context)
    }
    #expect(try Named.count(in: context) == 3)
    #expect(Named.query(Named.Name("ANN")).resolve(in: context)?.age == 1)
    #expect(Named.filter(\.id == Named.Name("ann")).resolve(in: context).map(\.age) == [0, 1])
    let bo = Named.Name("BO")
    #expect(try Named.include(#Predicate { $0.id == bo }).results(in: context).map(\.age) == [2])
  }
}
