import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Words for what the writer of entities refuses and finds, with the places of files.
extension Loader {
  /// Puts a record that was read into the transaction: all of it or nothing.
  mutating func insertStage(_ file: Int) throws(RecordFailure) {
    if !skipsBadRecords { records += 1 }
    do throws(WriteProblem) {
      try writer.write(&reader.stage, file)
    } catch {
      throw recordFailure(error)
    }
    if skipsBadRecords { records += 1 }
  }

  /// Puts the records of a stage into the transaction.
  mutating func insert(_ stage: EntityStage, _ file: Int) throws(RecordFailure) {
    do throws(WriteProblem) {
      try writer.write(stage, file)
    } catch {
      throw recordFailure(error)
    }
  }

  /// Puts what is staged into the transaction, up to the first record that is refused.
  mutating func flush(_ file: Int) throws(RecordFailure) {
    do throws(WriteProblem) {
      try writer.flush(file)
    } catch {
      throw recordFailure(error)
    }
  }

  /// Puts the last records of a file into the transaction.
  mutating func finish(_ file: Int) throws(RecordFailure) {
    do throws(WriteProblem) {
      try writer.finish(file)
    } catch {
      throw recordFailure(error)
    }
  }

  /// Sees that all records are complete. Those that are not are skipped, or end the load.
  mutating func complete(_ files: [LoadFile]) throws(LoadFailure) {
    let leftOut: [WriteProblem]
    do throws(WriteProblem) {
      leftOut = try writer.complete()
    } catch {
      throw loadFailure(error, files)
    }
    for problem in leftOut {
      guard let source = problem.place?.source else { continue }
      do throws(RecordFailure) {
        try skip(recordFailure(problem), files[source].file)
      } catch {
        throw loadFailure(error, in: files[source].file)
      }
    }
  }

  // MARK: - Words

  private func words(_ problem: WriteProblem) -> (problem: LoadProblem, message: String, help: String?) {
    switch problem.kind {
    case .refused(let problem):
      (.uniqueViolation, StoreMessages.describe(problem, catalog: catalog, transaction: transaction), nil)
    case .duplicate(let type, let row):
      (
        .duplicateID,
        "a second '\(catalog[type].name)' with "
          + StoreMessages.key(
            type, catalog[catalog[type].primaryIndex].columns.map { Int($0.index) }, of: row, catalog: catalog,
            transaction: transaction), nil
      )
    case .missingValue(let type, let field):
      (.missingValue, "'\(catalog[type].name).\(field)' is non-null and has no value", nil)
    case .ambiguousLink(let relation, let key, let types): words(ambiguous: key, of: relation, types)
    }
  }

  private func words(
    ambiguous key: Cell, of relation: RelationID, _ types: [EntityTypeID]
  ) -> (problem: LoadProblem, message: String, help: String?) {
    let names = types.map { "'\(catalog[$0].name)'" }.joined(separator: " and ")
    return (
      .ambiguousLink, "'\(name(relation))' links to '\(text(key, atMost: 80))', which is the id of \(names)",
      "give an object that says its type, as in {\"__typename\": …, \"id\": …}"
    )
  }

  private func recordFailure(_ problem: WriteProblem) -> RecordFailure {
    let (kind, message, help) = words(problem)
    return RecordFailure(kind, message, at: problem.place?.start ?? 0, to: problem.place?.end, help: help)
  }

  /// Returns the failure of a load for a problem that is no single record's.
  func loadFailure(_ problem: WriteProblem) -> LoadFailure {
    let (kind, message, help) = words(problem)
    return LoadFailure(code: kind.code, message, help: help)
  }

  private func loadFailure(_ problem: WriteProblem, _ files: [LoadFile]) -> LoadFailure {
    guard let place = problem.place else { return loadFailure(problem) }
    return loadFailure(recordFailure(problem), in: files[place.source].file)
  }

  // MARK: - Warnings

  /// Warns of what the writer has found about links and values.
  mutating func takeNotes() {
    for note in writer.takeNotes() {
      switch note {
      case .danglingLinks(let relation, let keys): warnDangling(relation, keys)
      case .ambiguousLink(let relation, let key, let types):
        let (kind, message, help) = words(ambiguous: key, of: relation, types)
        warn(kind, message, help: help)
      case .contradictions(let first, let relation, let count):
        let links = count == 1 ? "1 link of" : "\(count) links of"
        let reason = StoreMessages.describe(.contradiction(first), catalog: catalog, transaction: transaction)
        warn(.contradictingLinks, "\(links) '\(columnName(relation))' left out: \(reason)")
      case .contradictingValues(let type, let column, let count):
        let name = "'\(catalog[type].name).\(catalog[type][column].name)'"
        let values = count == 1 ? "1 value of \(name) differs" : "\(count) values of \(name) differ"
        warn(.contradictingValues, "\(values) between objects with one id; the last is kept")
      }
    }
  }

  private mutating func warn(_ problem: LoadProblem, _ message: String, help: String? = nil) {
    outcome.warnings.append(
      (
        SourceText(name: "", bytes: []),
        [Diagnostic(problem.code, severity: .warning, message, at: SourceRange(at: 0), help: help)]
      ))
  }

  private mutating func warnDangling(_ relation: RelationID, _ missing: [Cell]) {
    outcome.danglingLinks += missing.count
    let target = catalog[catalog[relation].target]
    let isText = catalog[target.primaryIndex].columns.first.map { target[$0].kind == .text } ?? true
    let shown = missing.prefix(3).map { isText ? text($0) : "\($0.int)" }
    let ids = shown.joined(separator: ", ") + (missing.count > 3 ? ", …" : "")
    let noun = missing.count == 1 ? "1 link" : "\(missing.count) links"
    warn(.danglingLink, "\(noun) of '\(name(relation))' to a '\(target.name)' that is not there: \(ids)")
  }

  private func text(_ key: Cell, atMost most: Int = .max) -> String {
    TextView(key).withBytes {
      String(decoding: UnsafeRawBufferPointer(start: $0, count: min($1, most)), as: UTF8.self)
    }
  }

  /// Returns the name of a relation's field with that of its type.
  private func name(_ relation: RelationID) -> String {
    let source = catalog[catalog[relation].source]
    return "\(source.name).\(catalog[relation].property.map { source[$0].name } ?? "?")"
  }

  /// Returns the name of a relation's column, `contact.person` inside an embedded object.
  private func columnName(_ relation: RelationID) -> String {
    let source = catalog[catalog[relation].source]
    return "\(source.name).\(source[catalog[relation].column].name)"
  }
}
