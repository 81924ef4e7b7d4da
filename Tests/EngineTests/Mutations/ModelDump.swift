/// The whole of a model's state, and what its fields answer, as the engine would write it.
struct ModelDump {
  let schema: ModelSchema

  /// All types, living and deleted entities, in one document.
  var query: String {
    var text = "{\n"
    for (number, type) in schema.types.enumerated() {
      let scalars = ([type.idSelection] + type.fields.map(\.selection)).joined(separator: " ")
      text += "  l\(number): \(type.name) { \(schema.selection(number)) _status _createdAt _updatedAt }\n"
      text += "  d\(number): \(type.name)(deleted: ONLY) { \(scalars) _status _createdAt _updatedAt }\n"
      text += "  s\(number): \(type.name)(deleted: INCLUDE) { \(type.idSelection) \(sleeping(number)) }\n"
      text += "  i\(number): \(type.name)(deleted: INCLUDE) { \(type.idSelection) _status }\n"
      text += "  n\(number): count(\(type.name))\n"
    }
    if schema.types.contains(where: \.isNamed) { text += "  named: Named { __typename id name }\n" }
    return text + "}"
  }

  /// The relations with the links that sleep, and these alone.
  private func sleeping(_ type: Int) -> String {
    schema.named(of: type).map { place in
      let relation = schema.relations[place]
      let name = relation.name ?? ""
      let isNamed = relation.target == ModelSchema.named
      let selection = isNamed ? "{ __typename id }" : "{ \(schema.types[relation.target].idSelection) }"
      return "both_\(name): \(name)(deleted: INCLUDE) \(selection) only_\(name): \(name)(deleted: ONLY) \(selection)"
    }.joined(separator: " ")
  }

  private func sleeping(_ entity: ModelEntity, _ state: ModelState) -> String {
    schema.named(of: entity.type).map { place in
      let linked = (entity.links[place] ?? []).compactMap { state.entities[$0] }
      let name = schema.relations[place].name ?? ""
      return "\"both_\(name)\":\(objects(linked, place)),\"only_\(name)\":"
        + objects(linked.filter { $0.deletion != nil }, place)
    }.map { ",\($0)" }.joined()
  }

  func answer(_ state: ModelState) -> String {
    var members: [String] = []
    for number in schema.types.indices {
      let living = state.living(number)
      let deleted = state.deleted(number)
      let both = (living + deleted).sorted { $0.serial < $1.serial }
      members.append("\"l\(number)\":" + list(living.map { "{\(object($0, state)),\(meta($0))}" }))
      members.append("\"d\(number)\":" + list(deleted.map { "{\(scalars($0)),\(meta($0))}" }))
      members.append("\"s\(number)\":" + list(both.map { "{\(id($0))\(sleeping($0, state))}" }))
      members.append("\"i\(number)\":" + list(both.map { "{\(id($0)),\"_status\":\(status($0))}" }))
      members.append("\"n\(number)\":\(living.count)")
    }
    if schema.types.contains(where: \.isNamed) {
      let named = state.entities.values
        .filter { $0.deletion == nil && schema.types[$0.type].isNamed }.sorted { $0.serial < $1.serial }
      members.append(
        "\"named\":"
          + list(
            named.map { entity in
              let name = entity.fields[0]?.json ?? "null"
              return "{\"__typename\":\"\(schema.types[entity.type].name)\",\"id\":\(entity.id),\"name\":\(name)}"
            }))
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// What the fields of an operation answer.
  func answer(_ statements: [(statement: ModelStatement, outcome: ModelState.Outcome, after: ModelState)]) -> String {
    let members = statements.enumerated().map { number, entry in
      let (statement, outcome, after) = entry
      let state = outcome.before ?? after
      guard statement.hasSelection else { return "\"m\(number)\":\(outcome.serials.count)" }
      let objects = outcome.serials.compactMap { state.entities[$0] }.map { entity in
        var text = object(entity, state)
        if case .upsert = statement.change { text += ",\"_inserted\":\(outcome.inserted.contains(entity.serial))" }
        return "{\(text)}"
      }
      return "\"m\(number)\":\(list(objects))"
    }
    return "{\(members.joined(separator: ","))}"
  }

  private func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

  private func id(_ entity: ModelEntity) -> String { schema.types[entity.type].json(id: entity.id) }

  private func scalars(_ entity: ModelEntity) -> String {
    ([id(entity)] + zip(schema.types[entity.type].fields, entity.fields).map { "\"\($0.name)\":\($1?.json ?? "null")" })
      .joined(separator: ",")
  }

  private func object(_ entity: ModelEntity, _ state: ModelState) -> String {
    var members = [id(entity)]
    for (place, field) in schema.types[entity.type].fields.enumerated() {
      var text = entity.fields[place]?.json ?? "null"
      if field.kind == .spot, text != "null" {
        let links = schema.within(place, of: entity.type).map { member($0, entity, state) }
        text = "\(text.dropLast()),\(links.joined(separator: ","))}"
      }
      members.append("\"\(field.name)\":\(text)")
    }
    members += schema.named(of: entity.type).map { member($0, entity, state) }
    return members.joined(separator: ",")
  }

  private func member(_ place: Int, _ entity: ModelEntity, _ state: ModelState) -> String {
    let relation = schema.relations[place]
    let shown = entity.deletion == nil ? state.seen(place, entity.serial).compactMap { state.entities[$0] } : []
    return "\"\(relation.name ?? "")\":" + objects(shown, place)
  }

  /// What a relation leads to.
  private func objects(_ shown: [ModelEntity], _ place: Int) -> String {
    let relation = schema.relations[place]
    let objects = shown.map { target in
      let name = relation.target == ModelSchema.named ? "\"__typename\":\"\(schema.types[target.type].name)\"," : ""
      return "{\(name)\(id(target))}"
    }
    return relation.isMany ? list(objects) : objects.first ?? "null"
  }

  private func status(_ entity: ModelEntity) -> String { entity.deletion == nil ? "\"CREATED\"" : "\"DELETED\"" }

  private func meta(_ entity: ModelEntity) -> String {
    let (created, updated) = (Self.time(entity.created), Self.time(entity.updated))
    return "\"_status\":\(status(entity)),\"_createdAt\":\"\(created)\",\"_updatedAt\":\"\(updated)\""
  }

  /// The moment of an operation, by its number.
  static func time(_ number: Int) -> String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "1970-01-01T\(two(number / 3600)):\(two(number / 60 % 60)):\(two(number % 60))Z"
  }
}
