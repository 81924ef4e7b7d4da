import GQLBase
import GQLCatalog

/// A schema that was made of records.
package struct InferredSchema {
  package var sdl: String
  /// Holds what was decided, a sentence each.
  package var notes: [String]
}

/// A writer of the types of an inference as a schema.
struct InferenceWriter {
  private let drafts: [SchemaInference.Draft]
  private var types: [SchemaDraft.TypeDraft] = []
  /// By type: the names of its fields.
  private var fieldNames: [UniqueNames] = []
  private var typeNames: UniqueNames
  /// Embedded types that are still to be written.
  private var embedded: [(name: String, shape: ValueShape, owner: Int)] = []
  private var embeddedTypes: [SchemaDraft.TypeDraft] = []
  /// By type: how many columns its fields take.
  private var columns: [Int] = []
  /// Relations whose other side is to be made.
  private var relations: [(source: Int, field: Int, target: Int)] = []
  private(set) var notes: [String] = []
  /// An object with more names than this is a table by names, rather than an object of one kind.
  private static let mostEmbedded = 1_000

  init(_ drafts: [SchemaInference.Draft], _ typeNames: UniqueNames) {
    self.drafts = drafts
    self.typeNames = typeNames
  }

  mutating func sdl() throws(LoadFailure) -> String {
    for index in drafts.indices {
      columns.append(4)
      if let table = drafts[index].table {
        types.append(table)
        fieldNames.append(UniqueNames(Set(table.fields.map(\.name))))
        addLinks(of: index)
      } else {
        try addType(index)
      }
    }
    var next = 0
    while next < embedded.count {
      addEmbedded(embedded[next])
      next += 1
    }
    addInverses()
    sayPlaces()
    var text = ""
    for type in types { SchemaDraft.write(type, to: &text) }
    for type in embeddedTypes { SchemaDraft.write(type, to: &text) }
    return text
  }

  /// Names the places of tables in their files where the files would be records by the schema that is written.
  private mutating func sayPlaces() {
    for index in drafts.indices {
      guard let place = drafts[index].place else { continue }
      let stem = SourceNames.legalType(place.stem)
      let owners = types.indices.filter { $0 == index || SourceNames.areAlike(types[$0].name, stem) }
      let isRecord = owners.contains { owner in
        types[owner].fields.contains { place.keys.contains($0.source ?? $0.name) }
      }
      if isRecord { types[index].source = place.path }
    }
  }

  // MARK: - Types

  private mutating func addType(_ index: Int) throws(LoadFailure) {
    let draft = drafts[index]
    guard !draft.shape.isSparse else {
      throw LoadFailure(
        code: LoadProblem.tooLarge.code,
        "'\(draft.source ?? draft.name)' has \(draft.shape.members.count) columns, of which nearly all are empty in"
          + " each of its \(draft.shape.objects) records",
        help: "write what the names of the columns say as values")
    }
    guard !draft.shape.isMap else {
      throw LoadFailure(
        code: LoadProblem.tooLarge.code,
        "'\(draft.source ?? draft.name)' has more than \(SchemaInference.mostFields) columns")
    }
    var type = SchemaDraft.TypeDraft(name: draft.name, source: draft.source)
    var names = UniqueNames()
    let id = draft.identity.member
    var number: String?
    switch draft.identity {
    case .id: _ = names.take("id")
    case .rowNumber, .none:
      let isFree = draft.shape.place(of: "id") == nil
      number = isFree ? names.take("id") : nil
    case .key: break
    }
    let fields = Self.name(draft.shape.members, except: isRenamed(draft) ? id : nil, &names, "'\(draft.name)'", &notes)
    if draft.identity == .rowNumber || draft.identity == .none {
      let name = number ?? names.take("rowNumber")
      type.fields.append(SchemaDraft.Field(name: name, type: "ID!", isKey: name != "id", isRowNumber: true))
    }
    columns[index] += draft.shape.members.count
    let first = id.flatMap { draft.shape.place(of: $0) }
    if let first, let id {
      var field = SchemaDraft.Field(name: fields[first] ?? "id", type: "ID!", source: id.string)
      if case .key = draft.identity {
        field.isKey = true
        if draft.shape.members[first].shape.kinds == .text { field.type = "String!" }
        field.description = "The id of '\(draft.name)': every record has one, and no two have the same."
      }
      type.fields.append(field)
    }
    fieldNames.append(names)
    types.append(type)
    for place in draft.shape.members.indices where place != first {
      addMember(draft.shape.members[place], fields[place] ?? "", of: draft.shape, index, to: &type)
    }
    types[index].fields = type.fields
    for place in type.fields.indices {
      if let target = targets[type.fields[place].name] { relations.append((index, place, target)) }
    }
    targets = [:]
  }
  /// Holds the relations of the type that is being made, by field.
  private var targets: [String: Int] = [:]

  private func isRenamed(_ draft: SchemaInference.Draft) -> Bool {
    if case .id = draft.identity { true } else { false }
  }

