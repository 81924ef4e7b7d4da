import Foundation
import GQLEngine
import GQLiteState
import Testing

/// Editing contexts over databases, and over each other.
@Suite struct ContextTests {
  @Model(id: 1)
  final class Item {
    @Property(id: 1) var name: String
    @Property(id: 2) var count: Int
    @Reference(id: 3) var next: Item?
    @ReferenceList(id: 4) var others: [Item]
  }

  @Test func nothingIsSeenBefore() {
    let database = InMemoryDatabase()
    let kept = Item.create(in: database, id: 1, name: "kept", count: 1)
    let gone = Item.create(in: database, id: 2, name: "gone", count: 2)
    let context = database.createEditingContext()
    let new = Item.create(in: context, id: 3, name: "new", count: 3, next: kept, others: [gone, kept])
    context.get(id: 2, of: Item.self)?.delete()
    let draft: Item? = context.get(id: 1)
    draft?.count = 10
    #expect(context.all(of: Item.self).map(\.id) == [1, 3])
    #expect(new.next?.count == 10 && new.others.map(\.status) == [.deleted, .created])
    #expect(database.all(of: Item.self).map(\.id) == [1, 2] && kept.count == 1)
    // What the context has not changed is the database's.
    kept.name = "changed"
    #expect(draft?.name == "changed")
    let version = database.gqlite.version
    #expect(context.commitChanges())
    #expect(database.gqlite.version == version + 1)
    #expect(database.all(of: Item.self).map(\.id) == [1, 3] && kept.count == 10 && gone.status == .deleted)
    #expect(database.get(id: 3, of: Item.self)?.others.map(\.id) == [2, 1])
    #expect(!context.hasChanges && context.commitChanges())
  }

  @Test func discarding() {
    let database = InMemoryDatabase()
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let context = database.createEditingContext()
    let draft: Item? = context.get(id: 1)
    draft?.deleteAndClearProperties()
    _ = context.create(id: 2, of: Item.self)
    #expect(draft?.status == .deleted && draft?.name == "" && context.hasChanges)
    context.discardChanges()
    #expect(draft?.status == .created && draft?.name == "a" && context.get(id: 2, of: Item.self) == nil)
    context.commitChanges()
    #expect(item.name == "a")
  }

  @Test func clearingInAContext() {
    let database = InMemoryDatabase()
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let context = database.createEditingContext()
    context.get(id: 1, of: Item.self)?.deleteAndClearProperties()
    context.commitChanges()
    #expect(item.status == .deleted && item.name == "")
    #expect(database.get(Path(1, 1, 1)) as String? == nil)
  }

  @Test func contextsOfContexts() {
    let database = InMemoryDatabase()
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let outer = database.createEditingContext()
    let inner = outer.createEditingContext()
    inner.get(id: 1, of: Item.self)?.count = 5
    _ = inner.create(id: 2, of: Item.self)
    #expect(outer.get(id: 1, of: Item.self)?.count == 1)
    inner.commitChanges()
    #expect(outer.get(id: 1, of: Item.self)?.count == 5 && item.count == 1)
    #expect(outer.all(of: Item.self).map(\.id) == [1, 2])
    outer.commitChanges()
    #expect(item.count == 5 && database.all(of: Item.self).map(\.id) == [1, 2])
  }

  @Test func aRefusedCommitKeepsItsChanges() throws {
    let database = InMemoryDatabase()
    _ = Item.create(in: database, id: 1, name: "a", count: 1)
    _ = Item.create(in: database, id: 2, name: "b", count: 2)
    try database.gqlite.changeSchema(
      to: database.gqlite.schema.replacingOccurrences(of: "name: String", with: "name: String @unique"))
    let context = database.createEditingContext()
    context.get(id: 1, of: Item.self)?.count = 9
    context.get(id: 2, of: Item.self)?.name = "a"
    #expect(!context.commitChanges())
    #expect(context.hasChanges && database.errors.last?.code == "refused")
    #expect(database.get(id: 1, of: Item.self)?.count == 1)
    context.get(id: 2, of: Item.self)?.name = "c"
    #expect(context.commitChanges())
    #expect(database.get(id: 1, of: Item.self)?.count == 9)
  }

  @Test func contextsOverAView() {
    let database = InMemoryHistoryDatabase()
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let context = database.createEditingContextWithCurrentState()
    _ = database.create(id: 2, of: Item.self)
    item.delete()
    #expect(context.all(of: Item.self).map(\.id) == [1])
    context.get(id: 1, of: Item.self)?.count = 4
    context.commitChanges()
    #expect(item.count == 4 && item.status == .deleted)
    #expect(context.all(of: Item.self).map(\.id) == [2])
    #expect(database.errors.recent == [])
  }

  @Test func contextsOverObservedDatabases() {
    let database = ObservableDatabase(wrapping: InMemoryDatabase())
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let context = database.createEditingContext()
    context.get(id: 1, of: Item.self)?.count = 2
    let told = Flag()
    told.observe { _ = item.count }
    #expect(item.count == 1 && !told.isSet)
    context.commitChanges()
    #expect(told.isSet && item.count == 2)
  }
}
