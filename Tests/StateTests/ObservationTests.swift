import Foundation
import GQLiteState
import Testing

/// Tests that observers of objects are told of changes, by whatever they are made.
@Suite struct ObservationTests {
  @Model(id: 1)
  final class Item {
    @Property(id: 1) var name: String
    @Property(id: 2) var count: Int
    @Reference(id: 3) var next: Item?
    @ReferenceList(id: 4) var others: [Item]
  }

  @Test func onlyWhatWasReadIsTold() {
    let database = ObservableDatabase(wrapping: InMemoryDatabase())
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let (name, status, next, list) = (Flag(), Flag(), Flag(), Flag())
    name.observe { _ = item.name }
    status.observe { _ = item.status }
    next.observe { _ = item.next }
    list.observe { _ = database.all(of: Item.self) }
    item.count = 2
    #expect(!name.isSet && !status.isSet && !next.isSet && list.isSet)
    item.name = "b"
    #expect(name.isSet && !status.isSet)
    item.next = item
    #expect(next.isSet && item.next === item)
    item.delete()
    #expect(status.isSet)
  }

  @Test func oneObjectAsLongAsItIsHeld() {
    let database = ObservableDatabase(wrapping: InMemoryDatabase())
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    #expect(database.create(id: 1, of: Item.self) === item)
    #expect(database.all(of: Item.self).first === item)
    item.others = [item]
    #expect(item.others.first === item)
    weak var other: Item?
    do {
      let made: Item = database.create(id: 2)
      other = made
    }
    // The thread that tells of changes may hold it for a moment.
    for _ in 0..<60_000 where other != nil { Thread.sleep(forTimeInterval: 0.001) }
    #expect(other == nil)
    for id in 1...5000 { _ = database.create(id: id, of: Item.self) }
    #expect(database.all(of: Item.self).count == 5000)
  }

  @Test func observedDatabasesOfTheProgram() {
    let database = ObservableDatabase(wrapping: BasicsDocumentTests.MinimalDatabase())
    let item = Item.create(in: database, id: 1, name: "a", count: 1)
    let told = Flag()
    told.observe { _ = item.name }
    item.deleteAndClearProperties()
    #expect(told.isSet && item.name == "")
  }

  #if !canImport(SwiftUI)
    @Test func databasesOfQueries() {
      let database = ObservableDatabase(wrapping: InMemoryDatabase())
      let query = Query<Item>(sortBy: { $0.name })
      _ = Item.create(in: database, id: 1, name: "b", count: 1)
      _ = Item.create(in: database, id: 2, name: "a", count: 1)
      ObservableDatabase.withCurrent(database) {
        #expect(query.wrappedValue.map(\.id) == [2, 1])
        ObservableDatabase.withCurrent(ObservableDatabase(wrapping: InMemoryDatabase())) {
          #expect(query.wrappedValue.isEmpty)
        }
      }
    }
  #endif

  @Test func sortingIsStable() {
    let database = InMemoryDatabase()
    for id in 1...50 { _ = Item.create(in: database, id: id, name: "\(id)", count: id % 3) }
    let descriptor = QueryDescriptor<Item>(filter: { $0.id > 10 }, sortBy: { $0.count })
    let found = descriptor.results(in: database)
    #expect(found.map(\.id) == (11...50).sorted { ($0 % 3, $0) < ($1 % 3, $1) })
    let falling = QueryDescriptor<Item>(sort: .descending, using: { $0.count }).results(in: database)
    #expect(falling.map(\.id) == (1...50).sorted { (-($0 % 3), $0) < (-($1 % 3), $1) })
  }
}
