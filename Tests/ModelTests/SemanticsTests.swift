import Foundation
import GQLite
import GQLiteModels
import Testing

/// Single steps and corners of the models' interface that no document has an example of.
@Suite struct SemanticsTests {
  @EntityModel
  struct Node {
    @Index<Self>(\.weight.desc) private var weightIndex

    let id: Int
    var weight = 0
    var note: String?
    @Relationship(inverse: \.children) var parent: Node?
    @Relationship(inverse: \.parent) var children: [Node]?
    @Relationship var seen: [Node]? = nil
  }

  private func context(_ count: Int = 5) throws -> Context {
    var context = Context()
    for id in 0..<count { try Node(id: id, weight: id * 3 % 5).save(to: &context) }
    return context
  }

  // MARK: - Relations

  @Test func relationsTellWhatTheyAre() {
    var node = Node(id: 1)
    #expect(node.$parent.isNone && !node.$parent.isId && node.$parent.id == nil && node.$children.ids == nil)
    node.$parent = .null
    #expect(!node.$parent.isNone && !node.$parent.isId && !node.$parent.isFragment && node.$parent.id == nil)
    node.$parent = .id(7)
    #expect(node.$parent.isId && node.$parent.id == 7 && node.parent == nil)
    node.$parent = .fragment(Node(id: 8))
    #expect(node.$parent.isFragment && !node.$parent.isId && node.$parent.id == 8 && node.parent?.id == 8)
    node.$children = .ids([1, 2])
    #expect(node.$children.isId && !node.$children.isSlice && node.children?.isEmpty == true)
    node.$children = .appending(ids: [3])
    #expect(node.$children.isSlice && node.$children.ids == [3])
    node.$children = .appending(fragment: [Node(id: 4)])
    #expect(node.$children.isSlice && node.$children.isFragment && node.children?.map(\.id) == [4])
    node.$children.normalize()
    #expect(node.$children.isNone && node.normalized().$parent.isNone)
  }

  /// By their ids only.
  @Test func relationsAreEqualByIDs() {
    typealias Many = Relation<Node, Relations.Mutual, Relations.ToMany, Relations.Required>
    #expect(Many.none == .relation([]) && Many.ids([1]) == .relation([Node(id: 1)]) && Many.ids([1]) != .ids([2]))
    #expect(Many.ids([1, 2]) != .ids([2, 1]) && Many.ids([1]) == .appending(ids: [1]))
    #expect(Set([Many.ids([1]), .fragment([Node(id: 1, weight: 5)])]).count == 1)
  }

  @Test func savingWhatARelationHolds() throws {
    var context = Context()
    try Node(id: 1, children: .relation([Node(id: 2, weight: 7)])).$children.save(&context)
    #expect(context.ids(Node.self) == [2])
    var node = Node(id: 2, weight: 0, children: .ids([3]))
    node.$seen = .ids([2])
    try Node(id: 3).save(to: &context)
    // The relation and its links, and nothing else.
    try node.save(\.$children, inverse: \.$parent, to: &context)
    #expect(Node.query(2).resolve(in: context)?.weight == 7)
    #expect(Node.query(3).related(\.$parent).resolve(in: context)?.id == 2)
    #expect(Node.query(2).id(\.$seen).resolve(in: context)?.$seen.ids == [])
    try node.save(\.$seen, to: &context)
    #expect(Node.query(2).id(\.$seen).resolve(in: context)?.$seen.ids == [2])
  }

  @Test func detachingAndDeletingByID() throws {
    var context = Context()
    let node = Node(id: 1, children: .relation((2...7).map { Node(id: $0) }))
    func children() -> [Int] { Node.query(1).related(\.$children).resolve(in: context).map(\.id) }
    try node.save(to: &context)
    node.detach([2, 404], relation: \.$children, inverse: \.$parent, in: &context)
    node.detach(3, relation: \.$children, in: &context)
    #expect(children() == [4, 5, 6, 7] && context.ids(Node.self).count == 7)
    try node.delete([4], relation: \.$children, from: &context)
    try node.delete(5, 404, relation: \.$children, inverse: \.$parent, from: &context)
    #expect(children() == [6, 7] && context.ids(Node.self) == [1, 2, 3, 6, 7])
    try node.delete(\.$children, from: &context)
    #expect(children().isEmpty && context.ids(Node.self) == [1, 2, 3])
    node.detach(\.$children, in: &context)
    Node(id: 404).detach(\.$children, in: &context)
    // What is not linked is not touched.
    node.detach(2, relation: \.$children, in: &context)
    #expect(Database(context).check() == [])
  }

