import GQLBase

/// Columns whose values are ids of a type.
extension SchemaInference {
  /// A table of the ids that relations may lead to.
  struct LinkTargets {
    var named = TypeNames()
    /// By type: the values of its ids.
    var ids: [ValueSet?] = []
    /// By hash of an id that is a URL: its type.
    var urls: [UInt64: Int] = [:]
  }

  /// Finds the relations of all types: at least half of a column's distinct values must be ids.
  mutating func relate(wanted: inout Set<Text>) {
    var targets = LinkTargets()
    for index in types.indices {
      targets.named.add(types[index].name, index)
      if let source = types[index].source { targets.named.add(SourceNames.type(source), index) }
      let member = types[index].identity.member.flatMap { types[index].shape.place(of: $0) }
      let id = member.map { types[index].shape.members[$0].shape }
      // No column relates to its own type.
      targets.ids.append(types.count > 1 ? id?.distinct?.hashed : id?.distinct)
      if let id, id.areURLs, !id.kinds.isEmpty { id.distinct?.add(to: &targets.urls, as: index) }
    }
    for index in types.indices {
      var shape = ValueShape()
      swap(&shape, &types[index].shape)
      relate(&shape, index, isEntity: true, targets, &wanted)
      types[index].shape = shape
    }
  }

  private mutating func relate(
    _ shape: inout ValueShape, _ owner: Int, isEntity: Bool, _ targets: LinkTargets, _ wanted: inout Set<Text>
  ) {
    for place in shape.members.indices {
      let name = shape.members[place].name
      let isList = shape.members[place].shape.kinds.contains(.list)
      if isList {
        guard shape.members[place].shape.kinds == .list, shape.members[place].shape.element.count == 1 else { continue }
      }
      let objects = isList ? shape.members[place].shape.element[0].objects : shape.members[place].shape.objects
      if objects > 0 {
        if isList {
          relate(&shape.members[place].shape.element[0], owner, isEntity: false, targets, &wanted)
        } else {
          relate(&shape.members[place].shape, owner, isEntity: false, targets, &wanted)
        }
        continue
      }
      if isEntity, types[owner].identity.member == name { continue }
      if types[owner].table != nil, !mayRelate(name, types[owner]) { continue }
      let values = isList ? shape.members[place].shape.element[0] : shape.members[place].shape
      guard Self.isLinkable(values), !isList || values.nulls == 0 else { continue }
      shape.members[place].shape.link = link(name, values, owner, targets, &wanted)
    }
  }

  /// Returns whether a column of a table of SQLite is a value only.
  private func mayRelate(_ name: Text, _ draft: Draft) -> Bool {
    draft.table?.fields.contains { $0.source ?? $0.name == name.string && $0.inverse == nil && !$0.isKey } ?? false
  }

  private func link(
    _ name: Text, _ values: ValueShape, _ owner: Int, _ targets: LinkTargets, _ wanted: inout Set<Text>
  ) -> ShapeLink? {
    let text = name.string
    let base = SourceNames.withoutIDEnding(text)
    if let target = targets.named.find(base ?? text), let id = types[target].identity.member,
      // A column that is named for its own type is a value, as the rating of a rating is, or its own id again.
      target != owner, types[owner].table == nil || types[target].table == nil
    {
      if values.distinct == nil { wanted.insert(name) }
      if targets.ids[target] == nil { wanted.insert(id) }
      guard let found = values.distinct, let ids = targets.ids[target] else { return nil }
      let shared = found.countShared(with: ids)
      if found.count > 0, shared * 2 >= found.count {
        return ShapeLink(target: target, dangling: found.count - shared, hasOwnName: base == nil)
      }
    }
    guard values.areURLs, !targets.urls.isEmpty else { return nil }
    guard let found = values.distinct else {
      wanted.insert(name)
      return nil
    }
    let best = found.countShared(with: targets.urls).max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    guard let best, best.value * 2 >= found.count, types[owner].table == nil || types[best.key].table == nil else {
      return nil
    }
    return ShapeLink(target: best.key, dangling: found.count - best.value, hasOwnName: base == nil)
  }
}
