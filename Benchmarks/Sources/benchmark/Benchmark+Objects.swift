import Foundation
import GQLiteModels

@EntityModel
private struct Card {
  var id: Int
  var title: String
  var points: Int
  var weight: Double
}

/// Entities as objects: what it takes to read and to write one property.
struct ObjectBenchmark {
  private let report: Report
  private static let entities = 100_000
  private static let rounds = 5

  init(_ report: Report) { self.report = report }

  func run() throws {
    let database = try Database(for: Card.self)
    try database.update { context in
      for id in 0..<Self.entities {
        try Card(id: id, title: "the title of card \(id)", points: id, weight: 1).save(to: &context)
      }
    }
    let objects = try (0..<1000).map { number -> LiveEntity<Card> in
      guard let object = try database.object(Card.self, id: number * 97) else { throw Missing() }
      return object
    }
    // Until those who follow the database have begun.
    usleep(20_000)
    let steps = 200_000
    var sum = 0
    let readInt = least { for step in 0..<steps { sum &+= objects[step % 1000].points } } / Double(steps)
    let readText = least { for step in 0..<steps { sum &+= objects[step % 1000].title.utf8.count } } / Double(steps)
    // Where nothing is published, too: each write is followed by reads.
    let write = least { for step in 0..<steps { objects[step % 1000].points = step } } / Double(steps)
    let both =
      least {
        for step in 0..<steps {
          objects[step % 1000].points = step
          sum &+= objects[step % 1000].points
        }
      } / Double(steps)
    guard (0..<1000).allSatisfy({ objects[$0].points == steps - 1000 + $0 && objects[$0].error == nil }), sum != 0
    else {
      throw Missing()
    }
    let batch =
      try least {
        try database.batch { for object in objects { object.weight += 1 } }
      } / 1000
    note("reading a number of an object", readInt, 100e-9)
    note("reading a text of an object", readText, 100e-9)
    note("writing a number of an object", write, 5e-6)
    note("writing one and reading it", both, nil)
    note("writing one of 1,000 in a batch", batch, nil)
  }

  private struct Missing: Error {}

  private func least(_ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<Self.rounds {
      let start = ContinuousClock.now
      try body()
      let time = start.duration(to: .now).components
      least = min(least, Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }
    return least
  }

  private func note(_ what: String, _ seconds: Double, _ goal: Double?) {
    let time = String(format: "%.0f ns", seconds * 1e9)
    let end =
      goal.map { String(format: ", goal at most %.0f ns: ", $0 * 1e9) + (seconds <= $0 ? "met" : "NOT MET") } ?? ""
    report.note("\(what): \(time)\(end)")
  }
}
