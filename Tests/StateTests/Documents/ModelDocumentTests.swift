import GQLiteState
import Testing

/// The document's chapter on the definition of models, and its last one.
@Suite struct ModelDocumentTests {
  enum Simple {
    @Model(id: 1)
    final class MyModel {

      @Property(id: 42)
      var value: String
    }
  }

  @Test func simpleModel() {
    let database = InMemoryDatabase()
    let model: Simple.MyModel = database.create(id: 5)
    #expect(model.value == "")
    model.value = "a"
    #expect(database.get(Path(model: 1, instance: 5, property: 42)) == "a")
    #expect(Simple.MyModel.PropertyId(rawValue: 42) == .value)
  }

  typealias MyDatabase = InMemoryDatabase

  @Test func observing() {
    let database = MyDatabase()
    let observedDatabase = ObservableDatabase(wrapping: database)

    let model: Simple.MyModel = observedDatabase.create(id: 1)
    let again: Simple.MyModel? = observedDatabase.get(id: 1)
    #expect(model === again)
    let told = Flag()
    told.observe { _ = model.value }
    #expect(!told.isSet)
    again?.value = "new"
    #expect(told.isSet)
    #expect(database.get(id: 1, of: Simple.MyModel.self)?.value == "new")
  }

  enum Computed {
    @Model(id: 1)
    class MyModel {

      @Property(id: 1)
      var a: Int

      let myConstant = 42

      var shifted: Int { a + myConstant }
    }
  }

  @Test func computedProperties() {
    let database = InMemoryDatabase()
    let model: Computed.MyModel = database.create(id: 1)
    #expect(model.shifted == 42)
    model.a = 3
    #expect(model.shifted == 45)
  }

  enum Kinds {
    @Model(id: 1)
    final class NestedModel {}

    @Model(id: 2)
    final class Properties {
      @Property(id: 42)
      var value: String = "Default"

      @Property(id: 43)
      var count: Int  // Defaults to `0`
    }

    @Model(id: 3)
    final class One {
      @Reference(id: 3)
      var contained: NestedModel?
    }

    @Model(id: 4)
    final class Certain {
      // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
      @Reference(id: 3)
      var contained: NestedModel!
    }

    @Model(id: 5)
    final class Many {
      @ReferenceList(id: 1)
      var other: [NestedModel]

      @ReferenceList(id: 2)
      var unordered: Set<NestedModel>

      @ReferenceList(id: 3)
      var contiguous: ContiguousArray<NestedModel>

      @ReferenceList(id: 4)
      var own: Pile<NestedModel>
    }
  }

  struct Pile<Element>: SequenceInitializable {
    private let elements: [Element]
    init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Element {
      self.elements = Array(elements)
    }
    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
  }

  @Test func defaults() {
    let database = InMemoryDatabase()
    let model: Kinds.Properties = database.create(id: 1)
    #expect(model.value == "Default" && model.count == 0)
    #expect(database.get(Path(model: 2, instance: 1, property: 42)) as String? == nil)
    model.value = ""
    model.count += 1
    #expect(model.value == "" && model.count == 1)
  }

  @Test func reference() {
    let database = InMemoryDatabase()
    let model: Kinds.One = database.create(id: 1)
    #expect(model.contained == nil)
    let nested: Kinds.NestedModel = database.create(id: 9)
    model.contained = nested
    #expect(model.contained == nested)
    #expect(database.get(Path(model: 3, instance: 1, property: 3)) == 9)
    model.contained = nil
    #expect(model.contained == nil)

    let certain: Kinds.Certain = database.create(id: 1)
    certain.contained = nested
    #expect(certain.contained.id == 9)
  }

  @Test func referenceList() {
    let database = InMemoryDatabase()
    let model: Kinds.Many = database.create(id: 1)
    #expect(model.other.isEmpty && model.unordered.isEmpty)
    let nested: [Kinds.NestedModel] = [3, 1, 2].map { database.create(id: $0) }
    model.other = nested
    model.other.append(nested[0])
    model.unordered = Set(nested)
    model.contiguous = ContiguousArray(nested)
    model.own = Pile(nested)
    #expect(model.other.map(\.id) == [3, 1, 2, 3])
    #expect(model.unordered == Set(nested))
    #expect(model.contiguous.map(\.id) == [3, 1, 2])
    #expect(model.own.map(\.id) == [3, 1, 2])
  }

  enum Numbers {
    enum ModelId: ModelKey {
      case item = 1
      case message = 2
      case reminder = 3
    }

    @Model(id: ModelId.item.rawValue)
    class Item {

    }
  }

  @Test func modelIds() {
    let database = InMemoryDatabase()
    #expect(Numbers.Item.modelId == 1 && Numbers.ModelId(rawValue: 3) == .reminder)
    let item: Numbers.Item = database.create(id: 4)
    #expect(item.status == .created)
    #expect(database.all(of: Numbers.Item.self) == [item])
  }
}
