import Foundation
import GQLPlanner
import GQLRewriter
import GQLite
import Testing

/// Random groupings of random rows against dictionaries: keys of every type, all aggregates, at the root and below a
/// parent, under several plans.
@Suite struct GroupingPropertyTests {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<40).map { first &+ $0 }
  }()

  private static let plans: [PlannerOptions] = [
    PlannerOptions(), PlannerOptions(forcing: .scanOnly), PlannerOptions(forcing: .alternative(1)),
    PlannerOptions(disabledRules: Set(RewriteRule.allCases)),
  ]

  @Test("groups are those of a dictionary", arguments: seeds)
  func agreement(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let model = GroupingModel(&random)
    let database = try Database(schema: GroupingModel.sdl)
    try database.load([.lines("Owner", GroupingModel.ownerLines), .lines("M", model.lines)])
    for number in 0..<25 {
      let grouping = RandomGrouping(&random)
      let isNested = random.chance(30)
      let text =
        isNested ? "{ Owner { id ms\(grouping.text) } }" : "{ M\(grouping.text) }"
      let expected = isNested ? grouping.nested(model) : "{\"M\":\(grouping.answer(model, model.rows))}"
      do {
        let answer = try database.prepare(text).run(planner: random.pick(Self.plans)).jsonString
        if answer != expected {
          Issue.record("seed \(seed), query \(number): \(text)\nexpected \(expected)\n     got \(answer)")
          return
        }
      } catch {
        Issue.record("seed \(seed), query \(number): \(text)\n\(error)")
        return
      }
    }
  }
}

private struct RandomGrouping {
  var keys: [GroupedKey] = []
  var aggregates: [GroupedAggregate] = []
  /// Only members that have an `i` above this.
  var above: Int?
  /// Only groups of more members.
  var more: Int?
  var isBySize: Bool
  var limit: Int?

  init(_ random: inout SeededRandom) {
    isBySize = random.chance(30)
    limit = random.chance(20) ? random.below(4) : nil
    above = random.chance(30) ? random.below(5) - 1 : nil
    more = random.chance(30) ? random.below(4) : nil
    for _ in 0..<random.pick([0, 1, 1, 1, 2, 2, 3, 4]) {
      let key = random.chance(25) ? random.pick(GroupedKey.others) : .field(random.pick(GroupedField.all).name)
      if !keys.contains(where: { $0.name == key.name }) { keys.append(key) }
    }
    for _ in 0..<random.below(4) {
      aggregates.append(random.chance(50) ? random.pick(GroupedAggregate.fixed) : .random(&random))
    }
  }

  var text: String {
    var arguments = ["groupBy: [\(keys.map(\.text).joined(separator: ", "))]"]
    if let above { arguments.append("where: i > \(above)") }
    if let more { arguments.append("having: count() > \(more)") }
    if isBySize { arguments.append("orderBy: -count()") }
    if let limit { arguments.append("limit: \(limit)") }
    let fields =
      keys.map(\.name) + aggregates.indices.map { "a\($0) := \(aggregates[$0].text)" } + ["n: count()"]
    return "(\(arguments.joined(separator: ", "))) { \(fields.joined(separator: " ")) }"
  }

  func answer(_ model: GroupingModel, _ rows: [GroupingModel.Row]) -> String {
    var groups: [(shown: [String], rows: [GroupingModel.Row])] = []
    var known: [[String]: Int] = [:]
    // One group of all, even of none.
    if keys.isEmpty {
      groups.append(([], []))
      known[[]] = 0
    }
    for row in rows {
      if let above, !(Int(model.value(row, "i").written).map { $0 > above } ?? false) { continue }
      let values = keys.map { $0.value(model, row) }
      let identity = values.map(\.identity)
      if known[identity] == nil {
        known[identity] = groups.count
        groups.append((values.map(\.shown), []))
      }
      if let number = known[identity] { groups[number].rows.append(row) }
    }
    if let more { groups.removeAll { $0.rows.count <= more } }
    if isBySize {
      groups = groups.enumerated().sorted {
        ($1.element.rows.count, $0.offset) < ($0.element.rows.count, $1.offset)
      }.map(\.element)
    }
    if let limit { groups = Array(groups.prefix(limit)) }
    let texts = groups.map { group in
      var members = zip(keys, group.shown).map { "\"\($0.name)\":\($1)" }
      for (number, aggregate) in aggregates.enumerated() {
        members.append("\"a\(number)\":\(aggregate.answer(model, group.rows))")
      }
      members.append("\"n\":\(group.rows.count)")
      return "{\(members.joined(separator: ","))}"
    }
    return "[\(texts.joined(separator: ","))]"
  }

  func nested(_ model: GroupingModel) -> String {
    let owners = (0..<GroupingModel.owners).map { owner in
      "{\"id\":\(owner),\"ms\":\(answer(model, model.rows.filter { $0.owner == owner }))}"
    }
    return "{\"Owner\":[\(owners.joined(separator: ","))]}"
  }
}
