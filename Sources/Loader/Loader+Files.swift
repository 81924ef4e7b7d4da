import GQLBase
import GQLCatalog
import GQLStore

/// Reads the forms of files: records go into the stage one by one, and what is bad is skipped or ends the load.
extension Loader {
  mutating func load(_ file: LoadFile, number: Int) throws(RecordFailure) {
    recordTypes = [:]
    do throws(RecordFailure) {
      switch file.layout {
      case .json(let table): try loadJSON(file, table, number)
      case .csv(let dialect): try loadCSV(file, dialect, number)
      case .rows(let source): try loadRows(file, source, number)
      }
      if let fault = file.fault { throw fault }
    } catch {
      // What is wrong with records before it comes first.
      if error.problem != .interrupted { try flush(number) }
      throw error
    }
    try finish(number)
  }

  private mutating func loadJSON(
    _ file: LoadFile, _ table: JSONShape.Table, _ number: Int
  ) throws(RecordFailure) {
    var records = JSONRecords(table, file.file.bytes)
    while true {
      do throws(RecordFailure) {
        guard try records.next() else { return }
      } catch {
        // There is no telling where the next record begins.
        return try skip(error, file.file)
      }
      do throws(RecordFailure) {
        do throws(RecordFailure) {
          try loadObject(&records, file)
        } catch {
          // A record that is no JSON had no part in an inferred schema, so blaming a field of it would lead astray.
          throw isInferred && error.problem != .interrupted ? records.fault() ?? error : error
        }
        try records.end()
        try insertStage(number)
      } catch {
        try skip(error, file.file)
        guard records.recover() else { return }
      }
      try lookAround(file.file.name, at: records.position)
    }
  }

  /// Reads one top-level object into the stage.
  private mutating func loadObject(_ records: inout JSONRecords, _ file: LoadFile) throws(RecordFailure) {
    reader.removeAll(keepsTexts: writer.stagedRecords > 0)
    guard records.scanner.peek() == .object else {
      throw RecordFailure(.notAnObject, "expected an object", at: records.position)
    }
    let type = try type(of: records, file)
    _ = try reader.readRecord(
      type, &records.scanner, offset: records.offset, isTopLevel: true, id: records.id, keyName: records.keyName,
      name: records.name?.text)
  }

  /// Returns the type of a record: that of its table, or the one that it says.
  private mutating func type(of records: borrowing JSONRecords, _ file: LoadFile) throws(RecordFailure) -> EntityTypeID
  {
    let known = file.type
    let isAbstract = known.map { reader.layouts[Int($0.index)].isAbstract } ?? false
    guard let name = records.name, !isAbstract else {
      if let known, !isAbstract { return known }
      return try reader.typename(records.scanner, offset: records.offset, among: known)
    }
    if let type = recordTypes[name.text] { return type }
    let whole = file.wholeName(ofRecords: name.text)
    if let type = sourceTypes.type(ofWhole: whole, named: name.text), catalog[type].kind == .entity {
      recordTypes[name.text] = type
      return type
    }
    throw reader.unknownType(name.text, at: name.range.lowerBound, to: name.range.upperBound)
  }
}
