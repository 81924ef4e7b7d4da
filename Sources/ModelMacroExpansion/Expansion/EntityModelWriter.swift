/// Writes the extension that `@EntityModel` adds: what could be written by hand, and nothing else.
struct EntityModelWriter {
  let model: EntityModel
  /// The type as an extension names it.
  let type: String
  /// Whether the type is said to conform here, and not already elsewhere.
  let conforms: Bool

  func text() -> String {
    let conformance = conforms ? ": GQLiteModels.EntityModelProtocol" : ""
    var members = [describe(), read(), write()]
    if !model.hasPatch { members.append(patch()) }
    let lines = members.flatMap { $0 }.map { "  " + $0 }
    return (model.availability + ["extension \(type)\(conformance) {"] + lines + ["}"]).joined(separator: "\n")
  }

  /// A member with the lines of its body. One that touches a deprecated property is deprecated too: then the compiler
  /// warns neither of that nor of calls through the protocol.
  func member(_ head: String, _ lines: [String], touches: (EntityModel.Item) -> Bool) -> [String] {
    let availability = model.items.contains { $0.isDeprecated && touches($0) } ? ["@available(*, deprecated)"] : []
    return availability + [model.access + head + " {"] + lines.map { "  " + $0 } + ["}"]
  }

  /// The lines of all items, under the conditions of the source. Conditions around nothing are left out.
  func lines(_ lines: (EntityModel.Item) -> [String]) -> [String] {
    var result: [String] = []
    var open: [(start: Int, isEmpty: Bool)] = []
    for item in model.items {
      guard case .condition(let line) = item else {
        let added = lines(item)
        if !added.isEmpty { for index in open.indices { open[index].isEmpty = false } }
        result += added
        continue
      }
      if line.kind == .if { open.append((result.count, true)) }
      // A condition without a beginning is no Swift, and the compiler says so.
      guard let last = open.last else { continue }
      if line.kind == .endif {
        open.removeLast()
        if last.isEmpty {
          result.removeSubrange(last.start...)
          continue
        }
      }
      result.append(line.text)
    }
    return open.first.map { Array(result[..<$0.start]) } ?? result
  }

  // MARK: Members

  private func describe() -> [String] {
    member(
      "static func describe(_ model: inout GQLiteModels.EntityDescription<Self>)",
      (model.arguments.map { ["model.type(\($0))"] } ?? []) + lines(described) + ["model.readsAsDescribed()"],
      touches: { _ in true })
  }

  private func described(_ item: EntityModel.Item) -> [String] {
    switch item {
    case .column(let column):
      ["model.property(\(literal(column.name)), \\.\(column.name))"]
        + (column.isDoubtfulID ? ["model.id(\\.\(column.name))"] : []) + field(column.name, column.field)
    case .relation(let relation):
      [describe(relation)] + field(relation.name, relation.field)
    case .index(let index):
      ["model.\(index.kind.function)(\(([literal(index.name)] + index.arguments).joined(separator: ", ")))"]
    case .condition, .part:
      []
    }
  }

  /// Writes the number and the former names of a property's `@Field`.
  private func field(_ name: String, _ arguments: String?) -> [String] {
    arguments.map { ["model.field(\(literal(name)), \($0))"] } ?? []
  }

  private func describe(_ relation: EntityModel.Relation) -> String {
    let name = EntityModelReader.unquoted(relation.name)
    var arguments = [literal(name), "\\.\(relation.name)", "\\.$\(name)"]
    if let inverse = relation.inverse {
      arguments += ["inverse: \(inverse.root)$\(inverse.name)", literal(inverse.name)]
    }
    arguments.append("deleteRule: \(relation.deleteRule)")
    return "model.relation(\(arguments.joined(separator: ", ")))"
  }

  private func read() -> [String] {
    let columns = lines { item in
      guard case .column(let column) = item else { return [] }
      return [column.isRead ? "self.\(column.name) = try row.read(\(literal(column.name)))" : "row._skip()"]
    }
    // A relation that is declared with a value has it in new entities only.
    let relations = lines { item in
      guard case .relation(let relation) = item, relation.hasValue else { return [] }
      return ["self.$\(EntityModelReader.unquoted(relation.name)) = .none"]
    }
    return member(
      "init(from row: inout GQLiteModels.EntityReader<Self>) throws", columns + relations,
      touches: { $0.column?.isRead ?? true })
  }

  private func write() -> [String] {
    member(
      "func write(to row: inout GQLiteModels.EntityWriter<Self>) throws",
      lines { item in
        guard case .column(let column) = item else { return [] }
        return ["try row.write(self.\(column.name), as: \(literal(column.name)))"]
      }, touches: { $0.column != nil })
  }

  private func patch() -> [String] {
    let head = "static var patch: GQLiteModels.MergeStrategy<Self>"
    let touchesPatched = { (item: EntityModel.Item) in item.column?.isPatched ?? false }
    let patched = model.items.compactMap { item in
      if case .column(let column) = item, column.isPatched { column.name } else { nil }
    }
    let conditional = lines { item in
      guard case .column(let column) = item, column.isPatched else { return [] }
      return ["strategy = GQLiteModels.MergeStrategy(strategy, .patch(\\.\(column.name)))"]
    }
    guard conditional.count > patched.count else {
      let arguments = patched.map { ".patch(\\.\($0))" }.joined(separator: ", ")
      return member(head, ["GQLiteModels.MergeStrategy(\(arguments))"], touches: touchesPatched)
    }
    // Arguments can't stand under conditions, so the strategy is composed step by step. The second line keeps the
    // variable from being constant, which the compiler would warn of, when no condition holds.
    return member(
      head,
      ["var strategy = GQLiteModels.MergeStrategy<Self>()", "strategy = GQLiteModels.MergeStrategy(strategy)"]
        + conditional + ["return strategy"], touches: touchesPatched)
  }

  /// A name as a string literal. Names in backticks may hold quotes, but neither backslashes nor line ends.
  private func literal(_ name: String) -> String {
    var text = "\""
    for character in EntityModelReader.unquoted(name) {
      if character == "\"" { text.append("\\") }
      text.append(character)
    }
    return text + "\""
  }
}

extension EntityModel.Item {
  fileprivate var column: EntityModel.Column? { if case .column(let column) = self { column } else { nil } }

  fileprivate var isDeprecated: Bool {
    switch self {
    case .column(let column): column.isDeprecated
    case .relation(let relation): relation.isDeprecated
    case .part(let part): part.isDeprecated
    case .index, .condition: false
    }
  }
}

extension ConditionLine {
  /// As the source writes it.
  var text: String { condition.isEmpty ? "#\(kind.rawValue)" : "#\(kind.rawValue) \(condition)" }
}

extension EntityModel.Index.Kind {
  /// The function of `EntityDescription` that takes such an index.
  fileprivate var function: String {
    switch self {
    case .index: "index"
    case .hashIndex: "hashIndex"
    case .unique: "unique"
    case .fullTextIndex: "fullTextIndex"
    }
  }
}
