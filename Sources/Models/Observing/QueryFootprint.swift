import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// Takes from the run of a query which data decides about the entities that it gives.
final class QueryFootprint {
  /// Nil where code of the program decides.
  private(set) var footprint: Footprint?

  func note(
    _ plan: PhysicalPlan, _ parameters: [Value?], _ snapshot: Snapshot, _ levels: (SelectionID) -> LevelRows
  ) {
    let trace = LevelTrace(selections: plan.query.selections.count)
    for number in plan.query.selections.indices { trace.note(number, levels(SelectionID(number)).rows) }
    var builder = FootprintBuilder(plan, snapshot, parameters, trace)
    footprint = builder.build()
  }
}

extension ReadSet {
  /// The types and columns, as a footprint.
  var footprint: Footprint {
    var footprint = Footprint()
    footprint.isEverything = isUnknown || !graves.isEmpty
    for type in members { footprint.insert(allOf: type, .members) }
    for (type, columns) in columns {
      footprint.insert(allOf: type, columns.reduce([]) { $0.union(ColumnMask($1)) })
    }
    return footprint
  }
}

extension AnswerTrace {
  /// Adds what is read of the rows of the answer. Returns whether they have nothing but columns.
  func add(to footprint: inout Footprint) -> Bool {
    for level in levels {
      if level.opaqueCount > 0 || !level.objects.isEmpty || !level.links.isEmpty { return false }
      let columns = level.columns.reduce(ColumnMask.members) { $0.union(ColumnMask($1)) }
      for row in level.rows { footprint.insert(row: row, of: level.type, columns) }
    }
    return true
  }
}
