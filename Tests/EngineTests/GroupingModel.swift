import GQLDifferential

/// A value of a random row: how the data writes it, how the answer shows it, and what makes it equal to others.
struct GroupedValue: Sendable {
  var written: String
  var shown: String
  var identity: String

  static let null = GroupedValue("null")

  init(_ written: String, shown: String? = nil, equalTo identity: String? = nil) {
    self.written = written
    self.shown = shown ?? written
    self.identity = identity ?? written
  }

  var isNull: Bool { identity == "null" }
}

/// Fields of every type, and the values that random rows take for them; equal ones in several spellings.
struct GroupedField: Sendable {
  var name: String
  var type: String
  var pool: [GroupedValue]
  /// In the order of the pool, if `min` and `max` are asked for.
  var isAscending = false

  static let ints = [-3, 0, 1, 2, 3, 4].map { GroupedValue("\($0)") }
  /// What no small table has room for.
  static let largeInts = [-9_000_000_000, 4094, 4095, 5000, 70_000].map { GroupedValue("\($0)") }

  static let all: [GroupedField] = [
    GroupedField(name: "i", type: "Int", pool: ints, isAscending: true),
    GroupedField(
      name: "f", type: "Float",
      pool: [
        GroupedValue("-2.25"), GroupedValue("-0.0", shown: "0", equalTo: "0"), GroupedValue("0"),
        GroupedValue("0.5"), GroupedValue("1e3", shown: "1000", equalTo: "1000"), GroupedValue("1000"),
      ]),
    GroupedField(
      name: "d", type: "Decimal",
      pool: [
        GroupedValue("-1.10", equalTo: "-1.1"), GroupedValue("-1.1"), GroupedValue("0.00", equalTo: "0"),
        GroupedValue("0"), GroupedValue("123456789012345678901234.5"), GroupedValue("7"),
      ]),
    GroupedField(
      name: "s", type: "String",
      pool: ["", "B", "a", "a long text that no cell holds", "a long text that no cell keeps", "é"].map {
        GroupedValue("\"\($0)\"")
      }, isAscending: true),
    GroupedField(
      name: "c", type: "String @collate(CI)",
      pool: [
        GroupedValue("\"Ä\"", equalTo: "ä"), GroupedValue("\"ä\"", equalTo: "ä"),
        GroupedValue("\"STRASSE\"", equalTo: "ss"),
        GroupedValue("\"straße\"", equalTo: "ss"), GroupedValue("\"x\"", equalTo: "x"),
      ]),
    GroupedField(name: "b", type: "Boolean", pool: [GroupedValue("false"), GroupedValue("true")]),
    GroupedField(
      name: "e", type: "Colour", pool: ["RED", "GREEN", "BLUE"].map { GroupedValue("\"\($0)\"") }, isAscending: true),
    GroupedField(
      name: "day", type: "Date", pool: ["1969-12-31", "1970-01-01", "2020-02-29"].map { GroupedValue("\"\($0)\"") },
      isAscending: true),
    GroupedField(
      name: "at", type: "DateTime",
      pool: [
        GroupedValue("\"2020-02-29T01:00:00+01:00\"", shown: "\"2020-02-29T00:00:00Z\"", equalTo: "leap"),
        GroupedValue("\"2020-02-29T00:00:00Z\"", equalTo: "leap"), GroupedValue("\"2020-02-29T00:00:00.500Z\""),
      ]),
    GroupedField(
      name: "span", type: "Duration",
      pool: [
        GroupedValue("\"PT24H\"", shown: "\"P1D\"", equalTo: "day"), GroupedValue("\"P1D\"", equalTo: "day"),
        GroupedValue("\"PT1H30M\""),
      ]),
    GroupedField(
      name: "u", type: "UUID",
      pool: [
        GroupedValue(
          "\"C0FFEE00-0000-4000-8000-000000000001\"", shown: "\"c0ffee00-0000-4000-8000-000000000001\"", equalTo: "1"),
        GroupedValue("\"c0ffee00-0000-4000-8000-000000000001\"", equalTo: "1"),
        GroupedValue("\"c0ffee00-0000-4000-8000-000000000002\""),
      ]),
    GroupedField(name: "bin", type: "Bytes", pool: ["", "AQI=", "AQID"].map { GroupedValue("\"\($0)\"") }),
    GroupedField(
      name: "j", type: "JSON",
      pool: [
        GroupedValue("1"), GroupedValue("1.0", equalTo: "1"), GroupedValue("10e-1", equalTo: "1"), GroupedValue("true"),
        GroupedValue("\"a\"", equalTo: "a"), GroupedValue("\"\\u0061\"", equalTo: "a"), GroupedValue("\"1\""),
        GroupedValue("[]"), GroupedValue("[1,{}]"), GroupedValue("[1.00,{}]", equalTo: "[1,{}]"),
        GroupedValue("[{},1]"),
        GroupedValue("{\"x\":[2],\"y\":null}", equalTo: "xy"), GroupedValue("{\"y\":null,\"x\":[2.0]}", equalTo: "xy"),
        GroupedValue("{\"x\":[2]}"), GroupedValue("{}"), GroupedValue("1e400"), GroupedValue("\"{}\""),
      ]),
    GroupedField(
      name: "l", type: "[Int]",
      pool: ["[]", "[1]", "[1,null]", "[null,1]", "[1,1]"].map { GroupedValue($0) }),
  ]
}

