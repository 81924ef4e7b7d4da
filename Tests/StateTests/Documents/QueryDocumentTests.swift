import GQLiteState
import Testing

// Where there is SwiftUI, its environment is that of views on a screen.
#if !canImport(SwiftUI)

  /// The document's chapters on queries in views, over names of SwiftUI.
  @Suite struct QueryDocumentTests {
    @Model(id: 1)
    final class Item {
      @Property(id: 1) var name: String
      @Property(id: 2) var isCompleted: Bool
      @Property(id: 3) var sortIndex: Int
    }

    private static func database() -> ObservableDatabase {
      let database = ObservableDatabase(wrapping: InMemoryDatabase())
      _ = Item.create(in: database, id: 1, name: "b", isCompleted: true, sortIndex: 3)
      _ = Item.create(in: database, id: 2, name: "c", isCompleted: false, sortIndex: 2)
      _ = Item.create(in: database, id: 3, name: "a", isCompleted: true, sortIndex: 1)
      _ = Item.create(in: database, id: 4, name: "d", isCompleted: false, sortIndex: 1)
      Item.create(in: database, id: 5, name: "e", isCompleted: true, sortIndex: 0).delete()
      return database
    }

    enum Plain {
      struct ContentView: View {

        @EnvironmentObject
        private var database: ObservableDatabase

        @Query
        var items: [Item]

        var body: some View {
          List(items) { (item: Item) in
            Text("\(item.name)")
          }
        }
      }
    }

    @Test func contentView() throws {
      let database = Self.database()
      try ObservableDatabase.withCurrent(database) {
        let view = Plain.ContentView()
        #expect(view.items.map(\.id) == [1, 2, 3, 4])
        let list = try #require(view.body as? List<Text>)
        #expect(list.rows.map(\.text) == ["b", "c", "a", "d"])
        let told = Flag()
        told.observe { _ = view.body }
        database.get(id: 3, of: Item.self)?.name = "z"
        #expect(told.isSet)
        #expect(view.items.map(\.name) == ["b", "c", "z", "d"])
      }
    }

    struct Filtered {
      @Query(filter: { $0.isCompleted }, sortBy: { $0.name })
      var items: [Item]
    }

    @Test func filterAndSort() {
      ObservableDatabase.withCurrent(Self.database()) {
        #expect(Filtered().items.map(\.name) == ["a", "b"])
      }
    }

    enum Dynamic {
      struct QueryView: View {

        @Query var items: [Item]

        @Binding var descriptor: QueryDescriptor<Item>

        init(descriptor: Binding<QueryDescriptor<Item>>) {
          self._items = Query(descriptor: descriptor.wrappedValue)
          self._descriptor = descriptor
        }

        var body: some View {
          List(items) { (item: Item) in
            Text(item.name)
          }
        }
      }

      struct ContentView: View {

        @State var descriptor: QueryDescriptor<Item> =
          .init(
            filter: { !$0.isCompleted },
            sortBy: { $0.sortIndex })

        var body: some View {
          QueryView(descriptor: $descriptor)
        }
      }
    }

    @Test func dynamicQueries() throws {
      try ObservableDatabase.withCurrent(Self.database()) {
        let view = Dynamic.ContentView()
        let first = try #require(view.body as? Dynamic.QueryView)
        #expect((first.body as? List<Text>)?.rows.map(\.text) == ["d", "c"])
        view.descriptor = QueryDescriptor(filter: { $0.isCompleted }, sort: .descending, using: \.name)
        let second = try #require(view.body as? Dynamic.QueryView)
        #expect((second.body as? List<Text>)?.rows.map(\.text) == ["b", "a"])
        #expect(second.descriptor.results(in: InMemoryDatabase()).isEmpty)
      }
    }
  }

#endif
