/// An object that a mutation saves.
struct ModelRow {
  var id: Int?
  /// Of an object where an interface is wanted.
  var type: Int?
  var fields: [(place: Int, value: ModelValue?)] = []
  var links: [ModelLink] = []
}

/// What a row or a change says of a relation.
struct ModelLink {
  enum Mode: String { case assign, set, append, remove }
  enum Target {
    case id(Int)
    case row(ModelRow)
  }
  var relation: Int
  var mode = Mode.assign
  /// Nil for null.
  var targets: [Target]?
}

/// What a change writes into a field.
enum ModelExpression {
  case value(ModelValue?)
  /// Another field of the same kind.
  case copy(Int)
  /// The field plus a number; null stays null.
  case plus(Int, Int)
  /// The field and more text.
  case text(Int, String)
  /// Of an upsert's decision: `coalesce(old.f, 0) + coalesce(new.f, 0)`.
  case sum(Int)
  /// Of an upsert's decision: what the row says.
  case new(Int)
}

enum ModelCondition {
  case all
  case ids([Int])
  case equals(Int, ModelValue)
  case isNull(Int)
  case below(Int, Int)
}

enum ModelStrategy: String, CaseIterable {
  case fail = "FAIL"
  case keep = "KEEP"
  case replace = "REPLACE"
  case patch = "PATCH"
  case append = "APPEND"
  case lastWrite = "LAST_WRITE_WINS"
}

enum ModelChange {
  case insert([ModelRow])
  case upsert([ModelRow], on: Int?, ModelStrategy?, by: Int?, set: [(place: Int, value: ModelExpression)])
  case update(ModelCondition, id: Int?, set: [(place: Int, value: ModelExpression)], links: [ModelLink])
  case delete(ModelCondition, isHard: Bool)
  case restore(ModelCondition)
}

/// A field of a mutation.
struct ModelStatement {
  var type: Int
  var change: ModelChange
  /// Rows come in a variable instead of in the text.
  var usesVariable = false
  /// Without one the field answers with a number.
  var hasSelection = true
}

// MARK: - As text

struct ModelPrinter {
  let schema: ModelSchema

  func document(_ statements: [ModelStatement]) -> (text: String, variables: String) {
    var declarations: [String] = []
    var values: [String] = []
    var fields: [String] = []
    for (number, statement) in statements.enumerated() {
      let name = schema.types[statement.type].name
      var arguments: [String] = []
      if let rows = rows(statement) {
        if statement.usesVariable {
          declarations.append("$v\(number): [\(name)Input!]!")
          values.append("\"v\(number)\": [" + rows.map { json($0, statement.type) }.joined(separator: ", ") + "]")
          arguments.append("data: $v\(number)")
        } else {
          arguments.append("data: [" + rows.map { literal($0, statement.type) }.joined(separator: ", ") + "]")
        }
      }
      arguments += rest(statement)
      let verb = verb(statement.change)
      let given = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      let selection =
        statement.hasSelection ? " { \(schema.selection(statement.type))\(verb == "upsert" ? " _inserted" : "") }" : ""
      fields.append("m\(number): \(verb)\(name)\(given)\(selection)")
    }
    let declared = declarations.isEmpty ? "" : "(\(declarations.joined(separator: ", ")))"
    // It says what is so anyway.
    let directive = fields.count > 1 && statements[0].usesVariable ? " @transaction" : ""
    return (
      "mutation\(declared)\(directive) {\n  \(fields.joined(separator: "\n  "))\n}",
      "{\(values.joined(separator: ", "))}"
    )
  }

  private func verb(_ change: ModelChange) -> String {
    switch change {
    case .insert: "insert"
    case .upsert: "upsert"
    case .update: "update"
    case .delete: "delete"
    case .restore: "restore"
    }
  }

  private func rows(_ statement: ModelStatement) -> [ModelRow]? {
    switch statement.change {
    case .insert(let rows), .upsert(let rows, _, _, _, _): rows
    default: nil
    }
  }

  private func rest(_ statement: ModelStatement) -> [String] {
    let type = schema.types[statement.type]
    switch statement.change {
    case .insert: return []
    case .upsert(_, let on, let strategy, let by, let set):
      var arguments: [String] = []
      if let on {
        let names = type.keys[on].fields.flatMap { $0 < 0 && type.isCompound ? ["row", "number"] : [name($0, type)] }
        arguments.append("on: [\(names.joined(separator: ", "))]")
      }
      if let strategy { arguments.append("strategy: \(strategy.rawValue)") }
      if let by { arguments.append("by: \(type.fields[by].name)") }
      if !set.isEmpty {
        arguments.append(
          "set: {"
            + set.map { "\(type.fields[$0.place].name): \(expression($0.value, type, "old."))" }.joined(separator: ", ")
            + "}")
      }
      return arguments
    case .update(let condition, let id, let set, let links):
      var members = set.map { place, value in
        if case .value(let value) = value, type.fields[place].kind == .spot {
          return "\(type.fields[place].name): \(spot(value, place, statement.type, links, isJSON: false))"
        }
        return "\(type.fields[place].name): \(expression(value, type, ""))"
      }
      if let id { members.append(type.literal(id: id)) }
      members += links.filter { schema.relations[$0.relation].within == nil }
        .map { "\(schema.relations[$0.relation].name ?? ""): \(written($0, isJSON: false))" }
      return self.condition(condition, type) + ["set: {\(members.joined(separator: ", "))}"]
    case .delete(let condition, let isHard): return self.condition(condition, type) + (isHard ? ["hard: true"] : [])
    case .restore(let condition): return self.condition(condition, type)
    }
  }