  // MARK: - Contexts

  @Test func rawSteps() throws {
    var context = try context(3)
    #expect(context.ids(Node.self) == [0, 1, 2] && context.all().map { (node: Node) in node.id } == [0, 1, 2])
    let found: Node? = context.find(1)
    #expect(found?.weight == 3)
    let some: [Node?] = context.findAll([2, 404])
    #expect(some.map { $0?.id } == [2, nil])
    let existing: [Node] = context.findAllExisting([2, 404, 2])
    #expect(existing.map(\.id) == [2, 2])
    // What it knows of relations is passed over.
    try context.insert(Node(id: 9, children: .relation([Node(id: 10)])))
    #expect(context.ids(Node.self) == [0, 1, 2, 9])
    try context.insert(Node?.none)
    try context.insert([Node(id: 1, note: "n"), Node(id: 11)], options: .fragment)
    try context.insert(Node(id: 1, weight: 4), options: .fragment)
    #expect(Node.query(1).resolve(in: context)?.note == "n")
    #expect(Node.filter(\.weight == 4).resolve(in: context).map(\.id) == [1])
    try context.remove(Node.self, id: 1)
    try context.remove(Node.self, id: 1)
    #expect(Deleted<Node>.query(1).resolve(in: context) == nil)
    try context.removeAll(Node.self)
    #expect(context.ids(Node.self).isEmpty && Deleted<Node>.query().resolve(in: context).isEmpty)
  }

  @Test func deletedEntities() throws {
    var context = try context(3)
    try Deleted(Node(id: 7, note: "never saved")).save(to: &context)
    #expect(Deleted<Node>.query(7).resolve(in: context)?.entity.note == "never saved")
    #expect(Node.query(7).resolve(in: context) == nil)
    let deleted = try #require(Deleted<Node>.query(7).resolve(in: context))
    #expect(deleted.id == 7 && deleted.asDeleted(in: context) == nil && deleted.updatedAt(in: context) != nil)
    #expect(Deleted<Node>.filter(.updated(within: .distantPast ... .distantFuture)).resolve(in: context).count == 1)
    try Node(id: 404).delete(from: &context)
    #expect(Deleted<Node>.query().resolve(in: context).map(\.id) == [7])
    // Saving the entity again, in whatever way, forgets it.
    try Node(id: 0, children: .relation([Node(id: 7)])).save(to: &context)
    #expect(Deleted<Node>.query().resolve(in: context).isEmpty)
  }

  // MARK: - Queries

