import GQLiteState
import Testing

/// The document's chapter on the usage of models.
@Suite struct UsageDocumentTests {
  @Model(id: 1)
  final class MyModel {
    @Property(id: 42)
    var value: Int

    @Reference(id: 43)
    var inner: OtherModel?

    @ReferenceList(id: 44)
    var innerList: [OtherModel]
  }

  @Model(id: 2)
  final class OtherModel {
    @Property(id: 1)
    var value: Int
  }

  typealias NestedModel = OtherModel

  /// A model whose reference is called `value`.
  @Model(id: 3)
  final class MyObject {
    @Reference(id: 1)
    var value: NestedModel?
  }

  @Test func objectCreation() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 123)

    let other: MyModel? = database.get(id: 123)

    #expect(model == other && model !== other)
    #expect(database.get(id: 124, of: MyModel.self) == nil)
  }

  @Test func generatedFunction() {
    let database = InMemoryDatabase()

    let model = MyModel.create(in: database, id: 123, value: 42)

    #expect(model.value == 42 && model.inner == nil && model.innerList.isEmpty)
    #expect(model.status == .created)
  }

  @Test func properties() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)
    let other: MyModel = database.create(id: 2)

    model.value = 2
    let a = model.value + 3
    model.value += a
    other.value = 2 * model.value

    #expect(model.value == 7 && other.value == 14)
  }

  @Test func references() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)

    let other = database.create(id: 123, of: OtherModel.self)
    model.inner = other
    model.inner!.value = 32

    #expect(other.value == 32)
  }

  @Test func deleting() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)
    model.delete()

    #expect(database.active(id: 1, of: MyModel.self) == nil)
    #expect(database.get(id: 1, of: MyModel.self) == model)
    #expect(database.all(of: MyModel.self).isEmpty)
  }

  @Test func status() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)
    #expect("\(model.status)" == "created")
    model.delete()
    #expect("\(model.status)" == "deleted")
    #expect(MyModel(database: database, id: 99).status == .created)
  }

  @Test func deletedReference() {
    let database = InMemoryDatabase()
    let myObject: MyObject = database.create(id: 1)
    let nested: NestedModel = database.create(id: 2)
    myObject.value = nested
    nested.delete()
    #expect("\(myObject.value!.status)" == "deleted")
    myObject.value = nil
    #expect(myObject.value == nil)
  }

  @Test func deletedInList() {
    let database = InMemoryDatabase()
    let main: MyModel = database.create(id: 1)
    let some: OtherModel = database.create(id: 2)
    main.innerList = [some]
    some.delete()
    #expect("\(main.innerList[0].status)" == "deleted")
  }

  @Test func restoring() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)
    model.value = 12
    model.delete()
    #expect("\(model.status)" == "deleted")
    model.insert()
    #expect("\(model.value)" == "12")
    #expect(model.status == .created)
  }

  @Test func recreating() {
    let database = InMemoryDatabase()
    let model: MyModel = database.create(id: 1)
    model.value = 12
    model.delete()
    let newModel: MyModel = database.create(id: model.id)
    #expect("\(newModel.value)" == "12")
  }

  @Test func clearing() {
    let database = InMemoryDatabase()
    let instance = MyModel.create(in: database, id: 1, value: 5, innerList: [database.create(id: 1)])
    instance.deleteAndClearProperties()
    #expect(instance.status == .deleted)
    instance.insert()
    #expect(instance.value == 0 && instance.innerList.isEmpty)
    #expect(database.get(Path(model: 1, instance: 1, property: 42)) as Int? == nil)
    #expect(database.errors.recent == [])
  }
}
