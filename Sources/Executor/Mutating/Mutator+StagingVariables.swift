import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Objects in the values of variables to records.
extension Mutator {
  /// An object in a variable's value, coerced already.
  func stage(
    _ members: [Value.Member], _ type: EntityTypeID, role: RecordStage.Role, _ source: InputSource,
    _ origin: Origin
  ) throws(MutationProblem) -> Int {
    let layout = origin.layouts[type]
    let number = try begin(layout, role: role, source: source, origin)
    let firstLink = stage.links.count
    for (hint, member) in members.enumerated() {
      guard let property = layout.property(member.name, near: hint) else { continue }
      switch property.storage {
      case .column(let column, _):
        let place = Int(column.index)
        stage.set(number, place, ParameterCells.cell(member.value, layout.columns[place].kind, memory))
      // Refused before.
      case .members, .computed: break
      case .embedded:
        let place = source.inside(.member(property.name))
        try stageEmbedded(member.value, property.storage, number, layout, place, origin)
      case .relation(let id):
        try stageLinks(member.value, catalog[id], of: number, source.inside(.member(property.name)), origin)
      }
    }
    emptyUnnamed(number, since: firstLink, layout, origin)
    stage.records[number].end = stage.records.count
    return number
  }

  private func stageLinks(
    _ value: Value, _ relation: Relation, of record: Int, _ source: InputSource, _ origin: Origin,
    isWithin: Bool = false
  ) throws(MutationProblem) {
    switch value {
    case .object(let members) where relation.isToMany:
      for member in members {
        let name = member.name.string
        guard let mode = LinkMode(rawValue: name), case .list(let elements) = member.value else { continue }
        try stageLink(elements, mode, relation, of: record, source.inside(.member(name)), origin, isWithin: isWithin)
      }
    case .list(let elements):
      try stageLink(elements, .assign, relation, of: record, source, origin, isWithin: isWithin)
    case .null:
      if !isWithin { try refuseNullList(relation, of: record, origin, source) }
      addEmptyLink(of: record, relation, source, isWithin: isWithin)
    default:
      try stageLink([value], .assign, relation, of: record, source, origin, isList: false, isWithin: isWithin)
    }
  }

  private func stageLink(
    _ elements: [Value], _ mode: LinkMode, _ relation: Relation, of record: Int, _ source: InputSource,
    _ origin: Origin, isList: Bool = true, isWithin: Bool
  ) throws(MutationProblem) {
    var targets: [RecordStage.Target] = []
    for (index, element) in elements.enumerated() {
      let place = isList ? source.inside(.index(index)) : source
      if case .object(let members) = element {
        let number = try stage(members, type(of: members, relation.target), role: role(relation, origin), place, origin)
        stage.records[number].owner = record
        targets.append(.record(number))
      } else if let key = ParameterCells.cell(element, ColumnKind(keyType(relation.target)), memory) {
        targets.append(.key(key, at: self.origin(of: place)))
      }
    }
    stage.link(record, relation.id, to: targets, mode: mode, isWithin: isWithin, origin: self.origin(of: source))
  }

  /// What an object in a variable's value is: it says so where the relation leads to an interface or union.
  private func type(of members: [Value.Member], _ target: EntityTypeID) -> EntityTypeID {
    guard catalog[target].isAbstract,
      case .string(let name)? = members.last(where: { $0.name.bytes.elementsEqual("__typename".utf8) })?.value
    else { return target }
    return catalog.type(named: name.string)?.id ?? target
  }

  /// An embedded object that a variable holds: all of its columns and links are written.
  func stageEmbedded(
    _ value: Value, _ storage: PropertyStorage, _ record: Int, _ layout: EntityLayout, _ source: InputSource,
    _ origin: Origin
  ) throws(MutationProblem) {
    switch storage {
    case .members, .computed: break
    case .relation(let id): try stageLinks(value, catalog[id], of: record, source, origin, isWithin: true)
    case .column(let column, _):
      let place = Int(column.index)
      stage.set(record, place, ParameterCells.cell(value, layout.columns[place].kind, memory))
    case .embedded(let id, let presence, let fields):
      guard case .object(let members) = value else {
        stage.set(record, Int(presence.index), nil)
        for field in fields { try stageEmbedded(.null, field, record, layout, source, origin) }
        return
      }
      stage.set(record, Int(presence.index), Cell(low: 1))
      for (field, storage) in zip(catalog[id].fields, fields) {
        let member = members.first { $0.name.bytes.elementsEqual(field.name.utf8) }
        let place = source.inside(.member(field.name))
        let absent: Value = field.defaultValue == .now ? .dateTime(origin.context.now) : .null
        try stageEmbedded(member?.value ?? absent, storage, record, layout, place, origin)
      }
    }
  }
}
