import Foundation
import GQLite
import GQLiteModels
import Testing

/// What SwiftletModel's and swift-query's own tests ask for beside what their documents show.
@Suite struct SwiftletModelTests {
  @EntityModel
  struct Shop: Codable, Equatable {
    let id: String
    var size: Int?
    @Relationship(inverse: \.shop) var clerks: [Clerk]?
    @Relationship var owner: Clerk? = nil
  }

  @EntityModel
  struct Clerk: Codable, Equatable {
    let id: String
    var name: String?
    @Relationship(inverse: \.clerks) var shop: Shop?
    @Relationship(.required) var post: Post?
  }

  /// Has nothing but an id.
  @EntityModel
  struct Post: Codable, Equatable { let id: String }

  /// Has nothing but an id and relations.
  @EntityModel
  struct Hub: Codable, Equatable {
    let id: String
    @Relationship var posts: [Post]? = nil
    @Relationship var next: Hub? = nil
  }

  /// Keeps nothing of itself when it is deleted.
  @EntityModel
  struct Secret: Equatable {
    let id: Int
    var text: String
    @Relationship(deleteRule: .cascade) var parts: [Secret]? = nil
    @Relationship(deleteRule: .cascade) var note: Note? = nil
    func asDeleted(in context: Context) -> Deleted<Self>? { text == "kept" ? Deleted(self) : nil }
  }

  @EntityModel
  struct Note: Equatable {
    let id: Int
    @Relationship(deleteRule: .cascade) var secret: Secret? = nil
  }

  @EntityModel
  struct Hooked {
    let id: Int
    var text: String
    mutating func willSave(to context: inout Context) throws { try Log(id: "will \(id)").save(to: &context) }
    func didSave(to context: inout Context) throws { try Log(id: "did \(id)").save(to: &context) }
  }
  @EntityModel
  struct Log { let id: String }

