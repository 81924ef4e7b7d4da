import GQLite
import Synchronization

/// A store of values by path, in which a database can be kept.
final class PlainStore: PathStore {
  private let values = Mutex<[ValuePath: [UInt8]]>([:])

  func get(_ path: ValuePath) -> [UInt8]? { values.withLock { $0[path] } }
  func set(_ value: [UInt8]?, for path: ValuePath) { values.withLock { $0[path] = value } }
  func all(model: Int) -> [Int] {
    values.withLock { $0.keys.filter { $0.model == model }.map(\.instance) }
  }
}

/// A database in a place of the program's own, and the suite for such places.
func keepDataElsewhere() throws {
  let store = PlainStore()
  let first = try Database(KeyValueBackend(store), schema: "type Product { id: ID! name: String! }")
  try first.run(#"mutation { insertProduct(data: {id: 1, name: "Lamp"}) { id } }"#)
  let second = try Database(KeyValueBackend(store))
  print(try second.run("{ Product { name } }").jsonString)

  print(StorageConformance.check { KeyValueBackend(PlainStore()) })
}
