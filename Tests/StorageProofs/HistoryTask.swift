import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import Synchronization

/// A state of the lists that a history is about, as a reader sees it.
struct HistoryLists: Decodable {
  struct Entry: Decodable {
    let id: Int
  }
  struct List: Decodable {
    let numbers: [Int]
    let entries: [Entry]
  }
  struct Total: Decodable {
    let n: Int
  }
  private let total: [Total]
  let lists: [List]

  static let count = 4
  static let schema = """
    type Total { id: Int! n: Int! }
    type List { id: Int! numbers: [Int!]! entries: [Entry!]! @relation(inverse: "list") }
    type Entry { id: Int! list: List }
    """
  private static let query = "{ total: Total { n } lists: List(orderBy: id) { numbers entries { id } } }"

  /// Makes the lists where they are missing.
  static func begin(_ database: Database) throws {
    if database.count(of: "Total") != 0 { return }
    let lists = (0..<count).map { "{id: \($0), numbers: []}" }.joined(separator: ", ")
    try database.run("mutation { insertTotal(data: {id: 0, n: 0}) { id } insertList(data: [\(lists)]) { id } }")
  }

  init(_ database: Database) throws {
    self = try JSONDecoder().decode(HistoryLists.self, from: Data(try database.run(Self.query).jsonString.utf8))
  }

  init(_ transaction: DatabaseTransaction) throws {
    self = try JSONDecoder().decode(HistoryLists.self, from: Data(try transaction.run(Self.query).jsonString.utf8))
  }

  /// The number of appended numbers, as the database counts them; nil before it begins.
  var appended: Int? { total.first?.n }

  /// What is wrong with it in itself.
  var problem: String? {
    guard let appended else { return lists.isEmpty ? nil : "there are lists, and no total" }
    for list in lists where list.numbers != list.entries.map(\.id) {
      return "a list has the numbers \(list.numbers.suffix(5)) and the entries \(list.entries.suffix(5).map(\.id))"
    }
    let found = lists.reduce(0) { $0 + $1.numbers.count }
    return found == appended ? nil : "\(appended) were appended, and \(found) are there"
  }

  /// The state in a line: the total, and of each list its length and a hash.
  var line: String {
    "s \(appended ?? 0)" + lists.map { " \($0.numbers.count):\(Self.hash($0.numbers))" }.joined() + "\n"
  }

  static func hash(_ numbers: [Int]) -> UInt64 { numbers.reduce(14_695_981_039_346_656_037) { step($0, $1) } }

  static func step(_ hash: UInt64, _ number: Int) -> UInt64 {
    (hash ^ UInt64(truncatingIfNeeded: number)) &* 1_099_511_628_211
  }
}

/// Appends numbers to lists on several threads and says each that was acknowledged, while others say what they see.
///
/// A line "a THREAD LIST NUMBER TOTAL" follows a number that was acknowledged, "f NUMBER" one that failed. "s" is what a
/// reader of the process saw. No number is used twice.
final class HistoryWriter: Sendable {
  private let path: String
  private let threads: Int
  private let round: Int
  private let fails: Bool
  private let database: Database
  private let follower: Database
  private let disk: WatchedDisk
  private let generation = Mutex(0)

  /// PATH DURABILITY THREADS ROUND FAILS
  init?(_ arguments: [String]) throws {
    guard arguments.count == 5, let threads = Int(arguments[2]), let round = Int(arguments[3]) else { return nil }
    path = arguments[0]
    self.threads = threads
    self.round = round
    fails = arguments[4] == "1"
    disk = WatchedDisk(URL(filePath: path).deletingLastPathComponent().path)
    var options = StorageOptions(durability: arguments[1] == "full" ? .full : .normal)
    options.folding.logBytes = [500, 5_000, 16 << 20][round % 3]
    options.folding.sliceRows = 5
    database = try Database(path: path, schema: HistoryLists.schema, storage: options)
    try HistoryLists.begin(database)
    follower = try Database(path: path, storage: StorageOptions(access: .follow))
  }

  /// Ends only where something is wrong.
  func run() -> Bool {
    KillTask.say("open\n")
    Proofs.inThreads(threads + 3) { [self] thread in
      var random = SeededRandom(seed: UInt64(round * 100 + thread))
      switch thread {
      case threads: see(database)
      case threads + 1: see(follower)
      case threads + 2:
        while fails {
          usleep(UInt32(random.below(8_000)))
          disk.fail(at: random.below(30), isFull: random.chance(30), isLasting: random.chance(50))
        }
      default:
        for number in 1... { append((round * 16 + thread) << 20 + number, thread, random.below(HistoryLists.count)) }
      }
    }
    return false
  }

  private func append(_ number: Int, _ thread: Int, _ list: Int) {
    let before = generation.withLock { $0 }
    do {
      let total = try database.transaction { transaction in
        let lists = try HistoryLists(transaction)
        let numbers = lists.lists[list].numbers + [number]
        try transaction.run(
          """
          mutation($n: [Int!]!) {
            updateList(where: id == \(list), set: {numbers: $n}) { id }
            insertEntry(data: {id: \(number), list: \(list)}) { id }
            updateTotal(where: id == 0, set: {n: n + 1}) { id }
          }
          """, ["n": .list(numbers.map { .int(Int64($0)) })])
        return (lists.appended ?? 0) + 1
      }
      KillTask.say("a \(thread) \(list) \(number) \(total)\n")
    } catch let error as QueryError where fails && error.problems.contains(where: { $0.code.hasPrefix("storage-") }) {
      KillTask.say("f \(number)\n")
      reopen(after: before)
    } catch {
      KillTask.say("error \(error)\n")
      exit(1)
    }
  }

  /// Opens the file again, once for all who met the same failure.
  private func reopen(after before: Int) {
    generation.withLock { generation in
      if generation != before { return }
      generation += 1
      while true {
        disk.recover()
        if (try? database.reopen()) != nil { return }
      }
    }
  }

  private func see(_ database: Database) {
    var last = 0
    while true {
      do {
        let lists = try HistoryLists(database)
        if let problem = lists.problem { throw RawFile.Failure(message: problem) }
        if let total = lists.appended, total != last {
          last = total
          KillTask.say(lists.line)
        }
      } catch let error as QueryError where fails && error.problems.contains(where: { $0.code.hasPrefix("storage-") }) {
        // What a follower cannot read now it reads later.
      } catch {
        KillTask.say("error \(error)\n")
        exit(1)
      }
      usleep(300)
    }
  }
}

/// Follows a file in a process of its own, and says what it sees.
enum HistoryFollower {
  /// PATH
  static func run(_ path: String) -> Bool {
    do {
      let database = try Database(path: path, storage: StorageOptions(access: .follow))
      KillTask.say("open\n")
      var last = -1
      while true {
        let lists = try HistoryLists(database)
        if let problem = lists.problem { throw RawFile.Failure(message: problem) }
        if let total = lists.appended, total != last {
          last = total
          KillTask.say(lists.line)
        }
        usleep(300)
      }
    } catch {
      KillTask.say("error \(error)\n")
      return false
    }
  }
}
