import GQLiteState
import Testing

/// Caches before databases.
@Suite struct CacheTests {
  @Model(id: 1)
  final class Item {
    @Property(id: 1) var name: String
    @Property(id: 2) var ratio: Double
  }

  @Test func theOldestGoFirst() {
    let cache = MaximumCountCache(maxCount: 3)
    for number in 1...3 { cache.set(number, for: Path(1, number, 1)) }
    #expect(cache.get(Path(1, 1, 1)) == 1)
    cache.set(4, for: Path(1, 4, 1))
    #expect(cache.get(Path(1, 2, 1)) as Int? == nil)
    cache.set(33, for: Path(1, 3, 1))
    cache.set(5, for: Path(1, 5, 1))
    #expect(cache.get(Path(1, 1, 1)) as Int? == nil && cache.get(Path(1, 3, 1)) == 33)
    #expect(cache.get(Path(1, 3, 1)) as String? == nil)
    cache.remove(Path(1, 3, 1))
    cache.remove(Path(1, 3, 1))
    #expect(cache.count == 2 && cache.get(Path(1, 3, 1)) as Int? == nil)
    cache.set(6, for: Path(1, 6, 1))
    cache.set(7, for: Path(1, 7, 1))
    #expect(cache.count == 3 && cache.get(Path(1, 4, 1)) as Int? == nil && cache.get(Path(1, 7, 1)) == 7)
  }

  /// Against a list of paths in the order of their use.
  @Test func randomUse() {
    for size in [0, 1, 2, 7] {
      let cache = MaximumCountCache(maxCount: size)
      var model: [(path: Path, value: Int)] = []
      var random = SystemRandomNumberGenerator()
      for step in 0..<5000 {
        let path = Path(1, Int.random(in: 0..<12, using: &random), 1)
        let place = model.firstIndex { $0.path == path }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          #expect(cache.get(path) == place.map { model[$0].value })
          if let place { model.append(model.remove(at: place)) }
        case 1:
          cache.set(step, for: path)
          if let place { model.remove(at: place) }
          model.append((path, step))
          if model.count > size { model.removeFirst() }
        default:
          cache.remove(path)
          if let place { model.remove(at: place) }
        }
        #expect(cache.count == model.count)
      }
    }
  }

  /// A cache with the functions that the document asks for.
  struct PlainCache: DatabaseCache {
    final class Values {
      var values: [Path: Any] = [:]
    }
    private let values = Values()
    func get<Value: DatabaseValue>(_ path: Path) -> Value? { values.values[path].flatMap { $0 as? Value } }
    func set<Value: DatabaseValue>(_ value: Value, for path: Path) { values.values[path] = value }
  }

  @Test func cachesThatForgetNothing() {
    let database = InMemoryDatabase()
    let combined = CachedDatabase(wrapping: database, cache: PlainCache())
    let item = Item.create(in: combined, id: 1, name: "a", ratio: 1)
    #expect(item.name == "a" && item.ratio == 1)
    item.name = "b"
    item.ratio = .infinity
    #expect(item.name == "b" && item.ratio == 1)
    item.deleteAndClearProperties()
    #expect(item.name == "" && item.ratio == 0 && item.status == .deleted)
    item.insert()
    let context = combined.createEditingContext()
    context.get(id: 1, of: Item.self)?.name = "c"
    context.commitChanges()
    #expect(item.name == "c" && item.status == .created)
    context.get(id: 1, of: Item.self)?.ratio = .nan
    #expect(!context.commitChanges() && context.hasChanges && item.ratio == 0)
  }

  @Test func readsTheCacheFirst() {
    let database = InMemoryDatabase()
    let combined = CachedDatabase(wrapping: database, cache: MaximumCountCache(maxCount: 10))
    let item = Item.create(in: combined, id: 1, name: "a", ratio: 1)
    #expect(item.name == "a")
    // Past the cache.
    database.set("b", for: Path(1, 1, 1))
    #expect(item.name == "a")
    item.name = "c"
    #expect(item.name == "c" && database.get(Path(1, 1, 1)) == "c")
    // What the database refuses is not in the cache.
    item.ratio = .nan
    #expect(item.ratio == 1 && database.errors.last?.code == "not-storable")
    #expect(combined.all(of: Item.self) == [item])
    item.deleteAndClearProperties()
    #expect(item.name == "" && item.status == .deleted)
  }
}
