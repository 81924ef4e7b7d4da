import GQLDifferential
import GQLite

/// A random question about a ``RegretData``, with literals or with variables, and further values for these.
struct RegretQuery {
  let text: String
  /// The values of the variables, several times; one empty dictionary where there are literals.
  let values: [[String: Value]]

  init(_ random: inout SeededRandom, _ data: RegretData) {
    var builder = Builder(data: data, usesVariables: random.chance(40))
    let body = builder.root(&random)
    let declared = builder.parameters.map { "$\($0.name): \($0.type)" }.joined(separator: ", ")
    text = (declared.isEmpty ? "" : "query (\(declared)) ") + "{ \(body) }"
    let parameters = builder.parameters
    values = (0..<(parameters.isEmpty ? 1 : 3)).map { _ in
      Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.draw(&random)) })
    }
  }

  /// What a value is drawn from, so that it can be drawn again.
  private enum Source {
    case kind, town, zip, word, city, price, likes, rank, time, id

    var type: String {
      switch self {
      case .kind, .town, .zip, .word, .city: "String!"
      case .price, .likes, .rank: "Int!"
      case .time: "DateTime!"
      case .id: "ID!"
      }
    }
  }

  private struct Parameter {
    var name: String
    var source: Source
    var data: RegretData

    var type: String { source.type }

    func draw(_ random: inout SeededRandom) -> Value { Self.value(source, data, &random) }

    static func value(_ source: Source, _ data: RegretData, _ random: inout SeededRandom) -> Value {
      // Common and rare values.
      func number(_ count: Int) -> Int {
        random.chance(50) ? RegretData.skewed(count, &random) : random.below(count)
      }
      switch source {
      case .kind: return .string("k\(random.below(RegretData.kinds))")
      case .town: return .string("t\(number(RegretData.towns))")
      case .zip: return .string("z\(number(RegretData.towns * 4))")
      case .word: return .string("w\(number(RegretData.words))")
      case .city: return .string("c\(number(40))")
      case .price: return .int(Int64(random.below(RegretData.prices)))
      case .likes: return .int(Int64(number(5000)))
      case .rank: return .int(Int64(random.below(1000)))
      case .time: return .string(RegretData.time(of: random.below(data.rows)))
      case .id: return .string("\(random.below(data.rows))")
      }
    }
  }

  private struct Builder {
    let data: RegretData
    let usesVariables: Bool
    var parameters: [Parameter] = []

    mutating func value(_ source: Source, _ random: inout SeededRandom) -> String {
      if usesVariables {
        let name = "p\(parameters.count)"
        parameters.append(Parameter(name: name, source: source, data: data))
        return "$" + name
      }
      switch Parameter.value(source, data, &random) {
      case .int(let number): return "\(number)"
      case .string(let text): return "\"\(text)\""
      default: return "null"
      }
    }

    mutating func root(_ random: inout SeededRandom) -> String {
      switch random.below(10) {
      case 0: return "n: count(Item(where: \(conditions(&random))))"
      case 1:
        let some = "some(items, \(conditions(&random)))"
        return random.chance(50)
          ? "Owner(where: \(some), orderBy: rank, limit: \(limit(&random))) { id }" : "n: count(Owner(where: \(some)))"
      case 2:
        let order = random.pick(["", ", orderBy: -at", ", orderBy: [-price, id]", ", orderBy: likes"])
        return "Owner(where: city == \(value(.city, &random)), limit: 50) { id items(where: \(condition(&random))"
          + "\(order), limit: \(random.pick([1, 3, 10]))) { id } }"
      default: return "Item(\(arguments(&random))) { id }"
      }
    }

    private mutating func arguments(_ random: inout SeededRandom) -> String {
      var arguments = random.chance(92) ? "where: \(conditions(&random))" : ""
      if random.chance(60) {
        let order = random.pick([
          "at", "-at", "price", "-price", "likes", "-likes", "town", "kind", "[-at, -id]", "[price, id]",
          "[town, price]",
          "[-price, at]", "[kind, -at]", "[likes, -id]", "id", "-id",
        ])
        arguments += "\(arguments.isEmpty ? "" : ", ")orderBy: \(order)"
      }
      if arguments.isEmpty || random.chance(75) {
        arguments += "\(arguments.isEmpty ? "" : ", ")limit: \(limit(&random))"
        if random.chance(10) { arguments += ", offset: \(random.pick([5, 100, 1000]))" }
      }
      return arguments
    }

    private func limit(_ random: inout SeededRandom) -> Int { random.pick([1, 5, 10, 10, 20, 100, 1000]) }

    private mutating func conditions(_ random: inout SeededRandom) -> String {
      let count = random.pick([1, 1, 2, 2, 2, 3, 3])
      return (0..<count).map { _ in condition(&random) }.joined(separator: " and ")
    }

    private mutating func condition(_ random: inout SeededRandom) -> String {
      switch random.below(16) {
      case 0, 1: return "kind == \(value(.kind, &random))"
      case 2, 3: return "town == \(value(.town, &random))"
      case 4: return "zip == \(value(.zip, &random))"
      case 5: return "price == \(value(.price, &random))"
      case 6: return "price \(random.pick(["<", ">="])) \(value(.price, &random))"
      case 7:
        guard !usesVariables else { return "price > \(value(.price, &random))" }
        let low = random.below(RegretData.prices)
        return "price in \(low)..\(low + random.pick([0, 3, 30, 300]))"
      case 8: return "at \(random.pick(["<", ">="])) \(value(.time, &random))"
      case 9:
        guard !usesVariables else { return "at > \(value(.time, &random))" }
        let first = random.below(data.rows)
        let last = min(data.rows, first + data.rows / random.pick([5, 50, 5000]))
        return "at in \"\(RegretData.time(of: first))\"..\"\(RegretData.time(of: last))\""
      case 10: return "likes \(random.pick(["<", ">", "=="])) \(value(.likes, &random))"
      case 11: return "note matches \(value(.word, &random))"
      case 12: return "note contains \(value(.word, &random))"
      case 13: return "(town == \(value(.town, &random)) or kind == \(value(.kind, &random)))"
      case 14: return "owner.city == \(value(.city, &random))"
      default:
        return "\(random.pick(["kind", "town"])) in [\(value(.kind, &random)), \(value(.town, &random))]"
      }
    }
  }
}
