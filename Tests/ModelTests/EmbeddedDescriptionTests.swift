import Foundation
import GQLite
import GQLiteModels
import Testing

@EmbeddedModel
private struct Origin: Codable, Equatable {
  var lat: Double
  var label: String?
}

@EntityModel
private struct Parcel {
  @HashIndex<Self>(\.from.label) private var labels
  @Index<Self>(\.from.lat) private var latitudes
  let id: Int
  var from: Origin
}

@EntityModel
private struct Chained {
  let id: Int
  var node: Node?
}

/// Holds others of its kind, and is described by hand.
private final class Node: EmbeddedModelProtocol, Equatable, Sendable {
  let name: String?
  let inner: Node?
  var unknown: Int? { nil }

  init(name: String?, inner: Node?) { (self.name, self.inner) = (name, inner) }

  static func == (left: Node, right: Node) -> Bool { left.name == right.name && left.inner == right.inner }

  private enum CodingKeys: CodingKey { case name, inner }
  private enum Unknown: CodingKey { case unknown, other }

  static func describe(_ model: inout EmbeddedDescription<Node>) {
    model.field(CodingKeys.name, \.name, \.?.name)
    model.field(CodingKeys.inner, \.inner, \.?.inner)
    model.field(CodingKeys.inner, \.inner, \.?.inner)
    model.field(Unknown.unknown, \.unknown, \.?.unknown)
  }
}

/// What types say of themselves that lie in entities.
@Suite struct EmbeddedDescriptionTests {
  /// Indexes of models over what an object holds have a column of their own.
  @Test func indexesOfModels() throws {
    var context = Context()
    for (number, city) in ["Bonn", "Ulm", "Bonn", "Kiel"].enumerated() {
      try Parcel(id: number, from: Origin(lat: Double(number), label: city)).save(to: &context)
    }
    for query in [
      Parcel.filter(\.from.label == "Bonn"), Parcel.include(#Predicate { $0.from.label == "Bonn" }).list,
      Parcel.filter(\.from.lat >= 2).sorted(by: \.from.lat.desc), Parcel.include(#Predicate { $0.from.lat >= 2 }).list,
    ] {
      #expect(query.resolve(in: context).count == 2)
      #expect(!query.explain(in: context).contains("in Swift"))
    }
    #expect(try GQLiteModels.schema(of: [Parcel.self]).contains("from: JSON!"))
  }

  /// Types that hold each other, and descriptions that name nothing of a schema, do no harm.
  @Test func oddDescriptions() throws {
    let database = try Database(
      schema: """
        type Inner { name: String other: Int } type Outer { name: String inner: Inner }
        type Chained { id: Int! node: Outer }
        """)
    try Chained(id: 1, node: Node(name: "a", inner: Node(name: "b", inner: nil))).save(to: database)
    try Chained(id: 2, node: nil).save(to: database)
    func ids(_ query: Query<Chained>) throws -> [Int] { try query.results(in: database).map(\.id) }
    #expect(try ids(Chained.include(#Predicate { $0.node?.name == "a" })) == [1])
    #expect(try ids(Chained.include(#Predicate { $0.node?.inner?.name == "b" })) == [1])
    #expect(try ids(Chained.include(#Predicate { $0.node?.inner?.inner == nil })) == [1, 2])
    #expect(try ids(Chained.include(#Predicate { $0.node?.unknown == nil })) == [1, 2])
    let named = Chained.include(#Predicate { $0.node?.name == "a" })
    #expect(!named.explain(in: database.entities).contains("in Swift"))
  }
}
