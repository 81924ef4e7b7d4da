/// Random expressions about an item, with every operator and every function that cannot fail on the data.
struct RandomPredicate {
  var random: SeededRandom

  /// What a condition says; `depth` bounds what is inside it.
  mutating func truth(_ depth: Int = 2) -> String {
    if depth > 0 {
      switch random.below(12) {
      case 0, 1: return "(\(truth(depth - 1)) and \(truth(depth - 1)))"
      case 2, 3: return "(\(truth(depth - 1)) or \(truth(depth - 1)))"
      case 4: return "not (\(truth(depth - 1)))"
      case 5: return "if(\(truth(depth - 1)), \(truth(depth - 1)), \(truth(depth - 1)))"
      case 6: return quantifier(depth)
      case 7: return "((\(truth(depth - 1))) ?? \(random.pick(["true", "false"])))"
      default: break
      }
    }
    return comparison(depth)
  }

  private mutating func quantifier(_ depth: Int) -> String {
    let set = random.pick(["friends", "owner.items", "next.friends", "friends.friends"])
    switch random.below(5) {
    case 0: return "exists(\(set)(where: \(truth(depth - 1))))"
    case 1: return "\(number(depth)) in \(random.pick(["friends.i", "owner.items.i"]))"
    case 2: return "count(\(set)(where: \(truth(depth - 1)))) \(sign()) \(random.below(4))"
    default: return "\(random.pick(["some", "every", "none", "one"]))(\(set), \(truth(depth - 1)))"
    }
  }

  private mutating func sign() -> String { random.pick(["==", "!=", "<", "<=", ">", ">="]) }
  private mutating func equality() -> String { random.pick(["==", "!="]) }

