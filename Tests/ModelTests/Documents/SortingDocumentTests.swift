import GQLiteModels
import Testing

/// "Limiting and Paginating Results" and "How to use Sort Queries".
enum Sorting {
  enum Status: String { case active, gone }

  @EntityModel
  struct User {
    @Index<Self>(\.lastName, \.firstName) private var nameIndex

    let id: String
    let firstName: String
    let lastName: String
    let age: Int
    var status = Status.active
  }

  /// With an index over one property.
  @EntityModel
  struct Aged {
    @Index<Self>(\.age) private var ageIndex

    let id: String
    let age: Int
    let name: String
  }
}

@Suite struct SortingDocumentTests {
  private typealias User = Sorting.User

  private func context(_ count: Int = 25) throws -> Context {
    var context = Context()
    for number in 0..<count {
      try User(
        id: "\(number)", firstName: ["Ann", "Bob", "Cid"][number % 3], lastName: ["Moe", "Lee"][number % 2],
        age: number * 7 % 25, status: number % 5 == 0 ? .gone : .active
      ).save(to: &context)
      try Sorting.Aged(id: "\(number)", age: number * 7 % 25, name: "n\(number % 4)").save(to: &context)
    }
    return context
  }

  @Test func limits() throws {
    let context = try context()
    // Get first 10 users
    let firstPage = User.query()
      .limit(10)
      .resolve(in: context)
    #expect(firstPage.map(\.id) == (0..<10).map { "\($0)" })

    // Get next 10 users (pagination)
    let secondPage = User.query()
      .limit(10, offset: 10)
      .resolve(in: context)
    #expect(secondPage.map(\.id) == (10..<20).map { "\($0)" })

    // Combined with sorting and filtering
    let topActiveUsers = User.query()
      .filter(\.status == .active)
      .sorted(by: \.age.desc)
      .limit(5)
      .resolve(in: context)
    // The age of the gone is a multiple of 5 times 7, modulo 25: 0, 10, 20, 5, 15.
    #expect(topActiveUsers.map(\.age) == [24, 23, 22, 21, 19])
  }

  @Test func oneProperty() throws {
    let context = try context()
    // Ascending sort (default)
    let users = User.query()
      .sorted(by: \.age)
      .resolve(in: context)
    #expect(users.map(\.age) == Array(0..<25))

    // Descending sort
    let descending = User.query()
      .sorted(by: \.age.desc)
      .resolve(in: context)
    #expect(descending.map(\.age) == Array((0..<25).reversed()))
  }

  @Test func severalProperties() throws {
    let context = try context()
    // Sort by multiple properties
    let users = User.query()
      .sorted(by: \.lastName, \.firstName)
      .resolve(in: context)
    // Equal ones in the order in which they were saved.
    let wanted = (0..<25).sorted { left, right in
      let names = [left, right].map { [["Moe", "Lee"][$0 % 2], ["Ann", "Bob", "Cid"][$0 % 3]] }
      return names[0] == names[1] ? left < right : names[0].lexicographicallyPrecedes(names[1])
    }
    #expect(users.map(\.id) == wanted.map { "\($0)" })

    // Mixed ascending/descending
    let mixed = User.query()
      .sorted(by: \.age.desc, \.lastName)
      .resolve(in: context)
    #expect(mixed.map(\.age) == Array((0..<25).reversed()))
  }

  @Test func indexOverOne() throws {
    let context = try context()
    // This sort will use the index
    let sortedUsers = Sorting.Aged.query()
      .sorted(by: \.age)
    #expect(sortedUsers.resolve(in: context).map(\.age) == Array(0..<25))
    #expect(sortedUsers.limit(3).explain(in: context).contains("BTreeWalk"))

    // Not indexed property sort
    let byName = Sorting.Aged.query()
      .sorted(by: \.name)
    #expect(byName.resolve(in: context).map(\.name) == byName.resolve(in: context).map(\.name).sorted())
    #expect(!byName.limit(3).explain(in: context, costs: false).contains("access   BTreeWalk"))
  }

  @Test func indexOverTwo() throws {
    let context = try context(500)
    func usesIndex(_ list: QueryList<User>) -> Bool {
      list.limit(3).explain(in: context, costs: false).contains("access   BTreeWalk")
    }
    // This sort will use the compound index
    let both = User.query()
      .sorted(by: \.lastName, \.firstName)
    #expect(usesIndex(both))

    // Here the index serves its first property too, whose order it has.
    let last = User.query()
      .sorted(by: \.lastName)
    #expect(last.resolve(in: context).map(\.lastName) == last.resolve(in: context).map(\.lastName).sorted())

    // The compound index gives the order of its first property, and only those of one name are sorted.
    let other = User.query()
      .sorted(by: \.lastName, \.age)
    #expect(usesIndex(other))
    let found = other.resolve(in: context)
    #expect(zip(found, found.dropFirst()).allSatisfy { ($0.lastName, $0.age) <= ($1.lastName, $1.age) })
  }

  @Test func sortAndFilter() throws {
    let context = try context()
    // Efficient when using indexes
    let results = User.query()
      .filter(\.age > 18)
      .sorted(by: \.lastName, \.firstName)
      .resolve(in: context)
    #expect(results.count == 6 && results.allSatisfy { $0.age > 18 })
    #expect(
      zip(results, results.dropFirst()).allSatisfy { ($0.lastName, $0.firstName) <= ($1.lastName, $1.firstName) })

    // Complex sorting with filters
    let complex = User.query()
      .filter(\.status == .active)
      .sorted(by: \.age.desc, \.lastName)
      .resolve(in: context)
    #expect(complex.count == 20 && complex.first?.age == 24)
  }
}
