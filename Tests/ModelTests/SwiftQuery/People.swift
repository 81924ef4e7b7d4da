import Foundation
import GQLiteModels

@EntityModel
struct Person: Equatable {
  @Index<Self>(\.age) private var ageIndex
  @HashIndex<Self>(\.name) private var nameIndex

  let id: String
  var name: String
  var age: Int = 0
  var isInactive = false
  var isPromoted = false
  var nickname: String?
  var rating: Double?
  var tags: [String] = []
  var mood: Mood = .calm
  var badge: Badge?
  @Relationship(inverse: \.staff) var company: Company?
  @Relationship(inverse: \.owner) var pets: [Pet]?

  enum Mood: String, Codable { case calm, cross }
  struct Badge: Codable, Hashable { var color: String }
}

@EntityModel
struct Company: Equatable {
  let id: String
  var name: String
  var size: Int?
  @Relationship(inverse: \.company) var staff: [Person]?
}

@EntityModel
struct Pet: Equatable {
  @Index<Self>(\.weight) private var weightIndex

  let id: Int
  var name: String
  var weight: Double
  @Relationship(inverse: \.pets) var owner: Person?
}

extension Person {
  init(_ name: String, age: Int = 0) {
    self.init(id: name, name: name, age: age)
  }
}

/// Twelve people with all that predicates ask for.
func people() throws -> Context {
  var context = try Context(for: Person.self)
  try Company(id: "c1", name: "Acme", size: 10).save(to: &context)
  try Company(id: "c2", name: "Tiny").save(to: &context)
  let names = ["Jack", "Jill", "Ann", "Bob", "jack", "Zoë", "Jackson", "", "Eve", "Jill", "Max", "Ada"]
  for (number, name) in names.enumerated() {
    var person = Person(
      id: "\(number)", name: name, age: number * 7 % 40, isInactive: number % 3 == 0,
      nickname: number % 2 == 0 ? nil : "\(name)y", rating: number % 4 == 0 ? nil : Double(number) / 2,
      tags: Array(["a", "b", "c"].prefix(number % 4)), mood: number % 5 == 0 ? .cross : .calm,
      badge: number == 3 ? Person.Badge(color: "red") : nil)
    if number % 3 != 2 { person.$company = .id(number % 2 == 0 ? "c1" : "c2") }
    if number % 4 == 1 {
      person.$pets = .relation([
        Pet(id: number * 10, name: "Rex", weight: Double(number)), Pet(id: number * 10 + 1, name: "Tom", weight: 2),
      ])
    }
    try person.save(to: &context)
  }
  return context
}