/// Random rows, and what groupings of them answer, by dictionaries.
struct GroupingModel {
  struct Row {
    var id: Int
    /// By the place of the field.
    var values: [GroupedValue]
    /// The place of the owner; nil for none.
    var owner: Int?
  }

  static let owners = 3
  var rows: [Row] = []

  init(_ random: inout SeededRandom) {
    let count = random.pick([0, 1, 7, 40, 300, 2500])
    let hasLargeInts = random.chance(50)
    for id in 1...max(count, 1) where id <= count {
      var values: [GroupedValue] = []
      for field in GroupedField.all {
        var pool = field.pool
        if field.name == "i", hasLargeInts, id * 2 > count { pool += GroupedField.largeInts }
        values.append(random.chance(15) ? .null : random.pick(pool))
      }
      rows.append(Row(id: id, values: values, owner: random.chance(20) ? nil : random.below(Self.owners)))
    }
  }

  static let sdl =
    "enum Colour { RED GREEN BLUE }\n"
    + "type Owner { id: ID! name: String! ms: [M!]! @relation(inverse: \"owner\") }\n"
    + "type M { id: ID! owner: Owner @relation(inverse: \"ms\") "
    + GroupedField.all.map { "\($0.name): \($0.type)" }.joined(separator: " ") + " }"

  static let ownerLines = (0..<owners).map { "{\"id\":\($0),\"name\":\"o\($0 % 2)\"}\n" }.joined()

  var lines: String {
    rows.map { row in
      let fields = zip(GroupedField.all, row.values).map { "\"\($0.name)\":\($1.written)" }
      let owner = row.owner.map { "\($0)" } ?? "null"
      return "{\"id\":\(row.id),\"owner\":\(owner),\(fields.joined(separator: ","))}\n"
    }.joined()
  }

  func value(_ row: Row, _ name: String) -> GroupedValue {
    guard let place = GroupedField.all.firstIndex(where: { $0.name == name }) else { return .null }
    return row.values[place]
  }
}

/// A key of a grouping.
struct GroupedKey: Sendable {
  var text: String
  var name: String
  var value: @Sendable (GroupingModel, GroupingModel.Row) -> GroupedValue

  static func field(_ name: String) -> GroupedKey {
    GroupedKey(text: name, name: name) { $0.value($1, name) }
  }

  static let others: [GroupedKey] = [
    GroupedKey(text: "owner.name", name: "name") { _, row in
      row.owner.map { GroupedValue("\"o\($0 % 2)\"") } ?? .null
    },
    GroupedKey(text: "owner", name: "owner") { _, row in row.owner.map { GroupedValue("\($0)") } ?? .null },
    GroupedKey(text: "{big: i > 2}", name: "big") { model, row in
      Int(model.value(row, "i").written).map { GroupedValue("\($0 > 2)") } ?? .null
    },
    GroupedKey(text: "{low: lower(s)}", name: "low") { model, row in
      let text = model.value(row, "s")
      return text.isNull ? .null : GroupedValue(text.written.lowercased())
    },
    GroupedKey(text: "{pair: [i, b]}", name: "pair") { model, row in
      GroupedValue("[\(model.value(row, "i").written),\(model.value(row, "b").written)]")
    },
    GroupedKey(text: "{third: i % 3}", name: "third") { model, row in
      Int(model.value(row, "i").written).map { GroupedValue("\($0 % 3)") } ?? .null
    },
  ]
}

/// An aggregate of the members of a group.
struct GroupedAggregate: Sendable {
  var text: String
  var answer: @Sendable (GroupingModel, [GroupingModel.Row]) -> String

  /// Values of a field without the nulls.
  private static func values(_ model: GroupingModel, _ rows: [GroupingModel.Row], _ name: String) -> [GroupedValue] {
    rows.map { model.value($0, name) }.filter { !$0.isNull }
  }