  @Test func waysToAsk() throws {
    let context = try context()
    #expect(Node(id: 3).query().resolve(in: context)?.weight == 4)
    #expect([Node(id: 3), Node(id: 1)].query().resolve(in: context).map(\.id) == [3, 1])
    #expect([Node.query(3), Node.query(404), Node.query(0)].resolve(in: context).map(\.id) == [3, 0])
    #expect(Node.query(3).filter(\.weight == 4).and(\.id == 3).resolve(in: context)?.id == 3)
    let groups = Node.query([1, 2]).related(\.$children)
    #expect(groups.resolve(in: context).map(\.count) == [0, 0])
    #expect(groups.flatMap { $0.filter(\.id > 0) }.resolve(in: context).isEmpty)
    #expect(
      Node.query().limit(-1).resolve(in: context).isEmpty && Node.query().limit(9).resolve(in: context).count == 5)
    #expect(Node.query().limit(2, offset: 4).resolve(in: context).map(\.id) == [4])
    #expect(Node.query().limit(2, offset: 5).resolve(in: context).isEmpty)
    #expect(Node.filter(\.id > 100).first().resolve(in: context) == nil)
    #expect(Node.filter(\.id > 100).last().resolve(in: context) == nil)
  }

  @Test func orders() throws {
    var context = try context()
    func ids(_ list: QueryList<Node>) -> [Int] { list.resolve(in: context).map(\.id) }
    // 0, 3, 1, 4, 2: what is equal keeps its order, in both directions.
    try Node(id: 5, weight: 3).save(to: &context)
    #expect(ids(Node.query().sorted(by: \.weight)) == [0, 2, 4, 1, 5, 3])
    #expect(ids(Node.query().sorted(by: \.weight.desc)) == [3, 1, 5, 4, 2, 0])
    #expect(ids(Node.query().sorted(by: \.weight.desc).limit(3)) == [3, 1, 5])
    #expect(ids(Node.query().sorted(by: \.weight, \.id.desc)) == [0, 2, 4, 5, 1, 3])
    #expect(ids(Node.query().sorted(by: .updatedAt)) == [0, 1, 2, 3, 4, 5])
    // A later order is the first key.
    #expect(ids(Node.query().sorted(by: \.id.desc).sorted(by: \.weight)) == [0, 2, 4, 5, 1, 3])
    #expect(ids(Node.filter(\.weight >= 2).sorted(by: \.weight.desc).limit(2, offset: 1)) == [1, 5])
    // An index in the other direction serves conditions too.
    #expect(ids(Node.filter(\.weight.desc < 3.desc)) == [3] && ids(Node.filter(\.weight.desc >= 3.desc)).count == 5)
  }

  @Test func bulkFormsOfSlices() throws {
    var context = Context()
    try Node(id: 1, children: .relation([Node(id: 2), Node(id: 3, parent: .none)])).save(to: &context)
    func node(_ query: Query<Node>) throws -> Node { try #require(query.resolve(in: context)) }
    let slice = try node(Node.query(1).fragment(slice: \.$children) { $0.filter(\.id > 2) })
    #expect(slice.$children.isSlice && slice.$children.isFragment && slice.$children.ids == [3])
    let ids = try node(Node.query(1).id(slice: \.$children) { $0.limit(1) })
    #expect(ids.$children.isSlice && ids.$children.isId && ids.$children.ids == [2])
    let up = try node(Node.query(2).fragment(\.$parent) { $0.id(\.$children) })
    #expect(up.$parent.isFragment && up.parent?.$children.ids == [2, 3])
    #expect(try node(Node.query(1).with(\.$parent)).$parent.isNone)
    // A list comes with it as one does.
    let list = Node.filter(\.id > 1).with(.entities, .ids).resolve(in: context)
    #expect(list.map { $0.parent?.$children.ids } == [[2, 3], [2, 3]])
  }

  /// Every save moves the time, changed or not, and nested ones too.
  @Test func updatedAt() throws {
    var context = try context(2)
    func time(_ id: Int) -> Date { Node(id: id).updatedAt(in: context) ?? .distantPast }
    let first = time(0)
    Thread.sleep(forTimeInterval: 0.001)
    try Node(id: 1, children: .relation([Node(id: 0)])).save(to: &context)
    #expect(time(0) > first && time(1) >= time(0))
    #expect(Node.query().sorted(by: .updatedAt.desc).resolve(in: context).count == 2)
  }

  /// What is written by hand may go over its properties in any order.
  @Test func propertiesInAnyOrder() throws {
    var context = Context()
    typealias Card = ByHand<InAnyOrder>
    let card = Card(
      id: 1, name: "Ann", mail: "a@b.c", first: .b, others: [.c, .d], third: .init(x: 3), one: .init(z: 1),
      two: .init(z: 2))
    try card.save(to: &context)
    try Card(id: 2).save(to: &context)
    #expect(try Card.results(in: context) == [card, Card(id: 2)])
    #expect(Card.query(1).resolve(in: context) == card)
    #expect(
      try context.query("{ ByHand_InAnyOrder(where: id == 1) { name mail first others third } }").jsonString
        == #"{"ByHand_InAnyOrder":[{"name":"Ann","mail":"a@b.c","first":"b","others":["c","d"],"third":{"x":3}}]}"#)
    var patch = Card(id: 1)
    patch.name = "Bob"
    try patch.save(to: &context, options: .append(\.others))
    #expect(Card.query(1).resolve(in: context)?.others == [.c, .d])
  }

  /// It reads and writes what it describes, or nothing.
  @Test func propertiesThatAreNotDescribed() throws {
    var context = Context()
    func check<Kind>(_ type: Kind.Type, _ words: String) throws {
      try ByHand<Kind>(id: 1).save(to: &context)
      #expect(throws: ModelError.unreadable(words)) { try ByHand<Kind>.results(in: context) }
      #expect(ByHand<Kind>.query(1).resolve(in: context) == nil)
    }
    try check(WithAnotherName.self, "ByHand<WithAnotherName> describes no property 'nam'")
    try check(
      WithAnotherType.self, "ByHand<WithAnotherType> describes 'mail' as String, not as Optional<String>")
    try check(WithAnotherEnum.self, "ByHand<WithAnotherEnum> describes 'others' as Array<Second>, not as Array<First>")
    try check(WithAnotherValue.self, "ByHand<WithAnotherValue> describes 'one' as Opaque, not as Third")
    func refuse<Kind>(_ type: Kind.Type, _ words: String) {
      #expect(throws: ModelError.unwritable("ByHand<\(Kind.self)>", words)) {
        try ByHand<Kind>(id: 1).save(to: &context)
      }
      #expect((try? ByHand<Kind>.isEmpty(in: context)) == true)
    }
    refuse(WithoutWriting.self, "it does not write 'mail', 'two'")
    refuse(WritingTwice.self, "it does not write 'mail'")
    refuse(WritingAnotherType.self, "ByHand<WritingAnotherType> describes 'mail' as String, not as Int")
    refuse(WritingAnotherName.self, "ByHand<WritingAnotherName> describes no property 'nam'")
  }

  @Test func statements() {
    #expect("\(Errors.uniqueValueIndexViolation(existing: "1", new: "2", indexName: "i"))".contains("'i'"))
    #expect(3.desc < 2.desc && 3.desc == 3.desc && !(2.desc < 3.desc))
  }
}

