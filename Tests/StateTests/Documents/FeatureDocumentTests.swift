import Foundation
import GQLiteState
import Testing

/// The document's chapters on caches, history and editing contexts.
@Suite struct FeatureDocumentTests {
  @Model(id: 1)
  final class SomeModel {
    @Property(id: 1)
    var value: Int
  }

  typealias MyDatabase = InMemoryDatabase
  typealias MyHistoryDatabase = InMemoryHistoryDatabase

  @Test func caching() {
    let database = MyDatabase()
    let cache = MaximumCountCache(maxCount: 1000)
    let combined = CachedDatabase(wrapping: database, cache: cache)

    let model: SomeModel = combined.create(id: 1)
    model.value = 3
    #expect(model.value == 3)
    #expect(database.get(id: 1, of: SomeModel.self)?.value == 3)
    #expect(cache.get(Path(1, 1, 1)) == 3)
  }

  @Test func historyView() {
    let database = MyHistoryDatabase()
    let model: SomeModel = database.create(id: 1)
    model.value = 1
    let yesterday = Date().addingTimeInterval(-86400)
    let view = database.view(at: yesterday)

    #expect(view.get(id: 1, of: SomeModel.self) == nil)
    #expect(view.all(of: SomeModel.self).isEmpty)

    view.moveView(to: Date())
    let then: SomeModel? = view.get(id: 1)
    #expect(then?.value == 1)
    then?.value = 2
    #expect(then?.value == 1 && model.value == 1)
    #expect(database.errors.last?.code == "read-only")
  }

  @Test func editingContext() {
    let database = MyDatabase()
    let context = database.createEditingContext()

    let newItem: SomeModel = context.create(id: 123)
    newItem.value = 42
    #expect(newItem.value == 42)
    #expect(database.get(id: 123, of: SomeModel.self) == nil)

    context.commitChanges()  // Saves the item to the database

    #expect(database.get(id: 123, of: SomeModel.self)?.value == 42)
    #expect(!context.hasChanges)
  }

  @Test func contextOfCurrentState() {
    let database = MyHistoryDatabase()
    let item: SomeModel = database.create(id: 1)
    item.value = 1
    let context = database.createEditingContextWithCurrentState()

    item.value = 2
    let seen: SomeModel? = context.get(id: 1)
    #expect(seen?.value == 1)
    context.moveToCurrentState()
    #expect(seen?.value == 2)
    seen?.value = 3
    #expect(item.value == 2)
    context.commitChanges()
    #expect(item.value == 3 && seen?.value == 3)
  }
}
