import GQLiteModels

/// An entity with a B-tree, a hash index and a relation.
struct Person {
  let id: String
  var name: String
  var region: String
  var age: Int
  var score: Double
  @Relationship(inverse: \.people) var company: Company?
}

extension Person: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("name", \.name)
    model.property("region", \.region)
    model.property("age", \.age)
    model.property("score", \.score)
    model.relation("company", \.company, \.$company, inverse: \.$people, "people")
    model.index("ageIndex", \.age)
    model.hashIndex("regionIndex", \.region)
    model.readsAsDescribed()
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    name = try row.read("name")
    region = try row.read("region")
    age = try row.read("age")
    score = try row.read("score")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(name, as: "name")
    try row.write(region, as: "region")
    try row.write(age, as: "age")
    try row.write(score, as: "score")
  }
}

struct Company {
  let id: Int
  @Relationship(inverse: \.company) var people: [Person]?
}

extension Company: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("people", \.people, \.$people, inverse: \.$company, "company")
    model.readsAsDescribed()
  }

  init(from row: inout EntityReader<Self>) throws { id = try row.read("id") }
  func write(to row: inout EntityWriter<Self>) throws { try row.write(id, as: "id") }
}
