import Foundation
import GQLite
import Observation
import Synchronization
import Testing

@testable import GQLiteModels

/// What is told of a database's changes, and what is not.
@Suite struct ObservingTests {
  private let adults = Person.include(#Predicate { $0.age >= 18 }).sortBy(\.name, comparator: .lexical)

  private func database() throws -> Database { Database(try people()) }

  /// Whether the observation is told by a change.
  private func isTold(_ read: () -> Void, by change: () throws -> Void) async throws -> Bool {
    let told = Mark()
    withObservationTracking(read) { told.set() }
    try change()
    for _ in 0..<40 where !told.isSet { try await Task.sleep(for: .milliseconds(5)) }
    return told.isSet
  }

  @Test func valuesFollowCommits() throws {
    let database = try database()
    let all = FetchAll(adults, in: database)
    let first = FetchFirst(adults, in: database)
    let results = FetchResults(adults, batchSize: 2, in: database)
    let names = ["Ada", "Bob", "Jill", "Max", "Zoë", "jack"]
    #expect(all.wrappedValue.map(\.name) == names && first.wrappedValue?.name == "Ada")
    #expect(results.wrappedValue?.map(\.name) == names)
    try Person("Aaron", age: 44).save(to: database)
    #expect(first.wrappedValue?.name == "Aaron" && all.wrappedValue.count == 7 && results.wrappedValue?.count == 7)
    try Person("Aaron", age: 4).save(to: database)
    #expect(first.wrappedValue?.name == "Ada" && all.wrappedValue.count == 6 && results.wrappedValue?.count == 6)
    try database.update { context in
      var ada = try #require(try Person.include(#Predicate { $0.name == "Ada" }).first(in: context))
      ada.nickname = "A"
      try ada.save(to: &context)
    }
    #expect(first.wrappedValue?.nickname == "A" && all.wrappedValue.first?.nickname == "A")
    // Text changes what models see.
    _ = try database.query(#"mutation { deletePerson(where: name == "Ada") { id } }"#)
    #expect(first.wrappedValue?.name == "Bob" && all.wrappedValue.count == 5)
    try Person.deleteAll(in: database)
    #expect(first.wrappedValue == nil && all.wrappedValue.isEmpty && results.wrappedValue?.isEmpty == true)
  }

  @Test func observersAreTold() async throws {
    let database = try database()
    let all = FetchAll(adults, in: database)
    #expect(try await isTold({ _ = all.wrappedValue }, by: { try Person("Aaron", age: 44).save(to: database) }))
    #expect(try await isTold({ _ = all.wrappedValue }, by: { try Person.delete(id: "Aaron", from: database) }))
    // Nobody of them is another.
    #expect(try await !isTold({ _ = all.wrappedValue }, by: { try Person("Young", age: 4).save(to: database) }))
    let bob = try #require(try Person.include(#Predicate { $0.name == "Bob" }).first(in: database))
    #expect(try await !isTold({ _ = all.wrappedValue }, by: { try bob.save(to: database) }))
    // Gone, and back within one commit.
    #expect(
      try await !isTold({ _ = all.wrappedValue }) {
        try database.update { context in
          try bob.delete(from: &context)
          try Deleted<Person>.query(bob.id).resolve(in: context)?.restore(in: &context)
        }
      })
    var older = bob
    older.age += 1
    #expect(try await isTold({ _ = all.wrappedValue }, by: { try older.save(to: database) }))
  }

  @Test func onlyWhatIsReadCounts() throws {
    let database = try database()
    let names = FetchAll(Person.include(#Predicate { $0.age >= 0 }).fetchKeyPaths(\.name), in: database)
    let all = FetchAll(Person.query(), in: database)
    let staff = FetchAll(Company.query().prefetchRelationship(\.staff), in: database)
    let rich = FetchAll(Person.include(#Predicate { $0.company?.name == "Acme" }), in: database)
    func runs() -> [Int] {
      _ = (names.wrappedValue, all.wrappedValue, staff.wrappedValue, rich.wrappedValue)
      return [names.runs, all.runs, staff.runs, rich.runs]
    }
    #expect(runs() == [1, 1, 1, 1])
    #expect(runs() == [1, 1, 1, 1])
    // Another type.
    try Pet(id: 500, name: "Mimi", weight: 3).save(to: database)
    #expect(runs() == [1, 1, 1, 1])
    // A field of some of them.
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {nickname: "J"}) { id } }"#)
    #expect(runs() == [1, 2, 2, 2])
    _ = try database.query(#"mutation { updateCompany(where: id == "c2", set: {size: 3}) { id } }"#)
    #expect(runs() == [1, 2, 3, 2])
    _ = try database.query(#"mutation { updateCompany(where: id == "c2", set: {name: "Huge"}) { id } }"#)
    #expect(runs() == [1, 2, 4, 3])
    #expect(staff.wrappedValue.map(\.name) == ["Acme", "Huge"])
    // A link.
    var one = try #require(Person.query("2").resolve(in: database))
    one.$company = .id("c1")
    try one.save(to: database)
    // Lists that are saved anew count as touched, and entities come with theirs; but the answers are the same.
    #expect(runs() == [2, 3, 5, 4])
    #expect(rich.wrappedValue.map(\.id).contains("2"))
  }

  @Test func sequencesGiveEachAnswerOnce() async throws {
    let database = try database()
    let sequence = FetchAll(adults, in: database)
    var answers = sequence.makeAsyncIterator()
    #expect(try await answers.next()?.count == 6)
    try Person("Young", age: 3).save(to: database)
    try Person("Aaron", age: 44).save(to: database)
    #expect(try await answers.next()?.first?.name == "Aaron")
    // Many commits while nobody looks are one.
    for number in 0..<20 { try Person("B\(number)", age: 50).save(to: database) }
    #expect(try await answers.next()?.count == 27)
    let task = Task {
      var counts: [Int] = []
      for try await answer in FetchAll(adults, in: database) {
        counts.append(answer.count)
        if answer.isEmpty { break }
      }
      return counts
    }
    try await Task.sleep(for: .milliseconds(20))
    try Person.deleteAll(in: database)
    let counts = try await task.value
    #expect(counts == [27, 0] || counts == [0])
    var firsts = FetchFirst(adults, in: database).makeAsyncIterator()
    #expect(try await firsts.next() == .some(nil))
    try Person("Kim", age: 20).save(to: database)
    #expect(try await firsts.next()??.name == "Kim")
    var lazies = FetchResults(adults, batchSize: 3, in: database).makeAsyncIterator()
    #expect(try await lazies.next()??.count == 1)
  }

  @Test func cancellingEndsASequence() async throws {
    let database = try database()
    let task = Task {
      var count = 0
      for try await _ in FetchAll(Person.query(), in: database) { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    #expect(try await task.value <= 1)
  }

  @Test func errorsAreTold() async throws {
    let database = try database()
    let all = FetchAll(Person.query(), in: database)
    #expect(all.wrappedValue.count == 12 && all.error == nil)
    var answers = all.makeAsyncIterator()
    _ = try await answers.next()
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "odd"}) { id } }"#)
    // The value is the last one that could be read.
    #expect(all.wrappedValue.count == 12 && all.error is ModelError)
    await #expect(throws: ModelError.self) { _ = try await answers.next() }
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "calm"}) { id } }"#)
    #expect(all.wrappedValue.count == 12 && all.error == nil)
    #expect(throws: ModelError.self) {
      _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "odd"}) { id } }"#)
      _ = try Query<Person>().fetchedResults(in: database)
    }
  }

  @Test func aQueryThatFailedComesBack() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    try Person("Jill", age: 50).save(to: database)
    let all = FetchAll(Person.include(#Predicate { 100 / $0.age > 2 }), in: database)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error == nil)
    // The value is the last one that there was.
    _ = try database.query(#"mutation { updatePerson(where: id == "Jill", set: {age: 0}) { id } }"#)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error != nil)
    _ = try database.query(#"mutation { updatePerson(where: id == "Jill", set: {age: 50}) { id } }"#)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error == nil)
  }

  @Test func whatIsLookedAtInSwiftGuardsWhatMayFail() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    try Person("Jill", age: 0).save(to: database)
    let born = Person.include(#Predicate { $0.isBorn && 100 / $0.age > 2 })
    #expect(try born.results(in: database).map(\.name) == ["Jack"])
  }

  @Test func anotherQuestion() throws {
    let database = try database()
    var all = FetchAll(adults, in: database)
    #expect(all.wrappedValue.count == 6)
    all = FetchAll(Person.exclude(#Predicate { $0.age >= 18 }), in: database)
    #expect(all.wrappedValue.count == 6 && all.wrappedValue.allSatisfy { $0.age < 18 })
  }

  @Test func valuesWithoutAColumn() throws {
    let database = try Database(for: Attachment.self)
    var one = Attachment(
      id: UUID(), kind: .file, size: nil, tags: ["a"], place: nil, anything: Attachment.Opaque(value: 5))
    try one.save(to: database)
    var cursor = AnswerCursor(Attachment.query())
    #expect(try cursor.advance(to: database.entities) != nil)
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) == nil)
    one.anything.value = 6
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) != nil)
    one.tags = ["a", "b"]
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) != nil)
  }

  @Test func readersAndAWriter() async throws {
    let database = try Database(for: Person.self)
    let all = FetchAll(Person.sortBy(\.age), in: database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<200 { try Person("\(number)", age: number).save(to: database) }
      }
      for _ in 0..<4 {
        group.addTask {
          var last = 0
          while last < 200 {
            let count = all.wrappedValue.count
            #expect(count >= last)
            last = count
            await Task.yield()
          }
        }
      }
      group.addTask {
        var last = -1
        for try await answer in all {
          #expect(answer.count > last)
          last = answer.count
          if last == 200 { break }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Something that happens once.
private final class Mark: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}

extension Person {
  /// No column knows it.
  fileprivate var isBorn: Bool { age > 0 }
}
