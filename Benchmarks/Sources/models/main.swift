import GQLiteModels

// Saving, copying and reading structs. `models [entities]`; times are the best of five.

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let clock = ContinuousClock()

func seconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

func best(_ body: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<5 { best = min(best, seconds(try clock.measure(body))) }
  return best
}

func person(_ number: Int) -> Person {
  Person(
    id: "person-\(number)", name: "Name of number \(number)", region: "region \(number % 100)",
    age: number &* 7919 % 100_003, score: Double(number % 1000) / 10, company: .id(number % 1000))
}

let people = (0..<count).map(person)

func filled(_ people: ArraySlice<Person>) throws -> Context {
  var context = try Context(for: Person.self)
  for company in 0..<1000 { try Company(id: company).save(to: &context) }
  for person in people { try person.save(to: &context) }
  return context
}

func show(_ label: String, _ value: Double, _ unit: String) {
  print(label.padded(to: 44), (value * 100).rounded() / 100, unit)
}

/// What a person's text is decoded into.
struct PersonRow: Decodable {
  var id: String
  var name: String
  var region: String
  var age: Int
  var score: Double
  var company: Reference?

  struct Reference: Decodable { var id: Int }
}

struct CompanyRow: Decodable {
  var id: Int
  var people: [PersonRow]
}

@MainActor func texts(_ text: String) throws -> [PersonRow] { try context.query(text, as: [PersonRow].self) }

/// A typed query and its text found different numbers of entities.
struct Disagreement: Error {
  var question: String
  var typed: Int
  var text: Int
}

/// Shows how long a typed query takes, and how often it runs while its text does once.
@MainActor func compare(_ label: String, _ typed: () -> Int, _ text: () throws -> Int) throws {
  let (found, expected) = (typed(), try text())
  guard found == expected, found > 0 else { throw Disagreement(question: label, typed: found, text: expected) }
  let typedTime = best { for _ in 0..<10 { total += typed() } } / 10
  let textTime = try best { for _ in 0..<10 { total += try text() } } / 10
  show(label, typedTime * 1e6, "µs, \((textTime / typedTime * 10).rounded() / 10) times the speed of text")
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - self.count)) }
}

var context = Context()
let tenth = try best { context = try filled(people.prefix(count / 10)) }
let whole = try best { context = try filled(people[...]) }
show("save \(count)", Double(count) / whole, "entities a second")
show("ten times the entities", whole / tenth, "times as long")

let keys = people.map(\.id).shuffled()
var total = 0
let points = best { for key in keys where Person.query(key).resolve(in: context) != nil { total += 1 } }
show("by id", points / Double(count) * 1e9, "ns")

var versions: [Context] = []
let copies = try best {
  for number in 0..<100 {
    let copy = context
    try person(number).save(to: &context)
    versions = [copy]
  }
}
show("copy, and save one", copies / 100 * 1e6, "µs")

let all = best { total += Person.query().resolve(in: context).count }
show("read all", Double(count * 5) / all, "property values a second")

// The same questions as prepared text, whose answers are decoded into structs: both must find as many.
try compare(
  "hash equality, \(count / 100) entities", { Person.filter(\.region == "region 7").resolve(in: context).count },
  { try texts("{ Person(where: region == \"region 7\") { id name region age score } }").count })
try compare(
  "range of 1 %", { Person.filter(\.age >= 500).filter(\.age < 500 + count / 100).resolve(in: context).count },
  { try texts("{ Person(where: age >= 500 and age < \(500 + count / 100)) { id name region age score } }").count })
try compare(
  "sorted with limit", { Person.query().sorted(by: \.age.desc).limit(20).resolve(in: context).count },
  { try texts("{ Person(orderBy: -age, limit: 20) { id name region age score } }").count })
try compare(
  "nested three levels",
  {
    Company.query(7).with(\.$people) { $0.with(\.$company) }.resolve(in: context)?.people?.count ?? 0
  },
  {
    let text = "{ Company(where: id == 7) { id people { id name region age score company { id } } } }"
    return try context.query(text, as: [CompanyRow].self).first?.people.count ?? 0
  })
try compare(
  "the first two of a thousand",
  {
    let companies = Company.query().with(\.$people) { $0.filter(\.age >= 500).limit(2) }.resolve(in: context)
    return companies.reduce(0) { $0 + ($1.people?.count ?? 0) }
  },
  {
    let text = "{ Company { id people(where: age >= 500, limit: 2) { id name region age score } } }"
    return try context.query(text, as: [CompanyRow].self).reduce(0) { $0 + $1.people.count }
  })
try compare(
  "by id, one of them", { Person.query("person-77").resolve(in: context) == nil ? 0 : 1 },
  { try texts("{ Person(where: id == \"person-77\") { id name region age score } }").count })
print(total > 0 ? "" : "nothing found")