  private mutating func comparison(_ depth: Int) -> String {
    switch random.below(24) {
    case 0, 1, 2: return "\(number(depth)) \(sign()) \(number(depth))"
    case 3: return "\(number(depth)) \(random.pick(["in", "not in"])) [(\(number(0))), \(random.below(4)), 2.5]"
    case 4:
      return
        "\(number(depth)) \(random.pick(["in", "not in"])) \(random.below(3) - 1)\(random.pick(["..", "..<"]))\(random.below(5))"
    case 5, 6: return "\(text(depth)) \(sign()) \(text(depth))"
    case 7: return "\(text(depth)) \(random.pick(["in", "not in"])) [\(word()), \(word()), t]"
    case 8:
      let test = random.pick(["contains", "startsWith", "endsWith", "not contains", "not startsWith", "not endsWith"])
      return "\(text(depth)) \(test) \(text(0))"
    case 9:
      let pattern = random.pick(["\"%a%\"", "\"s_ift%\"", "\"\"", "\"%\"", "\"B\""])
      return "\(text(depth)) \(random.pick(["like", "ilike", "not like", "not ilike"])) \(pattern)"
    case 10:
      let pattern = random.pick(["\"^s\"", "\"(?i)swift\"", "\"[ab]+$\"", "\"é\"", "\"\""])
      return "\(text(depth)) \(random.pick(["=~", "!~"])) \(pattern)"
    case 11:
      return
        "t \(random.pick(["matches", "not matches"])) \(random.pick(["\"swift\"", "\"fast OR bird\"", "\"-fly birds\"", "\"sw*\""]))"
    case 12: return random.pick(["b", "b == true", "b != false", "not b", "b is null", "!b"])
    case 13: return "c \(sign()) \(random.pick(["RED", "GREEN", "BLUE"]))"
    case 14: return "c \(random.pick(["in", "not in"])) [RED, \(random.pick(["GREEN", "BLUE"]))]"
    case 15: return "day \(sign()) \(day())"
    case 16: return "m \(sign()) \"\(random.pick(MetamorphicData.moments))\""
    case 17: return "dur \(sign()) duration(\"\(random.pick(MetamorphicData.durations))\")"
    case 18: return "u \(equality()) \"\(random.pick(MetamorphicData.uuids))\""
    case 19:
      return random.pick([
        "j == 3", "j != \"x\"", "j[\"k\"] == 1", "j.k is null", "j is not null", "j == [1, 2]", "by == \"AQID\"",
        "j[0] == 1", "by is null",
      ])
    case 20:
      return random.pick([
        "ns contains 2", "3 in ns", "not (1 in ns)", "ts contains \"a\"", "ns == [1]", "ns is null", "length(ns) > 1",
        "ns[0] > 1", "ns[-1] == 2", "sort(ns)[0] == 0", "ts[5] is null",
      ])
    case 21:
      return random.pick([
        "owner is null", "owner == next.owner", "owner.name is not null", "next != null", "owner == \"o1\"",
        "place is null", "place.city == \"a\"", "next.next.i > 0", "next.id == id", ". in friends", "next in friends",
        "count(Owner(where: rank == ^.i)) > 0",
      ])
    default:
      let name = random.pick(["i", "f", "d", "t", "ci", "day", "m", "dur", "c", "place.n", "owner.rank", "next.i"])
      return "\(name) \(random.pick(["is null", "is not null", "== null", "!= null"]))"
    }
  }

  private mutating func word() -> String { "\"\(random.pick(MetamorphicData.words))\"" }

  private mutating func day() -> String {
    switch random.below(5) {
    case 0: "date(m)"
    case 1: "trunc(day, MONTH)"
    case 2: "date(\"2024-01-31\") + duration(\"P1D\")"
    default: "\"\(random.pick(MetamorphicData.days))\""
    }
  }

  mutating func number(_ depth: Int) -> String {
    if depth > 0, random.chance(45) {
      let inner = number(depth - 1)
      switch random.below(16) {
      case 0: return "(\(inner) + \(number(depth - 1)))"
      case 1: return "(\(inner) - \(number(depth - 1)))"
      case 2: return "(\(inner) * 2)"
      case 3: return "(\(inner) / 4)"
      case 4: return "-(\(inner))"
      case 5: return "abs(\(inner))"
      case 6: return "round(\(inner))"
      case 7: return "\(random.pick(["floor", "ceil"]))(\(inner))"
      case 8: return "\(random.pick(["least", "greatest"]))(\(inner), \(number(depth - 1)))"
      case 9: return "coalesce(\(inner), 0)"
      case 10: return "nullif(\(inner), 2)"
      case 11: return "(\(inner) ?? i)"
      case 12: return "try(1 / \(inner))"
      case 13: return "sqrt(abs(\(inner)))"
      case 14: return "if(\(truth(0)), \(inner), 1)"
      default: return "round(\(inner), 1)"
      }
    }
    switch random.below(16) {
    case 0, 1, 2: return "i"
    case 3: return "f"
    case 4: return "d"
    case 5: return "\(random.below(6) - 1)"
    case 6: return "length(\(random.pick(["t", "ns", "ci", "lower(t)"])))"
    case 7: return random.pick(["div(i, 2)", "i % 3", "pow(i, 2)"])
    case 8: return "count(\(random.pick(["friends", "owner.items", "friends.i"])))"
    case 9: return "\(random.pick(["sum", "avg", "min", "max"]))(friends.\(random.pick(["i", "f", "d"])))"
    case 10:
      return random.pick(["year(day)", "month(m)", "weekday(day)", "hour(m)", "minute(m)", "second(m)", "day(day)"])
    case 11: return "dateDiff(day, \"2024-01-01\", \(random.pick(["DAY", "MONTH", "YEAR", "WEEK"])))"
    case 12: return random.pick(["owner.rank", "next.i", "place.n", "next.owner.rank", "ns[0]"])
    case 13: return random.pick(["float(i)", "decimal(i)", "try(int(t))", "(i as Float)"])
    case 14: return "first(friends(orderBy: -i)).i"
    default: return "max(friends, i + 1)"
    }
  }

  mutating func text(_ depth: Int) -> String {
    if depth > 0, random.chance(40) {
      let inner = text(depth - 1)
      switch random.below(10) {
      case 0: return "\(random.pick(["lower", "upper", "trim"]))(\(inner))"
      case 1: return "slice(\(inner), \(random.below(3) - 1), \(random.below(4)))"
      case 2: return "concat(\(inner), \"x\")"
      case 3: return "(\(inner) + \(text(0)))"
      case 4: return "replace(\(inner), \"a\", \"b\")"
      case 5: return "padStart(\(inner), 4, \"-\")"
      case 6: return "coalesce(\(inner), \"none\")"
      case 7: return "nullif(\(inner), \"a\")"
      case 8: return "extract(\(inner), \"(a+)\", 1)"
      default: return "collate(\(inner), CI)"
      }
    }
    switch random.below(10) {
    case 0, 1, 2: return "t"
    case 3: return "ci"
    case 4, 5: return word()
    case 6: return random.pick(["owner.name", "next.t", "place.city", "ts[0]"])
    case 7: return random.pick(["string(i)", "string(day)", "string(b)"])
    case 8: return "join(friends.t, \",\")"
    default: return "split(t, \" \")[0]"
    }
  }

  /// An order that leaves nothing equal if `isTotal`, and the same one backwards.
  mutating func order(isTotal: Bool) -> (forwards: String, backwards: String) {
    var forwards: [String] = []
    var backwards: [String] = []
    for _ in 0..<(1 + random.below(2)) {
      var key = random.pick([
        "i", "t", "ci", "f", "d", "day", "m", "c", "b", "owner.name", "place.n", "count(friends)", number(1), "j",
      ])
      // A literal orders nothing, and is an error.
      if !key.contains(where: \.isLetter) { key = "(i + \(key))" }
      switch random.below(4) {
      case 0, 1:
        forwards.append("asc(\(key))")
        backwards.append("desc(\(key), nulls: FIRST)")
      case 2:
        forwards.append("-(\(key))")
        backwards.append("asc(\(key), nulls: FIRST)")
      default:
        forwards.append("asc(\(key), nulls: FIRST)")
        backwards.append("desc(\(key))")
      }
    }
    if isTotal {
      forwards.append("id")
      backwards.append("-id")
    }
    return ("[\(forwards.joined(separator: ", "))]", "[\(backwards.joined(separator: ", "))]")
  }
}