private enum InAnyOrder {}
private enum WithAnotherName {}
private enum WithAnotherType {}
private enum WithAnotherEnum {}
private enum WithAnotherValue {}
private enum WithoutWriting {}
private enum WritingTwice {}
private enum WritingAnotherType {}
private enum WritingAnotherName {}

/// Reads and writes in another order than it describes, and makes another mistake by its `Kind`.
private struct ByHand<Kind>: EntityModelProtocol, Equatable {
  enum First: String, CaseIterable { case a, b }
  enum Second: String, CaseIterable { case c, d }
  struct Third: Codable, Equatable { var x = 0 }
  struct Opaque: Equatable { var z = 0 }

  let id: Int
  var name = ""
  var mail = ""
  var first = First.a
  var others: [Second] = []
  var third = Third()
  var one = Opaque()
  var two = Opaque()

  init(
    id: Int, name: String = "", mail: String = "", first: First = .a, others: [Second] = [], third: Third = Third(),
    one: Opaque = Opaque(), two: Opaque = Opaque()
  ) {
    self.id = id
    self.name = name
    self.mail = mail
    self.first = first
    self.others = others
    self.third = third
    self.one = one
    self.two = two
  }

  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("name", \.name)
    model.property("mail", \.mail)
    model.property("first", \.first)
    model.property("others", \.others)
    model.property("third", \.third)
    model.property("one", \.one)
    model.property("two", \.two)
  }

  init(from row: inout EntityReader<Self>) throws {
    mail = try row.read("mail")
    if Kind.self == WithAnotherType.self {
      let text: String? = try row.read("mail")
      mail = text ?? ""
    }
    name = try row.read(Kind.self == WithAnotherName.self ? "nam" : "name")
    id = try row.read("id")
    two = try row.read("two")
    if Kind.self == WithAnotherEnum.self {
      let _: [First] = try row.read("others")
    }
    others = try row.read("others")
    third = try row.read(Kind.self == WithAnotherValue.self ? "one" : "third")
    one = try row.read("one")
    first = try row.read("first")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(one, as: "one")
    if Kind.self == WritingAnotherType.self {
      try row.write(7, as: "mail")
    } else if Kind.self == WritingTwice.self {
      try row.write(one, as: "one")
    } else if Kind.self != WithoutWriting.self {
      try row.write(mail, as: "mail")
    }
    try row.write(name, as: Kind.self == WritingAnotherName.self ? "nam" : "name")
    try row.write(id, as: "id")
    try row.write(first, as: "first")
    try row.write(third, as: "third")
    try row.write(others, as: "others")
    if Kind.self != WithoutWriting.self { try row.write(two, as: "two") }
  }

  static var patch: MergeStrategy<Self> { MergeStrategy() }
}