  /// Names fields: first those whose names in data are legal, so that these keep them.
  private static func name(
    _ members: [ShapeMember], except id: Text?, _ names: inout UniqueNames, _ owner: String,
    _ notes: inout [String]
  ) -> [String?] {
    var result: [String?] = Array(repeating: nil, count: members.count)
    for (place, member) in members.enumerated() where member.name != id {
      let name = member.name.string
      if SourceNames.legalField(name) == name, !names.contains(name) { result[place] = names.take(name) }
    }
    for (place, member) in members.enumerated() where member.name != id && result[place] == nil {
      let wanted = SourceNames.legalField(member.name.string)
      let name = names.take(wanted)
      result[place] = name
      if name != wanted, notes.count < SchemaInference.mostNotes {
        notes.append("\(owner): '\(member.name.string)' is the field '\(name)', since '\(wanted)' is taken")
      }
    }
    return result
  }

  private mutating func addEmbedded(_ item: (name: String, shape: ValueShape, owner: Int)) {
    // A type with a field of that name is one of entities, which would be linked once, however often they are said.
    var names = UniqueNames(["id"])
    let fields = Self.name(item.shape.members, except: nil, &names, "'\(item.name)'", &notes)
    fieldNames.append(names)
    var type = SchemaDraft.TypeDraft(name: item.name)
    for place in item.shape.members.indices {
      addMember(item.shape.members[place], fields[place] ?? "", of: item.shape, nil, to: &type, item.owner)
    }
    targets = [:]
    fieldNames.removeLast()
    embeddedTypes.append(type)
  }

  // MARK: - Fields

  /// Adds the fields that a member makes: the values as they are written, a relation, or both.
  ///
  /// - Parameters:
  ///   - index: The entity type that the fields belong to; nil for those of an embedded type.
  private mutating func addMember(
    _ member: ShapeMember, _ name: String, of shape: ValueShape, _ index: Int?,
    to type: inout SchemaDraft.TypeDraft, _ owner: Int? = nil
  ) {
    let isComplete =
      shape.objects > 0 && member.shape.nulls == 0 && member.shape.values >= shape.objects
      && !member.shape.kinds.hasNullWords
    let isList = member.shape.kinds.contains(.list)
    let source = member.name.string
    guard let link = member.shape.link else {
      var text = typeText(member, isComplete: isComplete, type.name, index ?? owner ?? 0)
      if let entity = isList ? member.shape.element.first?.entity : member.shape.entity {
        let target = drafts[entity].name
        text = isList ? "[\(target)!]!" : target + (isComplete ? "!" : "")
        if index != nil { targets[name] = entity }
      }
      type.fields.append(SchemaDraft.Field(name: name, type: text, source: source, isMixed: Self.isMixed(member.shape)))
      return
    }
    let place = fieldNames.count - 1
    var relation = name
    if link.hasOwnName {
      if link.dangling > 0 {
        let written = fieldNames[place].take(name + (isList ? "_ids" : "_id"))
        type.fields.append(
          SchemaDraft.Field(
            name: written, type: typeText(member, isComplete: isComplete, type.name, index ?? owner ?? 0),
            source: source, isMixed: Self.isMixed(member.shape)))
      }
    } else {
      type.fields.append(
        SchemaDraft.Field(
          name: name, type: typeText(member, isComplete: isComplete, type.name, index ?? owner ?? 0), source: source,
          isMixed: Self.isMixed(member.shape)))
      relation = fieldNames[place].take(Self.relationName(source, isList: isList))
    }
    let target = drafts[link.target].name
    let isRequired = isComplete && link.dangling == 0
    type.fields.append(
      SchemaDraft.Field(
        name: relation, type: isList ? "[\(target)!]!" : target + (isRequired ? "!" : ""), source: source))
    if index != nil { targets[relation] = link.target }
    columns[index ?? owner ?? 0] += 1
  }

  /// Returns whether texts of JSON stand beside numbers and truth values; cells of CSV are texts anyway.
  private static func isMixed(_ shape: ValueShape) -> Bool {
    guard shape.kinds == .list, let element = shape.element.first else {
      return !shape.isOfCSV && shape.kinds.isMixed
    }
    return element.kinds.isMixed
  }

  private static func relationName(_ source: String, isList: Bool) -> String {
    isList ? SourceNames.many(SourceNames.withoutIDEnding(source) ?? source) : SourceNames.relation(source)
  }

