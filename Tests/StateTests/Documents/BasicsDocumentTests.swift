import Foundation
import GQLiteState
import Testing

/// The document's first chapters: what it is, the core idea, the installation, and a database of one's own.
@Suite struct BasicsDocumentTests {
  enum Introduction {
    @Model(id: 1)
    final class Person {

      @Property(id: 1)
      var name: String
    }
  }

  @Test func introduction() {
    typealias Person = Introduction.Person
    let database = InMemoryDatabase()

    let alice = Person.create(in: database, id: 123, name: "Alice")

    #expect(alice.id == 123)
    #expect(alice.name == "Alice")
    #expect(alice.database === database)
    #expect(Person.modelId == 1)
    #expect(Person.PropertyId.name.rawValue == 1)
    #expect(database.get(Path(model: 1, instance: 123, property: 1)) == "Alice")
    #expect(database.errors.count == 0)
  }

  /// The interface of a database, as the document lists it. What it calls `KeyPath` there is `Path` elsewhere in it.
  protocol Interface {
    typealias KeyPath = Path
    func get<Value>(_ path: KeyPath) -> Value? where Value: DatabaseValue
    func set<Value>(_ value: Value, for path: KeyPath) where Value: DatabaseValue
    func all<T>(model: ModelKey, where predicate: (_ instance: InstanceKey, _ status: InstanceStatus) -> T?) -> [T]
  }

  /// Whatever is a database has the three functions.
  struct Wrapped<Base: Database>: Interface {
    let base: Base
    func get<Value>(_ path: Path) -> Value? where Value: DatabaseValue { base.get(path) }
    func set<Value>(_ value: Value, for path: Path) where Value: DatabaseValue { base.set(value, for: path) }
    func all<T>(model: ModelKey, where predicate: (_ instance: InstanceKey, _ status: InstanceStatus) -> T?) -> [T] {
      base.all(model: model, where: predicate)
    }
  }

  @Test func coreIdea() {
    let database = Wrapped(base: InMemoryDatabase())
    let path = Path(model: 7, instance: 8, property: 9)
    #expect(database.get(path) as Int? == nil)
    database.set(InstanceStatus.created, for: Path(model: 7, instance: 8))
    database.set(5, for: path)
    #expect(database.get(path) == 5)
    #expect(database.all(model: 7) { instance, status in "\(instance) \(status)" } == ["8 created"])
    #expect(database.all(model: 8) { instance, _ in instance } == [])
  }

  @Test func installation() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(manifest.contains(#".library(name: "GQLiteState", targets: ["GQLiteState"])"#))
    let document = try String(contentsOf: root.appending(path: "docs/statemodel.md"), encoding: .utf8)
    #expect(document.contains(#".product(name: "GQLiteState", package: "gqlite")"#))
  }

  final class MinimalDatabase: Database {

    private var cache: [Path: Any] = [:]

    // MARK: Properties

    func get<Value: DatabaseValue>(_ path: Path) -> Value? {
      cache[path] as? Value
    }

    func set<Value: DatabaseValue>(_ value: Value, for path: Path) {
      cache[path] = value
    }

    // MARK: Instances

    func all<T>(model: ModelKey, where predicate: (_ instanceId: InstanceKey, _ value: InstanceStatus) -> T?) -> [T] {
      cache.compactMap { (path, value) -> T? in
        guard path.model == model,
          path.property == PropertyKey.instanceId,
          let value = value as? InstanceStatus
        else {
          return nil
        }
        return predicate(path.instance, value)
      }
    }
  }

  @Test func customDatabase() {
    let database = MinimalDatabase()
    let first = Everything.create(in: database, id: 1, name: "one", number: 0)
    let second: Everything = database.create(id: 2)
    first.next = second
    first.all = [second, first]
    second.number = 7
    #expect(first.name == "one" && second.name == "none")
    #expect(first.next?.number == 7)
    #expect(first.all.map(\.id) == [2, 1])
    second.delete()
    #expect(first.next?.status == .deleted && second.number == 7)
    #expect(database.all(of: Everything.self).map(\.id) == [1])
    second.insert()
    second.deleteAndClearProperties()
    #expect(second.status == .deleted && second.number == 0)

    let context = database.createEditingContext()
    let draft: Everything = context.create(id: 3)
    draft.name = "three"
    #expect(database.get(id: 3, of: Everything.self) == nil)
    context.commitChanges()
    #expect(database.active(id: 3, of: Everything.self)?.name == "three")
  }
}

/// A model with a property of each kind.
@Model(id: 77)
final class Everything {
  @Property(id: 1) var name: String = "none"
  @Property(id: 2) var number: Int
  @Reference(id: 3) var next: Everything?
  @ReferenceList(id: 4) var all: [Everything]
}
