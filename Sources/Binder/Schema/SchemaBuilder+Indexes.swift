import GQLBase
import GQLCatalog
import GQLParser
import GQLText

extension SchemaBuilder {
  private struct IndexDraft {
    var kind: IndexDescriptor.Kind
    var name: String?
    var columns: [ColumnID]
    var isUnique = false
    var onConflict = IndexDescriptor.Conflict.fail
    var language: String?
    var range: SourceRange
    /// The place among the type's properties of a one-property index; those over paths and several come behind.
    var rank: Int
  }

  private struct IndexColumn {
    var column: ColumnID
    var property: PropertyID
    var isWholeProperty: Bool
    /// The column of the text as written, where `column` is that of the folded one.
    var original: ColumnID
  }

  mutating func buildIndexes(of position: Int) {
    let definition = drafts[entityDrafts[position]].definition
    catalog.types[position].indexNames()
    var entity = catalog.types[position]
    entity.idProperties = primaryKey(of: entity, definition)
    entity.numbersRows = numbersRows(entity, definition)
    HistoryDirective.apply(definition, to: &entity, &self)
    var found: [IndexDraft] = []
    var seen: Set<String> = []
    for field in definition.fields {
      // The second of two fields of one name was reported and left out.
      guard seen.insert(field.name.text).inserted, let property = entity.property(named: field.name.text)
      else { continue }
      for directive in field.directives {
        addIndex(directive, over: [(property.name, directive.name.range)], of: entity, to: &found)
      }
    }
    for directive in definition.directives
    where IndexDirective(named: directive.name.text) != nil {
      guard let paths = fields(of: directive) else { continue }
      addIndex(directive, over: paths, of: entity, to: &found)
    }
    install(found, in: &entity)
    catalog.types[position] = entity
  }

  /// The properties of the primary key, which become non-null.
  private mutating func primaryKey(of entity: EntityType, _ definition: TypeDefinition) -> [PropertyID] {
    var names: [(path: String, range: SourceRange)] = []
    if let directive = directives("id", of: definition.directives).first {
      names = fields(of: directive) ?? []
    }
    var marked: [(path: String, range: SourceRange)] = []
    for field in definition.fields {
      for directive in directives("id", of: field.directives) { marked.append((field.name.text, directive.name.range)) }
    }
    if names.isEmpty {
      if marked.count > 1 { report(.repeatedDirective(name: "id"), at: marked[1].range) }
      names = Array(marked.prefix(1))
    } else if let extra = marked.first {
      report(.repeatedDirective(name: "id"), at: extra.range)
    }
    if names.isEmpty, let field = definition.fields.first(where: { $0.name.text == "id" }) {
      names = [("id", field.name.range)]
    }
    var result: [PropertyID] = []
    for (name, range) in names {
      guard let property = entity.property(named: name) else {
        if !definition.fields.contains(where: { $0.name.text == name }) {
          let near = suggest(name, at: range, entity.properties.map(\.name))
          report(.unknownDirectiveField(name: name, type: entity.name, directive: "id", near: near), at: range)
        }
        continue
      }
      var reason = unfitness(of: property)
      if property.signature.type == .float { reason = .float }
      if let reason {
        // The directive's own report of a relation marked `@id` stands already.
        if reason != .relation || marked.isEmpty {
          report(.invalidKey(field: name, type: entity.name, reason: reason), at: range)
        }
      } else if !result.contains(property.id) {
        result.append(property.id)
      }
    }
    return result
  }

  /// Returns whether records without an id are numbered: `@rowNumber` on an id that can be a number.
  private mutating func numbersRows(_ entity: EntityType, _ definition: TypeDefinition) -> Bool {
    var isNumbered = false
    for field in definition.fields {
      for directive in directives("rowNumber", of: field.directives) {
        let id = entity.idProperties.count == 1 ? entity.idProperties.first : nil
        if let id, entity[id].name == field.name.text,
          [.scalar(.id), .scalar(.int)].contains(entity[id].signature.type)
        {
          isNumbered = true
        } else {
          report(.misplacedDirective(name: "rowNumber", reason: .notNumber), at: directive.name.range)
        }
      }
    }
    return isNumbered
  }

  private func unfitness(of property: Property) -> SchemaProblem.Unfit? {
    if case .computed = property.storage { return .computed }
    return unfitness(of: property.signature.type)
  }

  private func unfitness(
    of type: ValueType, for content: IndexDescriptor.Kind.Facts.Content
  ) -> SchemaProblem.Unfit? {
    guard let part = content.part(of: type) else { return unfitness(of: type) ?? .unlike(content) }
    return unfitness(of: part)
  }

  private func unfitness(of type: ValueType) -> SchemaProblem.Unfit? {
    switch type {
    case .scalar(.json): .json
    case .scalar, .enumeration, .null: nil
    case .list(.entity), .entity: .relation
    case .list: .list
    case .embedded: .embedded
    }
  }

  /// Types without a primary key share the form of an index over no column, so that every type has one.
  mutating func installNoKeys() {
    for index in catalog.types.indices where catalog.types[index].kind != .entity {
      let id = IndexID(catalog.indexes.count)
      catalog.types[index].primaryIndex = id
      catalog.indexes.append(
        IndexDescriptor(
          id: id, type: catalog.types[index].id, name: "none", kind: .hash, columns: [], isPrimary: true))
    }
  }