  private mutating func typeText(
    _ member: ShapeMember, isComplete: Bool, _ owner: String, _ root: Int
  ) -> String {
    let shape = member.shape
    let mark = isComplete ? "!" : ""
    if shape.kinds == .list, let element = shape.element.first {
      if element.kinds == .object, element.nulls == 0, element.entity == nil, !element.members.isEmpty,
        element.members.count <= Self.mostEmbedded, !element.isSparse
      {
        return "[\(embed(element, owner, member.name, root))!]!"
      }
      let scalar = element.kinds.isEmpty ? "JSON" : element.kinds.scalar
      return scalar.map { "[\($0)\(element.nulls == 0 ? "!" : "")]\(mark)" } ?? "JSON" + mark
    }
    if shape.kinds == .object || shape.kinds.isEmpty && !shape.members.isEmpty {
      let width = 1 + Self.width(shape)
      guard !shape.members.isEmpty, shape.members.count <= Self.mostEmbedded, !shape.isSparse,
        columns[root] + width < SchemaInference.mostFields
      else { return "JSON" + mark }
      columns[root] += width
      return embed(shape, owner, member.name, root) + mark
    }
    if shape.kinds.isEmpty { return shape.isOfCSV ? "String" : "JSON" }
    return (shape.kinds.scalar ?? "JSON") + mark
  }

  private mutating func embed(_ shape: ValueShape, _ owner: String, _ member: Text, _ root: Int) -> String {
    let name = typeNames.take(owner + SourceNames.type(member.string))
    embedded.append((name, shape, root))
    return name
  }

  /// Returns how many columns the members of an embedded object take at most.
  private static func width(_ shape: ValueShape) -> Int {
    var width = 0
    for member in shape.members {
      width += member.shape.link == nil ? 1 : 2
      if member.shape.kinds == .object, member.shape.entity == nil { width += Self.width(member.shape) }
    }
    return width
  }

  // MARK: - Relations

  /// Adds relations of columns of a table of SQLite to what other sources hold, named as those of other files are.
  private mutating func addLinks(of index: Int) {
    for member in drafts[index].shape.members {
      guard let link = member.shape.link else { continue }
      let source = member.name.string
      var relation = SchemaDraft.Field(name: "", type: drafts[link.target].name, source: source)
      guard link.hasOwnName, let values = types[index].fields.firstIndex(where: { $0.source == source && !$0.isKey })
      else {
        relation.name = fieldNames[index].take(SourceNames.relation(source))
        types[index].fields.append(relation)
        relations.append((index, types[index].fields.count - 1, link.target))
        continue
      }
      let field = types[index].fields[values]
      relation.name = field.name
      let isInIndex = types[index].indexes.contains { $0.fields.contains(field.name) }
      if link.dangling > 0 || field.isUnique || field.isIndexed || isInIndex {
        let name = fieldNames[index].take(SourceNames.field(source + "_id"))
        types[index].fields[values].name = name
        for place in types[index].indexes.indices {
          types[index].indexes[place].fields = types[index].indexes[place].fields.map { $0 == field.name ? name : $0 }
        }
        types[index].fields.append(relation)
        relations.append((index, types[index].fields.count - 1, link.target))
      } else {
        types[index].fields[values] = relation
        relations.append((index, values, link.target))
      }
    }
  }

  /// Adds the other side of each relation, named for the type that it comes from.
  private mutating func addInverses() {
    for (source, field, target) in relations where columns[target] < SchemaInference.mostFields {
      let relation = types[source].fields[field].name
      var name = SourceNames.many(drafts[source].source.map { SourceNames.legalType($0) } ?? drafts[source].name)
      if fieldNames[target].contains(name) { name += "By" + relation.prefix(1).uppercased() + relation.dropFirst() }
      name = fieldNames[target].take(name)
      columns[target] += 1
      types[source].fields[field].inverse = name
      types[target].fields.append(
        SchemaDraft.Field(name: name, type: "[\(drafts[source].name)!]!", inverse: relation, isInverse: true))
    }
  }
}

extension SchemaInference {
  /// Gives every type its name: those that are legal as they are written keep them.
  func namedTypes(_ names: inout UniqueNames, _ notes: inout [String]) -> [Draft] {
    var drafts = types
    for index in drafts.indices {
      guard drafts[index].table == nil, let source = drafts[index].source, drafts[index].name.isEmpty,
        drafts[index].calledLike == nil,
        SourceNames.legalType(source) == source, Self.typename(drafts[index]) == nil, !names.contains(source)
      else { continue }
      drafts[index].name = names.take(source)
    }
    for index in drafts.indices where drafts[index].table == nil {
      let isNested = drafts[index].source == nil
      guard isNested || drafts[index].name.isEmpty else { continue }
      let source = drafts[index].source ?? drafts[index].name
      let wanted = Self.typename(drafts[index]) ?? drafts[index].calledLike ?? source
      let legal = SourceNames.legalType(wanted)
      drafts[index].name = names.take(legal)
      if drafts[index].name != legal, notes.count < Self.mostNotes {
        notes.append(
          "'\(drafts[index].calledLike == nil ? wanted : source)' is the type '\(drafts[index].name)', since '\(legal)' is taken"
        )
      }
    }
    return drafts
  }

  /// Returns the one `__typename` of the records of a type.
  private static func typename(_ draft: Draft) -> String? {
    guard let name = draft.shape.typename, !name.isEmpty, draft.source != name else { return nil }
    return name
  }
}
