import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Objects of documents and variables to records.
extension Mutator {
  /// Values that the records are made of, and at which position of them.
  struct Origin {
    let values: InputValues
    let position: Int
    let context: MutationContext
    let layouts: InputLayouts
    /// The sets that links may name, for the row that the values belong to.
    var row = PageLayout.noRow
    /// What is written now goes before it is used.
    var keepsValues = false
  }

  /// Puts an object, or the objects that a variable holds, on the stage; gives their numbers.
  func stage(_ input: BoundInput, _ type: EntityTypeID, role: InputStage.Role, _ origin: Origin) throws(MutationProblem)
    -> [Int]
  {
    switch input {
    case .record(let record): return [try stage(record, role: role, origin)]
    case .variable(let parameter, _):
      guard origin.context.parameters.indices.contains(parameter), let value = origin.context.parameters[parameter]
      else { return [] }
      switch value {
      case .list(let elements):
        var numbers: [Int] = []
        numbers.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
          guard case .object(let members) = element else { continue }
          numbers.append(try stage(members, type, role: role, .variable(parameter, [.index(index)]), origin))
        }
        return numbers
      case .object(let members): return [try stage(members, type, role: role, .variable(parameter, []), origin)]
      default: return []
      }
    }
  }

  /// An object of the document.
  func stage(
    _ record: BoundRecord, role: InputStage.Role, _ origin: Origin
  ) throws(MutationProblem) -> Int {
    let layout = origin.layouts[record.type]
    let number = stage.begin(layout, role: role, source: .document(record))
    // What is written before the next batch is evaluated need not be copied.
    let keeps = origin.keepsValues || origin.values.areOfRows && (role != .assignment || !record.links.isEmpty)
    for cell in record.cells {
      let column = Int(cell.column.index)
      var value = origin.values.cell(cell.value, origin.position)
      if let value, layout.refusesNullElements[column] { try refuseNullElement(value, column, layout, at: cell.range) }
      if keeps, let found = value { value = stage.keeping(found, layout.columns[column].type) }
      stage.set(number, column, value)
    }
    for input in record.embedded {
      let value =
        origin.context.parameters.indices.contains(input.parameter)
        ? origin.context.parameters[input.parameter] ?? .null : .null
      stageEmbedded(value, input.storage, number, layout)
    }
    for link in record.links { try stage(link, of: number, layout, origin) }
    stage.records[number].end = stage.records.count
    return number
  }

  private func stage(
    _ link: BoundLink, of record: Int, _ layout: InputLayout, _ origin: Origin
  ) throws(MutationProblem) {
    let relation = catalog[link.relation]
    var targets: [InputStage.Target] = []
    var isNull = link.isNull
    for target in link.targets {
      switch target {
      case .key(let value, let range):
        guard let cell = origin.values.cell(value, origin.position) else {
          try refuseNull(relation, layout, link, at: range)
          isNull = true
          continue
        }
        targets.append(.key(kept(cell, relation, origin), .range(range)))
      case .keys(let value, let range):
        guard let cell = origin.values.cell(value, origin.position) else {
          try refuseNull(relation, layout, link, at: range)
          isNull = true
          continue
        }
        let type = keyType(relation.target)
        let run = ListRun(cell, type)
        for index in 0..<run.count {
          if run.isNull(index) { try refuseNull(relation, layout, link, at: range) }
          targets.append(.key(kept(run.cell(index), relation, origin), .range(range)))
        }
      case .entity(let value, let range):
        guard let cell = origin.values.cell(value, origin.position) else {
          try refuseNull(relation, layout, link, at: range)
          isNull = true
          continue
        }
        targets.append(.row(UInt32(truncatingIfNeeded: cell.low)))
      case .set(let set, _):
        var expansion = Expansion()
        let execution = origin.values.execution
        let row = origin.row
        try running { () throws(RuntimeProblem) in
          try withUnsafePointerThrowing(to: row) { (rows) throws(RuntimeProblem) in
            try execution.expand(set, ScopeRows(count: 1, scopes: [rows]), into: &expansion)
          }
        }
        for index in 0..<expansion.rows.count { targets.append(.row(expansion.rows[index])) }
      case .input(let input):
        for number in try stage(input, relation.target, role: .fragment, origin) { targets.append(.record(number)) }
      }
    }
    let first = stage.targets.count
    stage.targets += targets
    stage.links.append(
      InputStage.Link(
        record: record, relation: link.relation, mode: link.mode, isNull: isNull && targets.isEmpty, first: first,
        count: targets.count, source: .range(link.range)))
  }

  private func refuseNullElement(
    _ cell: Cell, _ column: Int, _ layout: InputLayout, at range: SourceRange
  ) throws(MutationProblem) {
    guard case .list(let element) = layout.columns[column].type else { return }
    let run = ListRun(cell, element)
    guard let index = (0..<run.count).first(where: { run.isNull($0) }) else { return }
    throw MutationProblem(
      .missingValue(type: layout.name, field: "\(layout.columns[column].name)[\(index)]", entity: nil), at: range)
  }

  /// Null, within a list or where the relation must have a target, is refused; what is not known may be null.
  private func refuseNull(
    _ relation: Relation, _ layout: InputLayout, _ link: BoundLink, at range: SourceRange
  ) throws(MutationProblem) {
    if relation.isToMany && link.targets.count > 1 || link.mode != .assign {
      throw MutationProblem(.missingValue(type: layout.name, field: layout.name(of: relation), entity: nil), at: range)
    }
  }

  private func kept(_ key: Cell, _ relation: Relation, _ origin: Origin) -> Cell {
    origin.values.areOfRows ? stage.keeping(key, keyType(relation.target)) : key
  }

  /// The type of a primary key of one column.
  func keyType(_ type: EntityTypeID) -> ValueType {
    let entity = catalog[type]
    guard !entity.indexes.isEmpty, let column = catalog[entity.primaryIndex].columns.first else { return .null }
    return entity[column].type
  }

  // MARK: - Variables

  /// An object in a variable's value, coerced already.
  private func stage(
    _ members: [Value.Member], _ type: EntityTypeID, role: InputStage.Role, _ source: InputStage.Source,
    _ origin: Origin
  ) throws(MutationProblem) -> Int {
    let layout = origin.layouts[type]
    let number = stage.begin(layout, role: role, source: source)
    for (hint, member) in members.enumerated() {
      guard let property = layout.property(member.name, near: hint) else { continue }
      switch property.storage {
      case .column(let column, _):
        let place = Int(column.index)
        stage.set(number, place, ParameterCells.cell(member.value, layout.columns[place].kind, stage.memory))
      // Refused before.
      case .members, .computed: break
      case .embedded: stageEmbedded(member.value, property.storage, number, layout)
      case .relation(let id):
        try stageLinks(member.value, catalog[id], of: number, source.inside(.member(property.name)), origin)
      }
    }
    stage.records[number].end = stage.records.count
    return number
  }

  private func stageLinks(
    _ value: Value, _ relation: Relation, of record: Int, _ source: InputStage.Source, _ origin: Origin
  ) throws(MutationProblem) {
    switch value {
    case .object(let members) where relation.isToMany:
      for member in members {
        let name = member.name.string
        guard let mode = BoundLink.Mode(rawValue: name), case .list(let elements) = member.value else { continue }
        try stageLink(elements, mode, relation, of: record, source.inside(.member(name)), origin)
      }
    case .list(let elements): try stageLink(elements, .assign, relation, of: record, source, origin)
    case .null:
      stage.links.append(
        InputStage.Link(
          record: record, relation: relation.id, mode: .assign, isNull: true, first: 0, count: 0, source: source))
    default: try stageLink([value], .assign, relation, of: record, source, origin, isList: false)
    }
  }

  private func stageLink(
    _ elements: [Value], _ mode: BoundLink.Mode, _ relation: Relation, of record: Int, _ source: InputStage.Source,
    _ origin: Origin, isList: Bool = true
  ) throws(MutationProblem) {
    var targets: [InputStage.Target] = []
    for (index, element) in elements.enumerated() {
      let place = isList ? source.inside(.index(index)) : source
      if case .object(let members) = element {
        targets.append(.record(try stage(members, relation.target, role: .fragment, place, origin)))
      } else if let key = ParameterCells.cell(element, ColumnKind(keyType(relation.target)), stage.memory) {
        targets.append(.key(key, place))
      }
    }
    let first = stage.targets.count
    stage.targets += targets
    stage.links.append(
      InputStage.Link(
        record: record, relation: relation.id, mode: mode, isNull: false, first: first, count: targets.count,
        source: source))
  }

  /// An embedded object that a variable holds: all of its columns are written.
  private func stageEmbedded(_ value: Value, _ storage: PropertyStorage, _ record: Int, _ layout: InputLayout) {
    switch storage {
    case .relation, .members, .computed: break
    case .column(let column, _):
      let place = Int(column.index)
      stage.set(record, place, ParameterCells.cell(value, layout.columns[place].kind, stage.memory))
    case .embedded(let id, let presence, let fields):
      guard case .object(let members) = value else {
        stage.set(record, Int(presence.index), nil)
        for field in fields { stageEmbedded(.null, field, record, layout) }
        return
      }
      stage.set(record, Int(presence.index), Cell(low: 1))
      for (field, storage) in zip(catalog[id].fields, fields) {
        let member = members.first { $0.name.bytes.elementsEqual(field.name.utf8) }
        stageEmbedded(member?.value ?? .null, storage, record, layout)
      }
    }
  }
}

extension InputStage.Source {
  func inside(_ step: ValuePathStep) -> InputStage.Source {
    if case .variable(let parameter, let path) = self { return .variable(parameter, path + [step]) }
    return self
  }
}

/// `withUnsafePointer(to:)` for typed errors.
private func withUnsafePointerThrowing<Value, Failure: Error>(
  to value: Value, _ body: (UnsafePointer<Value>) throws(Failure) -> Void
) throws(Failure) {
  try withUnsafePointer(to: value) { (pointer) throws(Failure) in try body(pointer) }
}
