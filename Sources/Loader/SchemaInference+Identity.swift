import GQLBase

/// A member, or the number of the row, that tells the records of a type from each other.
extension SchemaInference {
  /// Decides for each type which column is the id.
  ///
  /// - Parameter wanted: Receives the names of columns whose values would have to be known.
  mutating func decideIdentities(wanted: inout Set<Text>) throws(LoadFailure) {
    var unused = Set(ids.keys)
    for index in types.indices where types[index].identity == .none {
      let draft = types[index]
      var chosen: String?
      for type in ids.keys.sorted() where isNamed(draft, type) {
        chosen = ids[type]
        unused.remove(type)
      }
      if let chosen {
        types[index].identity = try identity(of: draft, chosen: chosen)
      } else {
        types[index].identity = identity(of: draft, wanted: &wanted)
      }
    }
    for type in unused.sorted() {
      let known = types.compactMap { $0.source.map { SourceNames.legalType($0) } }
      if types.contains(where: { $0.table != nil && isNamed($0, type) }) {
        throw LoadFailure(
          code: LoadProblem.unsupported.code, "'\(type)' is a table of SQLite: its file says what its key is")
      }
      throw LoadFailure(
        code: LoadProblem.unknownType.code, "there is no data for a type '\(type)', whose id was chosen",
        help: nearestNames(to: type, in: known).first.map { "did you mean '\($0)'?" })
    }
  }

  private func isNamed(_ draft: Draft, _ name: String) -> Bool {
    guard let source = draft.source else { return false }
    return source == name || SourceNames.legalType(source) == name
  }

  private func identity(of draft: Draft, chosen column: String) throws(LoadFailure) -> Identity {
    let names = draft.shape.members.map(\.name)
    guard
      let name = names.first(where: { $0 == Text(column) })
        ?? names.first(where: { SourceNames.legalField($0.string) == column })
    else {
      let near = nearestNames(to: column, in: names.map(\.string)).first
      throw LoadFailure(
        code: LoadProblem.unknownField.code, "'\(draft.source ?? "")' has no column '\(column)' to be its id",
        help: near.map { "did you mean '\($0)'?" })
    }
    return CollectedNames.ids.contains(name) ? .id(name) : .key(name)
  }

  private mutating func identity(of draft: Draft, wanted: inout Set<Text>) -> Identity {
    let shape = draft.shape
    let source = draft.source ?? ""
    for name in CollectedNames.ids {
      guard let place = shape.place(of: name) else { continue }
      let member = shape.members[place].shape
      if shape.objects == 0 || Self.isKey(member, of: shape, trustingMany: true) { return .id(name) }
      note(source, "'\(name.string)' is no id: a record has none, or two have the same")
    }
    let candidates = shape.objects == 0 ? [] : keyCandidates(of: shape, source)
    for name in candidates {
      guard let place = shape.place(of: name) else { continue }
      let member = shape.members[place].shape
      if member.distinct == nil { wanted.insert(name) }
      guard Self.isKey(member, of: shape, trustingMany: false) else { continue }
      note(source, "'\(name.string)' is the id: every record has one, and no two have the same")
      return .key(name)
    }
    note(source, "no column is an id: the rows are numbered")
    return .rowNumber
  }

  /// Returns the columns that are ids if their values are: `<type>_id`, `key`, `url`, `uuid`, `code`, in this order.
  private func keyCandidates(of shape: ValueShape, _ source: String) -> [Text] {
    let type = SourceNames.plain(SourceNames.type(source))
    let order = [SourceNames.singular(type) + "id", type + "id", "key", "url", "uuid", "code"]
    var found: [Text?] = Array(repeating: nil, count: order.count)
    for member in shape.members {
      let name = member.name.string
      guard SourceNames.withoutIDEnding(name) != nil || CollectedNames.isKey(name) else { continue }
      if let place = order.firstIndex(of: SourceNames.plain(name)), found[place] == nil { found[place] = member.name }
    }
    return found.compactMap { $0 }
  }

  /// Returns whether a member is in every record, and never the same.
  static func isKey(_ member: ValueShape, of shape: ValueShape, trustingMany: Bool) -> Bool {
    guard isLinkable(member), member.nulls == 0, member.values >= shape.objects, let distinct = member.distinct,
      !distinct.hasRepeats
    else { return false }
    return trustingMany || !distinct.isOverfull
  }

  /// Returns whether values can be ids, or links to them.
  static func isLinkable(_ member: ValueShape) -> Bool {
    !member.kinds.isEmpty && member.kinds.isSubset(of: .keys) && !member.kinds.hasNullWords
  }

  mutating func note(_ type: String, _ text: String) {
    guard notes.count < Self.mostNotes else { return }
    notes.append("\(type): \(text)")
  }

  static var mostNotes: Int { 100 }
  /// A type has columns of its own beside those of its fields.
  static var mostFields: Int { 9_900 }
}