  @Test(arguments: [RelationDecodingStrategy.keyedContainer, .explicitKeyedContainer])
  func nullAsAnObjectIsNoTarget(_ strategy: RelationDecodingStrategy) throws {
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = strategy
    func clerk(_ shop: String) throws -> Clerk {
      try decoder.decode(Clerk.self, from: Data(#"{"id": "1", "shop": \#(shop), "post": {"object": null}}"#.utf8))
    }
    var context = try Context(for: Clerk.self)
    try Clerk(id: "1", shop: .relation(Shop(id: "s")), post: .id("p")).save(to: &context)
    let read = try clerk(#"{"object": null}"#)
    #expect(!read.$shop.isNone && read.shop == nil)
    // One that is required cannot have none.
    #expect(read.$post.isNone)
    try read.save(to: &context)
    #expect(Clerk.query("1").with(\.$shop).resolve(in: context)?.shop == nil)
    #expect(try clerk("null").$shop.isNone)
    #expect(try clerk(#"{"object": {"id": "s", "size": null, "clerks": null, "owner": null}}"#).shop?.id == "s")
  }

  @Test func anIDIsAnEntityThatHasNothingElse() throws {
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = .plain
    let clerk = try decoder.decode(
      Clerk.self, from: Data(#"{"id": "1", "name": null, "shop": {"id": "s"}, "post": {"id": "p"}}"#.utf8))
    #expect(clerk.post == Post(id: "p") && !clerk.$post.isId)
    #expect(clerk.shop == nil && clerk.$shop.id == "s")
    var context = Context()
    try clerk.save(to: &context)
    #expect(Post.query("p").resolve(in: context) == Post(id: "p"))
    // Of one that has relations only, the id says nothing of these.
    let json = Data(#"{"id": "1", "posts": [{"id": "p"}], "next": {"id": "2"}}"#.utf8)
    let hub = try decoder.decode(Hub.self, from: json)
    #expect(hub.next == nil && hub.$next.id == "2" && hub.posts == [Post(id: "p")])
  }

  @Test func deletingARelationTakesItsWaitingLinks() throws {
    var context = Context()
    var shop = Shop(id: "s", clerks: .ids(["1", "2", "3"]))
    shop.$owner = .id("9")
    try shop.save(to: &context)
    try Clerk(id: "1").save(to: &context)
    try shop.delete("2", relation: \.$clerks, inverse: \.$shop, from: &context)
    try Clerk(id: "2").save(to: &context)
    try Clerk(id: "3").save(to: &context)
    #expect(Shop.query("s").with(\.$clerks).resolve(in: context)?.clerks?.map(\.id) == ["1", "3"])
    try shop.delete(\.$clerks, inverse: \.$shop, from: &context)
    #expect(Clerk.query().resolve(in: context).map(\.id) == ["2"])
    try shop.delete(\.$owner, from: &context)
    try Clerk(id: "9").save(to: &context)
    #expect(Shop.query("s").id(\.$owner).resolve(in: context)?.$owner.id == nil)
    // What was deleted is restored with its links.
    try Deleted<Clerk>.query("1").resolve(in: context)?.restore(in: &context)
    #expect(Shop.query("s").with(\.$clerks).resolve(in: context)?.clerks?.map(\.id) == ["1"])
  }

  @Test func whatNobodyWantsKeptIsNotKept() throws {
    var context = Context()
    var whole = Secret(id: 1, text: "gone")
    whole.$parts = .relation([Secret(id: 2, text: "kept"), Secret(id: 3, text: "gone")])
    whole.$note = .relation(Note(id: 1))
    try whole.save(to: &context)
    try Secret.delete(id: 1, from: &context)
    #expect(Secret.query().resolve(in: context).isEmpty && Note.query().resolve(in: context).isEmpty)
    #expect(Deleted<Secret>.query().resolve(in: context).map(\.id) == [2])
    #expect(Deleted<Note>.query().resolve(in: context).map(\.id) == [1])
    // Who is kept comes back without it.
    try Deleted<Secret>.query(2).resolve(in: context)?.restore(in: &context)
    try Deleted<Note>.query(1).resolve(in: context)?.restore(in: &context)
    #expect(Secret.query().resolve(in: context).map(\.id) == [2])
    // All of a query, and by a rule of another type.
    var note = Note(id: 2)
    note.$secret = .relation(Secret(id: 4, text: "gone"))
    try note.save(to: &context)
    try Note.deleteAll(in: &context)
    #expect(Deleted<Secret>.query().resolve(in: context).isEmpty)
    #expect(Deleted<Note>.query().resolve(in: context).map(\.id).sorted() == [1, 2])
    let database = Database(context)
    try Secret(id: 5, text: "gone").save(to: database)
    try Secret.delete(id: 5, from: database)
    #expect(try Deleted<Secret>.count(in: database) == 0 && database.check().isEmpty)
  }

  /// What comes back was saved before, and its hooks ran then.
  @Test func restoringCallsNoHooks() throws {
    var context = Context()
    try Hooked(id: 1, text: "a").save(to: &context)
    try Hooked.delete(id: 1, from: &context)
    try Log.deleteAll(in: &context)
    try Deleted<Hooked>.query(1).resolve(in: context)?.restore(in: &context)
    #expect(Hooked.query(1).resolve(in: context)?.text == "a")
    #expect(Log.query().resolve(in: context).isEmpty)
    try Hooked.delete(id: 1, from: &context)
    try Deleted<Hooked>.query(1).resolve(in: context)?.entity.save(to: &context)
    #expect(Log.query().resolve(in: context).map(\.id) == ["will 1", "did 1"])
    #expect(Deleted<Hooked>.query().resolve(in: context).isEmpty)
  }

  @Test func metadataPredicatesFilter() throws {
    var context = Context()
    try Shop(id: "a").save(to: &context)
    try Shop(id: "b").save(to: &context)
    let now = MetadataPredicate.updated(within: Date(timeIntervalSinceNow: -60)...Date(timeIntervalSinceNow: 60))
    let past = MetadataPredicate.updated(within: Date.distantPast...Date(timeIntervalSinceNow: -60))
    #expect(Shop.filter(now).resolve(in: context).map(\.id) == ["a", "b"])
    #expect(Shop.filter(past).resolve(in: context).isEmpty)
    #expect(Shop.query().sorted(by: .updatedAt).last().filter(now).resolve(in: context)?.id == "b")
    #expect(Shop.query("a").filter(past).resolve(in: context) == nil)
    #expect(Shop.query().filter(now).limit(1).resolve(in: context).map(\.id) == ["a"])
    #expect(Shop.filter(\.id == "b").and(.filter(now)).resolve(in: context).map(\.id) == ["b"])
    // Without a type it is still the other condition.
    #expect(Shop.filter(.updated(within: Date.distantPast...Date.distantFuture)).resolve(in: context).count == 2)
  }

  @Test func fetchesWithoutAQuery() throws {
    let database = Database()
    try Database.withShared(database) {
      @FetchAll var shops: [Shop]
      @FetchFirst var first: Shop?
      @FetchResults var results: FetchResultsCollection<Shop>?
      @FetchResults(Shop.filter(\.size > 3)) var large: FetchResultsCollection<Shop>?
      #expect(shops.isEmpty && first == nil)
      #expect(results == nil && large == nil)
      try Shop(id: "a").save(to: database)
      #expect(shops.map(\.id) == ["a"] && first?.id == "a" && results?.map(\.id) == ["a"])
      #expect(large?.isEmpty == true)
      try Shop.deleteAll(in: database)
      #expect(shops.isEmpty && results?.isEmpty == true)
      let other = FetchAll<Shop>(in: Database())
      #expect(other.wrappedValue.isEmpty)
    }
  }

  @Test func queriesDescribeThemselves() {
    let query = Person.filter(\.age > 3)
    #expect(query.description == "Person(where: age > 3)")
    #expect("\(Person.query())" == "Person")
    #expect("\(Person.query("a"))" == #"person(id: "a")"#)
    #expect("\(query.sorted(by: \.id.desc).limit(2))" == "Person(where: age > 3, orderBy: -id, limit: 2)")
    #expect(
      "\(query.limit(2).filter(\.id == "a"))" == "Person(where: age > 3, limit: 2)\nthen Person(where: id == \"a\")")
    #expect("\(Person.query().with(\.$pets) { $0.limit(1) })" == "Person { pets(limit: 1) }")
    #expect("\(Person.filter(\.id.count == 3))" == "Person\nin Swift: filter by 1 condition")
    #expect("\(Person.include(#Predicate { ($0.nickname ?? "") > "a" }))" == #"Person(where: nickname ?? "" > "a")"#)
    #expect(
      "\(query.and(Person.query(["a", "b"])))"
        == "both of\n  Person(where: age > 3)\n  Person: 2 ids, each by Person.id")
    #expect("\(Person.query("a").related(\.$pets).limit(3))" == #"person(id: "a") { pets(limit: 3) }"#)
  }
}

/// Names that are called otherwise here are still understood.
@Suite struct FormerNameTests {
  @Test func oldNamesCompile() throws {
    // Called by way of a protocol, because calling what is deprecated is a warning.
    let names: any FormerNames = OldProgram()
    try names.check()
  }
}

private protocol FormerNames {
  func check() throws
}

private struct OldProgram: FormerNames {
  private typealias Shop = SwiftletModelTests.Shop
  private typealias Clerk = SwiftletModelTests.Clerk

  @available(*, deprecated)
  func check() throws {
    let condition: StringPredicate<Shop> = .string(\.id, contains: "a")
    let equality: EqualityPredicate<Shop, String> = \.id == "a"
    let one: QueryModifier<Shop> = { $0.filter(equality) }
    let many: QueryListModifier<Clerk> = { $0.limit(1) }
    let rule: Relations.DeleteRule = .cascade
    let order: Metadata = .updatedAt
    var shop = Shop(id: "a")
    let clerks: ToManyRelation<Clerk, Relations.Mutual, Relations.Required> = .ids(["1"])
    let same: OneToManyRelation<Clerk, Relations.Required> = clerks
    let other: ManyToManyRelation<Clerk, Relations.Required> = same
    shop.$clerks = other
    let owner: ToOneRelation<Clerk, Relations.OneWay, Relations.Optional> = .null
    let sameOwner: OneWayRelation<Clerk, Relations.ToOne, Relations.Optional> = owner
    shop.$owner = sameOwner
    let place: ManyToOneRelation<Shop, Relations.Optional> = .id("a")
    let samePlace: OneToOneRelation<Shop, Relations.Optional> = place
    func isToMany<Cardinality: CardinalityProtocol>(_ type: Cardinality.Type) -> Bool { type._isToMany }
    func isOneWay<Way: DirectionalityProtocol>(_ type: Way.Type) -> Bool { type == Relations.OneWay.self }
    func isOptional<Some: ConstraintsProtocol>(_ type: Some.Type) -> Bool { type == Relations.Optional.self }
    #expect(isToMany(Relations.ToMany.self) && isOneWay(Relations.OneWay.self) && isOptional(Relations.Optional.self))
    var context = Context()
    try shop.save(to: &context)
    var clerk = Clerk(id: "1")
    clerk.$shop = samePlace
    try clerk.save(to: &context)
    #expect(one(Shop.query("a")).filter(condition).with(\.$clerks, many).resolve(in: context)?.clerks?.count == 1)
    #expect(rule == DeleteRule.cascade && order == MetadataOrder.updatedAt)
  }
}