  private mutating func addIndex(
    _ directive: Directive, over paths: [(path: String, range: SourceRange)], of entity: EntityType,
    to found: inout [IndexDraft]
  ) {
    guard let form = IndexDirective(named: directive.name.text) else { return }
    var draft = IndexDraft(
      kind: form.kinds[0], columns: [], isUnique: form.isUnique, range: directive.range, rank: entity.properties.count)
    for argument in form.arguments {
      switch argument {
      case "kind": draft.kind = choice(argument, of: directive, among: form.kinds) ?? draft.kind
      case "onConflict":
        draft.onConflict = choice(argument, of: directive, among: [IndexDescriptor.Conflict.fail, .replace]) ?? .fail
      case "language": draft.language = language(of: directive)
      default: break
      }
    }
    draft.name = string("name", of: directive)
    for (path, range) in paths {
      guard let column = indexColumn(path, range, of: entity, draft.kind, directive.name.text) else { return }
      if !draft.kind.facts.hasKeys {
        if draft.columns.contains(column.original) { continue }
        draft.columns.append(column.original)
      } else {
        draft.columns.append(column.column)
      }
      if paths.count == 1, column.isWholeProperty { draft.rank = Int(column.property.index) }
    }
    found.append(draft)
  }

  /// The column that an index over `a` or `a.b` compares.
  private mutating func indexColumn(
    _ path: String, _ range: SourceRange, of entity: EntityType, _ kind: IndexDescriptor.Kind, _ directive: String
  ) -> IndexColumn? {
    let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let first = steps.first, let property = entity.property(named: first) else {
      let isWrittenElsewhere = drafts[entityDrafts[Int(entity.id.index)]].definition.fields.contains {
        $0.name.text == path
      }
      if !isWrittenElsewhere {
        let near = suggest(path, at: range, entity.properties.map(\.name))
        report(.unknownDirectiveField(name: path, type: entity.name, directive: directive, near: near), at: range)
      }
      return nil
    }
    var storage = property.storage
    var type = property.signature.type
    for step in steps.dropFirst() {
      guard case .embedded(let id, _, let fields) = storage, case let embedded = catalog[id],
        let index = embedded.fields.firstIndex(where: { $0.name.utf8.elementsEqual(step.utf8) }), index < fields.count
      else {
        var near: [String] = []
        if case .embedded(let id, _, _) = storage { near = nearestNames(to: step, in: catalog[id].fields.map(\.name)) }
        report(
          .unknownDirectiveField(
            name: step, type: catalog.name(of: type), directive: directive, near: near), at: range)
        return nil
      }
      storage = fields[index]
      type = embedded.fields[index].signature.type
    }
    if case .computed = storage {
      report(.notIndexable(field: path, type: entity.name, reason: .computed), at: range)
      return nil
    }
    if let reason = unfitness(of: type, for: kind.facts.content) {
      report(.notIndexable(field: path, type: entity.name, reason: reason), at: range)
      return nil
    }
    guard case .column(let column, let folded) = storage else { return nil }
    return IndexColumn(
      column: folded ?? column, property: property.id, isWholeProperty: steps.count == 1, original: column)
  }

  /// The language of a full-text index.
  private mutating func language(of directive: Directive) -> String {
    guard let written = string("language", of: directive) else { return TextLanguage.standard.code }
    if let language = TextLanguage(written) { return language.code }
    if let argument = argument("language", of: directive) {
      wrong(
        argument, of: directive, expected: "the code of a language, or none",
        near: nearestNames(to: written, in: TextLanguage.codes))
    }
    return TextLanguage.standard.code
  }

  private mutating func install(_ found: [IndexDraft], in entity: inout EntityType) {
    var keyColumns: [ColumnID] = []
    for id in entity.idProperties {
      entity.properties[Int(id.index)].signature.isNonNull = true
      guard case .column(let column, let folded) = entity[id].storage else { continue }
      entity.columns[Int(column.index)].isNonNull = true
      if let folded { entity.columns[Int(folded.index)].isNonNull = true }
      keyColumns.append(folded ?? column)
    }
    // By property, then in the order written, so that a printed schema gives the same identifiers.
    var ordered = found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(
      \.element)
    ordered.removeAll { $0.isUnique && $0.columns == keyColumns && $0.name == nil }
    var names: Set<String> = []
    for draft in ordered {
      guard let name = draft.name else { continue }
      if !names.insert(name).inserted {
        report(.duplicateIndexName(name: name, type: entity.name), at: draft.range)
      }
    }
    entity.primaryIndex = IndexID(catalog.indexes.count)
    let primary = IndexDraft(
      kind: .hash, columns: keyColumns, isUnique: true, range: SourceRange(at: 0), rank: 0)
    for (offset, draft) in ([primary] + ordered).enumerated() {
      let id = IndexID(catalog.indexes.count)
      let name = draft.name ?? generatedName(for: draft, in: entity, besides: names)
      names.insert(name)
      entity.indexes.append(id)
      catalog.indexes.append(
        IndexDescriptor(
          id: id, type: entity.id, name: name, kind: draft.kind, columns: draft.columns, isUnique: draft.isUnique,
          isPrimary: offset == 0, onConflict: draft.onConflict, language: draft.language))
    }
  }

  private func generatedName(for draft: IndexDraft, in entity: EntityType, besides names: Set<String>) -> String {
    let base = draft.columns.map { entity[$0].name }.joined(separator: ",")
    if !names.contains(base) { return base }
    let suffix = draft.isUnique ? "unique" : draft.kind.rawValue.lowercased()
    var name = "\(base) \(suffix)"
    var number = 2
    while names.contains(name) {
      name = "\(base) \(suffix) \(number)"
      number += 1
    }
    return name
  }
}
