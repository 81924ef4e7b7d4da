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
private struct Order {
  @HashIndex<Self>(\.to?.label) private var labels
  @HashIndex<Self>(\.to?.lat) private var latitudes
  @HashIndex<Self>(\.to?.weight) private var weights
  let id: Int
  var to: Goal?
  @Relationship var next: Order? = nil
}

@EmbeddedModel
private struct Goal: Codable {
  var lat: Double
  var label: String?
  var weight: Float
}

/// An entity that also lies within others, where a class leads to it.
@EntityModel
private struct Staff: Codable {
  let id: Int
  var name: String
  var post: Post?

  enum CodingKeys: String, CodingKey {
    case id = "number"
    case name, post
  }
}

extension Staff: EmbeddedModelProtocol, Equatable {
  static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  static func describe(_ model: inout EmbeddedDescription<Self>) {
    model.field(CodingKeys.id, \.id, \.?.id)
    model.field(CodingKeys.name, \.name, \.?.name)
  }
}

private final class Post: EmbeddedModelProtocol, Equatable, Sendable {
  let holder: Staff?
  let deputy: Staff

  init(holder: Staff?, deputy: Staff) { (self.holder, self.deputy) = (holder, deputy) }

  static func == (left: Post, right: Post) -> Bool { left.holder == right.holder && left.deputy == right.deputy }

  private enum CodingKeys: CodingKey { case holder, deputy }

  static func describe(_ model: inout EmbeddedDescription<Post>) {
    model.field(CodingKeys.holder, \.holder, \.?.holder)
    model.field(CodingKeys.deputy, \.deputy, \.?.deputy)
  }
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
      Parcel.filter(\.from.label == "Bonn"), Parcel.include(#Predicate { $0.from.label == "Bonn" })._list,
      Parcel.filter(\.from.lat >= 2).sorted(by: \.from.lat.desc), Parcel.include(#Predicate { $0.from.lat >= 2 })._list,
    ] {
      #expect(query.resolve(in: context).count == 2)
      #expect(!query.explain(in: context).contains("in Swift"))
    }
    #expect(try GQLiteModels.schema(of: [Parcel.self]).contains("from: JSON!"))
  }

  /// A predicate finds the index of a key path through an optional, as a condition with that key path does.
  @Test func indexesThroughOptionals() throws {
    var context = Context()
    for (number, label) in ["Bonn", "Ulm", nil, "Bonn", "Kiel"].enumerated() {
      var order = Order(id: number)
      if let label { order.to = Goal(lat: Double(number), label: label, weight: 1.5) }
      if number == 1 { order.to?.label = nil }
      if number > 0 { order.$next = .id(number - 1) }
      try order.save(to: &context)
    }
    // Enough for an index to be worth it.
    for number in 100..<600 {
      let to = Goal(lat: Double(number), label: "label \(number)", weight: Float(number))
      try Order(id: number, to: to).save(to: &context)
    }
    func ids(_ query: Query<Order>) throws -> [Int] { try query.results(in: context).map(\.id).filter { $0 < 100 } }
    let weight: Float = 1.5
    let pairs: [(QueryList<Order>, Query<Order>, [Int])] = [
      (Order.filter(\.to?.label == "Bonn"), Order.include(#Predicate { $0.to?.label == "Bonn" }), [0, 3]),
      (Order.filter(\.to?.lat == 3), Order.include(#Predicate { $0.to?.lat == 3 }), [3]),
      (Order.filter(\.to?.weight == 1.5), Order.include(#Predicate { $0.to?.weight == weight }), [0, 1, 3, 4]),
      (
        Order.filter(\.to?.label == "Bonn"),
        Order.include(#Predicate { $0.to.flatMap { $0.label == "Bonn" } ?? false }), [0, 3]
      ),
    ]
    for (number, (condition, predicate, wanted)) in pairs.enumerated() {
      let plan = condition.explain(in: context, costs: false)
      #expect(plan.contains("access   Hash") && !plan.contains("in Swift"), "\(plan)")
      #expect(predicate._list.explain(in: context, costs: false) == plan, "\(number)")
      #expect(condition.resolve(in: context).map(\.id) == wanted)
      #expect(try ids(predicate) == wanted, "\(number)")
    }
    #expect(try ids(Order.include(#Predicate { $0.to?.label == nil })) == [1, 2])
    #expect(try ids(Order.include(#Predicate { $0.to?.label != "Bonn" })) == [1, 2, 4])
    #expect(
      try ids(Order.include(#Predicate { $0.to.flatMap { $0.label == nil } ?? false })) == [1]
    )
    #expect(
      try ids(Order.include(#Predicate { $0.to.flatMap { $0.label != "Bonn" } ?? true })) == [1, 2, 4])
    let next = Order.include(#Predicate { $0.next?.to?.label == "Bonn" })
    #expect(try ids(next) == [1, 4])
    #expect(!next.explain(in: context).contains("in Swift"))
  }

  /// What lies deep in an entity is not the entity, though it may be of its type.
  @Test func entitiesWithinEntities() throws {
    func check(_ ids: (Predicate<Staff>) throws -> [Int]) throws {
      #expect(try ids(#Predicate { $0.post?.holder?.name == "Bob" }) == [1])
      #expect(try ids(#Predicate { $0.post?.holder?.name != "Bob" }) == [2, 3])
      #expect(try ids(#Predicate { $0.post?.deputy.name == "Cid" }) == [1])
      #expect(try ids(#Predicate { $0.post.flatMap { $0.holder?.id == 2 } ?? false }) == [1])
      #expect(try ids(#Predicate { $0.post?.holder?.post == nil }) == [1, 2, 3])
      #expect(try ids(#Predicate { $0.post?.holder == nil }) == [2, 3])
      #expect(try ids(#Predicate { $0.name == "Bob" }) == [2])
    }
    let (bob, cid) = (
      Staff(id: 2, name: "Bob"), Staff(id: 3, name: "Cid", post: Post(holder: nil, deputy: Staff(id: 9, name: "Dan")))
    )
    let ann = Staff(id: 1, name: "Ann", post: Post(holder: bob, deputy: Staff(id: 3, name: "Cid")))
    var context = Context()
    for staff in [ann, bob, cid] { try staff.save(to: &context) }
    try check { try Staff.include($0).results(in: context).map(\.id) }
    // As embedded objects, where 'id' is a number that is no key.
    let database = try Database(
      schema: """
        type Holder { number: Int! name: String! post: JSON }
        type Post { holder: Holder deputy: Holder! }
        type Staff { id: Int! name: String! post: Post }
        """)
    for staff in [ann, bob, cid] { try staff.save(to: database) }
    try check { try Staff.include($0).results(in: database).map(\.id) }
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
