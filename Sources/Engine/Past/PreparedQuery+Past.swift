import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

extension PreparedQuery {
  /// Returns the data that the operation reads: the newest with the versions of entities beside it, where it reads these.
  func data(_ given: Snapshot, _ interruption: Interruption?) throws(QueryError) -> OperationData {
    if pastRoles.isEmpty { return OperationData(snapshot: given, version: .given) }
    let readsChanges = pastRoles.contains(.change)
    do throws(PastProblem) {
      return try VersionReader(database: database, readsChanges: readsChanges).newest(interruption)
    } catch {
      throw error.error(at: document.definition(operation).range, in: document.source)
    }
  }

  /// Returns the version that a part of the operation reads.
  ///
  /// - Parameter view: The data that the moment is computed with.
  func past(
    _ moment: BoundMoment, _ constants: PartPlan, of query: BoundQuery, _ view: Snapshot, _ context: MutationContext,
    _ planning: PartPlanning
  ) throws(QueryError) -> PastVersion {
    let program = try constants.values(self, view, context.parameters, planning)
    let value: Int64?
    do {
      value = try program.integer(context, on: view)
    } catch {
      throw queryError(MutationProblem(.runtime(error), at: error.range), view)
    }
    do throws(PastProblem) {
      guard let value else { throw PastProblem.noMoment }
      var version = try PastReader(database: database).version(
        at: moment.isVersion ? .version(value) : .time(value), reading: query.typesRead(view.catalog),
        planning.interruption)
      if !pastRoles.isEmpty {
        let catalog = database.past.history?.versions.catalog(of: version.snapshot.catalog)
        // The tables of versions are not read of the past.
        if let catalog { version.snapshot = version.snapshot.joined(with: nil, catalog) }
      }
      // The operation is bound to the schema that it began with.
      guard version.snapshot.catalog.storesAlike(view.catalog) else {
        throw PastProblem.failed(
          QueryError(
            code: "storage-changed", "the schema was changed while the operation ran", help: "run it again",
            file: document.source.name))
      }
      return version
    } catch {
      throw error.error(at: moment.range, in: document.source)
    }
  }
}

extension PastVersion {
  /// The words that `explain` has for it.
  var words: String {
    let count = records.map { Int64($0) } ?? newest - number
    let changes = "change\(count == 1 ? "" : "s")" + (records == nil ? "" : " by records")
    return "as of version \(number), rewound \(grouped(count)) \(changes)"
  }

  private func grouped(_ count: Int64) -> String {
    var text = ""
    for (place, digit) in String(count).reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}

extension PreparedQuery {
  /// Takes an earlier version back, and appends `{"key":{"_version":816}}`; false where the field is left out.
  func runUndo(
    _ undo: BoundUndo, _ constants: PartPlan, _ mutator: Mutator, _ transaction: DatabaseTransaction,
    _ context: MutationContext, _ planning: PartPlanning, into output: inout ByteBuffer
  ) throws(QueryError) -> Bool {
    let values = try constantValues(constants, mutator, context, planning)
    if let condition = undo.condition, values[condition] != .bool(true) { return false }
    let report: UndoReport
    do throws(UndoProblem) {
      guard case .int(let version)? = values.first else { throw UndoProblem.past(.noMoment) }
      report = try transaction.undo([version], only: undo.isOfUntouched ? .untouched : .all)
    } catch {
      throw error.error(at: undo.range, in: document.source)
    }
    output.append(0x7B)
    output.append(json: undo.key)
    output.append(":{")
    for (number, key) in undo.keys.enumerated() {
      if number > 0 { output.append(",") }
      output.append(json: key)
      output.append(0x3A)
      if let version = report.version { output.append(int: version) } else { output.append("null") }
    }
    output.append("}}")
    return true
  }
}