  private static func distinct(_ values: [GroupedValue]) -> [GroupedValue] {
    var seen: Set<String> = []
    return values.filter { seen.insert($0.identity).inserted }
  }

  private static func list(_ values: [GroupedValue]) -> String {
    "[\(values.map(\.shown).joined(separator: ","))]"
  }

  private static func ints(_ model: GroupingModel, _ rows: [GroupingModel.Row]) -> [Int] {
    values(model, rows, "i").compactMap { Int($0.written) }
  }

  static let fixed: [GroupedAggregate] = [
    GroupedAggregate(text: "count()") { "\($1.count)" },
    GroupedAggregate(text: "sum(i)") { "\(ints($0, $1).reduce(0, +))" },
    GroupedAggregate(text: "avg(i)") { model, rows in
      let values = ints(model, rows)
      return values.isEmpty
        ? "null" : Datum.float(Double(values.reduce(0, +)) / Double(values.count)).json
    },
    GroupedAggregate(text: "sum(f)") { model, rows in
      // Quarters add up without a rounding.
      let total = values(model, rows, "f").compactMap { Double($0.written) }.reduce(0, +)
      return Datum.float(total).json
    },
    GroupedAggregate(text: "sum(distinct(i))") { "\(Set(ints($0, $1)).reduce(0, +))" },
    GroupedAggregate(text: "sum(i * 2 + 1)") { "\(ints($0, $1).reduce(0) { $0 + $1 * 2 + 1 })" },
    GroupedAggregate(text: "count(owner)") { "\($1.count { $0.owner != nil })" },
    GroupedAggregate(text: "count(distinct(owner))") { "\(Set($1.compactMap(\.owner)).count)" },
    GroupedAggregate(text: "join(s, \"|\")") { model, rows in
      "\"\(values(model, rows, "s").map { $0.shown.dropFirst().dropLast() }.joined(separator: "|"))\""
    },
    // Fails where a member has a zero, and for no other group.
    GroupedAggregate(text: "try(sum(div(12, i)))") { model, rows in
      let values = ints(model, rows)
      return values.contains(0) ? "null" : "\(values.reduce(0) { $0 + 12 / $1 })"
    },
    GroupedAggregate(text: "if(some(_items, i == 0), -1, max(div(12, i)))") { model, rows in
      let values = ints(model, rows)
      return values.contains(0) ? "-1" : values.map { 12 / $0 }.max().map { "\($0)" } ?? "null"
    },
    // The addition of one member, or the sum of several, has no place.
    GroupedAggregate(text: "try(sum(9223372036854775807 + i))") { model, rows in
      let values = ints(model, rows)
      if values.contains(where: { $0 > 0 }) { return "null" }
      let (sum, overflow) = values.reduce((0, false)) { sum, value in
        let (next, overflow) = sum.0.addingReportingOverflow(Int.max + value)
        return (next, sum.1 || overflow)
      }
      return overflow ? "null" : "\(sum)"
    },
  ]

  /// One over a field.
  static func random(_ random: inout SeededRandom) -> GroupedAggregate {
    let field = random.pick(GroupedField.all)
    let name = field.name
    var choices = [
      GroupedAggregate(text: "count(\(name))") { "\(values($0, $1, name).count)" },
      GroupedAggregate(text: "first(\(name))") { values($0, $1, name).first?.shown ?? "null" },
    ]
    if name == "l" {
      // The elements of the lists.
      choices[0] = GroupedAggregate(text: "count(l)") { model, rows in
        let elements = values(model, rows, "l").flatMap { $0.written.dropFirst().dropLast().split(separator: ",") }
        return "\(elements.count { $0 != "null" })"
      }
    } else {
      choices.append(GroupedAggregate(text: "collect(\(name))") { list(values($0, $1, name)) })
      choices.append(GroupedAggregate(text: "distinct(\(name))") { list(distinct(values($0, $1, name))) })
      choices.append(GroupedAggregate(text: "count(distinct(\(name)))") { "\(distinct(values($0, $1, name)).count)" })
    }
    if field.isAscending, name != "i" {
      let order = field.pool.map(\.identity)
      @Sendable func place(_ value: GroupedValue) -> Int { order.firstIndex(of: value.identity) ?? 0 }
      choices.append(
        GroupedAggregate(text: "min(\(name))") { model, rows in
          values(model, rows, name).min { place($0) < place($1) }?.shown ?? "null"
        })
      choices.append(
        GroupedAggregate(text: "max(\(name))") { model, rows in
          values(model, rows, name).max { place($0) < place($1) }?.shown ?? "null"
        })
    }
    return random.pick(choices)
  }
}
