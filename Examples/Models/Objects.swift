import GQLiteModels
import Observation
import Synchronization

@EntityModel
struct Person {
  var id: Int
  var name: String
  var age: Int?
  @Relationship(inverse: \.fans) var idols: [Person]?
  @Relationship(inverse: \.idols) var fans: [Person]?
}

/// Entities as objects, and values by their paths.
func objectLines() throws -> [String] {
  var lines: [String] = []
  let database = try Database(for: Person.self)
  let alice = try database.create(Person(id: 123, name: "Alice"))
  let bob = try database.create(Person(id: 124, name: "Bob", age: 40))
  alice.name = "Ally"
  alice.idols.append(bob)
  lines.append(try database.run("{ Person(where: id == 123) { name idols { name } } }").jsonString)

  // Several changes as one transaction.
  try database.batch {
    alice.age = 30
    bob.age = 41
  }
  lines.append("\(bob.fans.map(\.name)) \(try database.objects(Person.filter(\.age > 35)).count)")

  bob.delete()
  lines.append("\(bob.status) \(bob.name) \(alice.idols.isEmpty)")
  bob.insert()
  lines.append("\(bob.status) \(alice.idols.map(\.name))")

  // What a setter cannot throw is in `error`; `set` throws it.
  try database.run("mutation { deletePerson(where: id == 124, hard: true) }")
  bob.age = 42
  lines.append("\(bob.status) \((bob.error as? ModelError)?.code ?? "")")

  let path = EntityPath("Person", 123, "name")
  try database.set("Alice", at: path)
  lines.append("\(try database.value(at: path)) \(try database.ids(of: "Person", where: "age < 35"))")
  return lines
}

/// Shows how an observer is told of an object that changes.
func observedLines() throws -> [String] {
  let database = try Database(for: Person.self)
  let alice = try database.create(Person(id: 123, name: "Alice"))
  let told = Mutex([String]())
  withObservationTracking {
    told.withLock { $0.append(alice.name) }
  } onChange: {
    told.withLock { $0.append("its name changes") }
  }
  alice.age = 30
  alice.name = "Ally"
  return told.withLock { $0 }
}