  private func name(_ place: Int, _ type: ModelType) -> String { place < 0 ? "id" : type.fields[place].name }

  private func condition(_ condition: ModelCondition, _ type: ModelType) -> [String] {
    switch condition {
    case .all: return ["all: true"]
    case .ids(let ids) where ids.count == 1 || type.isCompound:
      return ["where: \(ids.map(type.condition(id:)).joined(separator: " or "))"]
    case .ids(let ids): return ["where: id in [\(ids.map { "\($0)" }.joined(separator: ", "))]"]
    case .equals(let place, let value): return ["where: \(type.fields[place].name) == \(value.literal)"]
    case .isNull(let place): return ["where: \(type.fields[place].name) is null"]
    case .below(let place, let bound): return ["where: \(type.fields[place].name) < \(bound)"]
    }
  }

  private func expression(_ expression: ModelExpression, _ type: ModelType, _ prefix: String) -> String {
    func field(_ place: Int) -> String { prefix + type.fields[place].name }
    switch expression {
    case .value(let value): return value?.literal ?? "null"
    case .copy(let place): return field(place)
    // A function of the program does the same.
    case .plus(let place, 2): return "bump(\(field(place)), 2)"
    case .plus(let place, let number): return "\(field(place)) + \(number)"
    case .text(let place, let text): return "\(field(place)) + \"\(text)\""
    case .sum(let place): return "coalesce(\(field(place)), 0) + coalesce(new.\(type.fields[place].name), 0)"
    case .new(let place): return "new.\(type.fields[place].name)"
    }
  }

  // MARK: - Rows

  func literal(_ row: ModelRow, _ type: Int) -> String { written(row, type, isJSON: false) }
  func json(_ row: ModelRow, _ type: Int) -> String { written(row, type, isJSON: true) }

  private func key(_ name: String, _ isJSON: Bool) -> String { isJSON ? "\"\(name)\"" : name }

  private func written(_ row: ModelRow, _ type: Int, isJSON: Bool) -> String {
    let type = row.type ?? type
    let declared = schema.types[type]
    var members = row.type == nil ? [] : ["\(key("__typename", isJSON)): \"\(declared.name)\""]
    if let id = row.id { members.append(isJSON ? declared.json(id: id) : declared.literal(id: id)) }
    members += row.fields.map { place, value in
      let field = declared.fields[place]
      let text =
        field.kind == .spot
        ? spot(value, place, type, row.links, isJSON: isJSON) : (isJSON ? value?.json : value?.literal) ?? "null"
      return "\(key(field.name, isJSON)): \(text)"
    }
    members += row.links.filter { schema.relations[$0.relation].within == nil }.map { link in
      "\(key(schema.relations[link.relation].name ?? "", isJSON)): \(written(link, isJSON: isJSON))"
    }
    return "{\(members.joined(separator: ", "))}"
  }

  /// An embedded object with its links; those that it does not name have no targets.
  private func spot(_ value: ModelValue?, _ place: Int, _ type: Int, _ links: [ModelLink], isJSON: Bool) -> String {
    guard case .object(let members)? = value else { return "null" }
    let fields = members.map { "\(key($0.name, isJSON)): \((isJSON ? $0.value?.json : $0.value?.literal) ?? "null")" }
    let inner = links.filter { schema.relations[$0.relation].within == place && $0.targets != nil }.map {
      "\(key(schema.relations[$0.relation].name ?? "", isJSON)): \(written($0, isJSON: isJSON))"
    }
    return "{\((fields + inner).joined(separator: ", "))}"
  }

  private func written(_ link: ModelLink, isJSON: Bool) -> String {
    guard let targets = link.targets else { return "null" }
    let relation = schema.relations[link.relation]
    let texts = targets.map { target in
      switch target {
      case .id(let id): "\(id)"
      case .row(let row): written(row, relation.target, isJSON: isJSON)
      }
    }
    guard relation.isMany else { return texts.first ?? "null" }
    let list = "[\(texts.joined(separator: ", "))]"
    return link.mode == .assign ? list : "{\(key(link.mode.rawValue, isJSON)): \(list)}"
  }
}
