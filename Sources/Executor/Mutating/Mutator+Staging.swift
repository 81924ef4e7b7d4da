import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Objects of documents and variables to records.
extension Mutator {
  /// Values that the records are made of, and at which position of them.
  struct Origin {
    let values: InputValues
    let position: Int
    let context: MutationContext
    let layouts: EntityLayouts
    /// The sets that links may name, for the row that the values belong to.
    var row = PageLayout.noRow
    /// What is written now goes before it is used.
    var keepsValues = false
    /// Whether rows say all of an entity's value: what they do not name is emptied.
    var replaces = false
    /// Whether null for a list of a row is no unknown one.
    var refusesNullLists = false

    /// Whether something that hangs on a parameter is said.
    func isProvided(_ parameter: Int?) -> Bool {
      guard let parameter else { return true }
      return context.isProvided(parameter)
    }
  }

  /// Puts an object, or the objects that a variable holds, on the stage; gives their numbers.
  func stage(
    _ input: BoundInput, role: RecordStage.Role, _ origin: Origin
  ) throws(MutationProblem) -> [Int] {
    switch input {
    case .record(let record): return [try stage(record, role: role, origin)]
    case .variable(let parameter, let type, let range):
      guard origin.context.parameters.indices.contains(parameter), let value = origin.context.parameters[parameter]
      else { return [] }
      switch value {
      case .list(let elements):
        var numbers: [Int] = []
        numbers.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
          guard case .object(let members) = element else {
            throw MutationProblem(
              .missingValue(type: catalog[type].name, field: "[\(index)]", entity: nil), at: range)
          }
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
    _ record: BoundRecord, role: RecordStage.Role, _ origin: Origin
  ) throws(MutationProblem) -> Int {
    let layout = origin.layouts[record.type]
    let number = try begin(layout, role: role, source: .document(record.range, record.cells), origin)
    let firstLink = stage.links.count
    // What is written before the next batch is evaluated need not be copied.
    let keeps = origin.keepsValues || origin.values.areOfRows && (role != .assignment || record.hasLinks)
    for cell in record.cells {
      let column = Int(cell.column.index)
      guard let source = origin.context.value(of: cell) else { continue }
      var value = origin.values.cell(source, origin.position)
      if let value, layout.refusesNullElements[column] { try refuseNullElement(value, column, layout, at: cell.range) }
      if keeps, let found = value {
        value = memory.copy(found, layout.columns[column].type)
        try checkCopied(at: .range(cell.range))
      }
      stage.set(number, column, value)
    }
    for input in record.embedded where origin.isProvided(input.unless) {
      let value =
        origin.context.parameters.indices.contains(input.parameter)
        ? origin.context.parameters[input.parameter] ?? .null : .null
      try stageEmbedded(value, input.storage, number, layout, .variable(input.parameter, []), origin)
    }
    for link in record.links where origin.isProvided(link.unless) { try stage(link, of: number, layout, origin) }
    emptyUnnamed(number, since: firstLink, layout, origin)
    stage.records[number].end = stage.records.count
    return number
  }

  /// Adds an empty record and gives its number.
  func begin(
    _ layout: EntityLayout, role: RecordStage.Role, source: InputSource, _ origin: Origin
  ) throws(MutationProblem) -> Int {
    let number = stage.begin(layout.type, columns: layout.columnCount, role: role, origin: self.origin(of: source))
    try checkpoint(at: number, origin.values.execution)
    return number
  }

  /// Notes where something was written.
  func origin(of source: InputSource) -> RecordStage.Origin {
    sources.append(source)
    return RecordStage.Origin(start: sources.count - 1)
  }

  func refuseNullElement(
    _ cell: Cell, _ column: Int, _ layout: EntityLayout, at range: SourceRange
  ) throws(MutationProblem) {
    guard case .list(let element) = layout.columns[column].type else { return }
    let run = ListRun(cell, element)
    guard let index = (0..<run.count).first(where: { run.isNull($0) }) else { return }
    throw MutationProblem(
      .missingValue(type: layout.name, field: "\(layout.columns[column].name)[\(index)]", entity: nil), at: range)
  }
}
