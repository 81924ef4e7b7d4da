extension Model {
  /// The schema as the engine reads it.
  package var sdl: String {
    var text = "enum Colour { \(Self.colours.joined(separator: " ")) }\n"
    for shape in shapes {
      switch shape.role {
      case .union: text += "union \(shape.name) = \(shape.members.joined(separator: " | "))\n"
      case .interface: text += "interface \(shape.name) {\n\(Self.fields(of: shape))}\n"
      case .entity, .embedded:
        let implements = shape.interfaces.isEmpty ? "" : " implements \(shape.interfaces.joined(separator: " & "))"
        text += "type \(shape.name)\(implements)\(shape.directives) {\n\(Self.fields(of: shape))}\n"
      }
    }
    return text
  }

  private static func fields(of shape: Shape) -> String {
    var text = ""
    for field in shape.fields {
      let folded = field.isFolded ? " @collate(CI)" : ""
      let computed = field.computed.map { " @computed(as: \(Datum.quoted($0.text)))" } ?? ""
      let required = field.isNonNull || (field.kind.isList && field.computed == nil) ? "!" : ""
      text += "  \(field.name): \(field.kind.typeName)\(required)\(folded)\(field.directives)\(computed)\n"
    }
    for relation in shape.relations {
      let inverse = relation.inverse.map { " @relation(inverse: \"\($0)\")" } ?? ""
      text += "  \(relation.name): \(relation.isMany ? "[\(relation.target)!]!" : relation.target)\(inverse)\n"
    }
    return text
  }

  /// The data as the engine reads it: a line for each entity, in the order of insertion.
  package var ndjson: String {
    insertion.map(line).joined()
  }

  private func line(_ entity: Datum) -> String {
    guard case .entity(let type, let row) = entity, let shape = shape(type), let values = rows[type]?[row] else {
      return ""
    }
    var members = ["\"__typename\":\"\(type)\""]
    for field in shape.fields where field.computed == nil {
      members.append("\"\(field.name)\":\((values[field.name] ?? .null).json)")
    }
    for relation in shape.relations where relation.isWritten {
      let linked = links[type]?[relation.name]?[row] ?? []
      let ids = linked.map { target -> String in
        guard case .entity(let type, let row) = target else { return "null" }
        return rows[type]?[row]["id"]?.json ?? "null"
      }
      members.append(
        "\"\(relation.name)\":\(relation.isMany ? "[\(ids.joined(separator: ","))]" : ids.first ?? "null")")
    }
    return "{\(members.joined(separator: ","))}\n"
  }
}

extension Kind {
  var isList: Bool {
    switch self {
    case .list, .embeddedList: true
    default: false
    }
  }
}
