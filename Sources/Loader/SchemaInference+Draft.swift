/// Types as they are made from data, until they are written as a schema.
struct SchemaDraft {
  struct Field {
    var name: String
    /// Holds the type as the schema writes it.
    var type: String
    var source: String?
    /// Indicates whether it holds texts and what JSON writes without quotes.
    var isMixed = false
    var isKey = false
    var isRowNumber = false
    /// Holds the field on the other side of a relation.
    var inverse: String?
    /// Indicates whether it only shows what the other side holds.
    var isInverse = false
    var cascades = false
    var isUnique = false
    var isIndexed = false
    var description: String?
  }

  struct TypeDraft {
    var name: String
    var source: String?
    /// Holds the name that data gives the id; nil where rows are numbered.
    var key: String?
    var fields: [Field] = []
    /// Indexes over several fields.
    var indexes: [(fields: [String], isUnique: Bool)] = []
    var description: String?
  }

  /// Writes a type in the schema definition language.
  static func write(_ type: TypeDraft, to text: inout String) {
    if let description = type.description { text += "\(quoted(description))\n" }
    text += "type \(type.name)"
    for index in type.indexes {
      let names = index.fields.map { "\"\($0)\"" }.joined(separator: ", ")
      text += " \(index.isUnique ? "@unique" : "@index")(fields: [\(names)])"
    }
    if let source = type.source { text += SourceNames.directive(source, unless: type.name) }
    text += " {\n"
    // The other sides of relations last: they hold nothing of the type's own.
    for field in type.fields where !field.isInverse { write(field, to: &text) }
    for field in type.fields where field.isInverse { write(field, to: &text) }
    text += "}\n\n"
  }

  private static func write(_ field: Field, to text: inout String) {
    if let description = field.description { text += "  \(quoted(description))\n" }
    text += "  \(field.name): \(field.type)"
    if field.isKey { text += " @id" }
    if field.isRowNumber { text += " @rowNumber" }
    text += SourceNames.directive(field.source ?? field.name, unless: field.name, isMixed: field.isMixed)
    if let inverse = field.inverse {
      text += " @relation(inverse: \"\(inverse)\"\(field.cascades ? ", onDelete: CASCADE" : ""))"
    }
    if field.isUnique { text += " @unique" } else if field.isIndexed { text += " @index" }
    text += "\n"
  }

  private static func quoted(_ text: String) -> String { SourceNames.quoted(text) }
}
