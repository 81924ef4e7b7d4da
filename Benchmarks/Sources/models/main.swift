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

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - self.count)) }
}

var context = Context()
let tenth = try best { context = try filled(people.prefix(count / 10)) }
let whole = try best { context = try filled(people[...]) }
show("save \(count)", Double(count) / whole, "entities a second")
show("ten times the entities", whole / tenth, "times as long")

let keys = people.map(\.id).shuffled()
var found = 0
let points = best { for key in keys where Person.query(key).resolve(in: context) != nil { found += 1 } }
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

let all = best { found += Person.query().resolve(in: context).count }
show("read all", Double(count * 5) / all, "property values a second")

let hash = best { found += Person.filter(\.region == "region 7").resolve(in: context).count }
show("hash equality, \(count / 100) entities", hash * 1e6, "µs")
let range = best { found += Person.filter(\.age >= 500).filter(\.age < 1500).resolve(in: context).count }
show("range", range * 1e6, "µs")
let top = best { found += Person.query().sorted(by: \.age.desc).limit(20).resolve(in: context).count }
show("sorted with limit", top * 1e6, "µs")
let nested = best {
  found += Company.query(7).with(\.$people) { $0.with(\.$company) }.resolve(in: context)?.people?.count ?? 0
}
show("nested", nested * 1e6, "µs")
print(found > 0 ? "" : "nothing found")
