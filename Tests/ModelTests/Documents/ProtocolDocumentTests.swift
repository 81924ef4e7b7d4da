import Foundation
import GQLiteModels
import Testing

/// "EntityModelProtocol definitions", saving, deleting, metadata, and the types of relations.
@Suite struct ProtocolDocumentTests {
  @EntityModel
  struct Note {
    let id: String
    var text: String
    var extra: String?
    @Relationship(deleteRule: .cascade, inverse: \.note)
    var attachment: File?
    @Relationship var others: [Note]? = nil
  }

  @EntityModel
  struct File {
    let id: String
    @Relationship(inverse: \.attachment) var note: Note?
  }

  /// All that the protocol has, called by whoever knows no more than that.
  private func exercise<Entity: EntityModelProtocol>(_ entity: Entity, in context: inout Context) throws -> [String] {
    var copy = entity
    copy.normalize()
    try copy.willSave(to: &context)
    try copy.save(to: &context, options: Entity.defaultMergeStrategy)
    try copy.save(to: &context, options: Entity.fragmentMergeStrategy)
    try copy.save(to: &context, options: Entity.patch)
    try copy.saveMetadata(to: &context)
    try copy.didSave(to: &context)
    var seen = [copy.id.description]
    let all: QueryList<Entity> = DocumentQueries.shared.all(with: .ids, context)
    seen += all.resolve(in: context).map(\.id.description)
    let query = DocumentQueries.shared.modified(Entity.query(copy.id), context, nested: [.ids])
    seen += [query.resolve(in: context)].compactMap { $0?.id.description }
    try copy.willDelete(from: &context)
    let deleted: Deleted<Entity>? = copy.asDeleted(in: context)
    seen += [deleted].compactMap { $0?.id.description }
    try copy.deleteMetadata(from: &context)
    try copy.delete(from: &context)
    try copy.didDelete(from: &context)
    seen += Entity.query().resolve(in: context).map(\.id.description)
    return seen
  }

  @Test func protocolRequirements() throws {
    var context = Context()
    #expect(try exercise(Note(id: "1", text: "x"), in: &context) == ["1", "1", "1", "1"])
    #expect(Note.indexedKeyPathName(\.text) == "text" && Note.indexedKeyPathName(\.text.count) == nil)
  }

  @Test func contextsAndFragments() throws {
    var context = Context()
    #expect(Note.query().resolve(in: context).isEmpty)
    try Note(id: "1", text: "x", extra: "kept").save(to: &context)
    let note = Note(id: "1", text: "y")
    try note.save(to: &context, options: .fragment)
    #expect(Note.query("1").resolve(in: context)?.extra == "kept")
    #expect(Note.query("1").resolve(in: context)?.text == "y")
  }

  @Test func deleting() throws {
    var context = Context()
    try Note(id: "1", text: "x", attachment: .relation(File(id: "f"))).save(to: &context)
    try Note(id: "2", text: "y", others: [Note(id: "1", text: "x")]).save(to: &context)
    let note = Note(id: "1", text: "")
    try note.delete(from: &context)
    // It is kept as it was saved, and with it what the rule took away.
    let deleted = try #require(Deleted<Note>.query("1").resolve(in: context))
    #expect(deleted.entity.text == "x" && Note.query("1").resolve(in: context) == nil)
    #expect(File.query().resolve(in: context).isEmpty && Deleted<File>.query("f").resolve(in: context) != nil)
    #expect(Note.query("2").related(\.$others).resolve(in: context).isEmpty)
    try deleted.restore(in: &context)
    #expect(Note.query("1").related(\.$attachment).resolve(in: context)?.id == "f")
    #expect(Deleted<Note>.query("1").resolve(in: context) == nil)
  }

  @Test func incrementalSync() throws {
    var context = Context()
    try Note(id: "1", text: "x").save(to: &context)
    // Track last sync time
    var lastSyncDate = Date.distantPast

    // Query only entities that changed since last sync
    let updatedEntities =
      Note
      .filter(.metadata(\.updatedAt, within: lastSyncDate...Date()))
      .resolve(in: context)
    #expect(updatedEntities.map(\.id) == ["1"])

    // Update sync timestamp
    lastSyncDate = Date().addingTimeInterval(1)
    #expect(
      Note.filter(.metadata(\.updatedAt, within: lastSyncDate...Date.distantFuture)).resolve(in: context).isEmpty)
  }

  @Test func relationTypes() {
    typealias Any4<
      E: EntityModelProtocol, D: _RelationDirectionality, C: _RelationCardinality, X: _RelationConstraints
    > = Relation<E, D, C, X>
    #expect(
      type(of: Note(id: "", text: "").$others)
        == Any4<Note, Relations.OneWay, Relations.ToMany, Relations.Required>.self)
    #expect(
      type(of: Note(id: "", text: "").$attachment)
        == Any4<File, Relations.Mutual, Relations.ToOne, Relations.Optional>.self)
  }
}
