import GQLBase
import GQLCatalog
import GQLStore

/// The forms of files: records are read into the stage one by one, and what is bad is skipped or ends the load.
extension Loader {
  mutating func load(_ file: LoadFile, number: Int) throws(RecordFailure) {
    do throws(RecordFailure) {
      switch file.format {
      case .ndjson: try loadLines(file, number)
      case .json: try loadJSON(file, number)
      case .csv: try loadCSV(file, number)
      }
    } catch {
      // What is wrong with records before it comes first.
      if error.problem != .interrupted { try flush(number) }
      throw error
    }
    try finish(number)
  }

  mutating func loadLines(_ file: LoadFile, _ number: Int) throws(RecordFailure) {
    let bytes = file.file.bytes
    var position = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      let line = UnsafeBufferPointer(rebasing: bytes[position..<end])
      var scanner = JSONScanner(line)
      if scanner.peek() != .end {
        do throws(RecordFailure) {
          try loadLine(&scanner, file, number, offset: position)
        } catch {
          try skip(error, file.file)
        }
      }
      position = end + 1
      try lookAround(file.file.name, at: position)
    }
  }

  mutating func loadLine(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, offset: Int
  ) throws(RecordFailure) {
    let start = scanner
    do throws(RecordFailure) {
      try loadObject(&scanner, file, number, offset: offset)
    } catch {
      throw cause(of: error, start, offset: offset, isWhole: true)
    }
    do {
      try scanner.finish()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset + offset)
    }
    try insertStage(number)
  }

  /// What is wrong with the record that begins at `start` as JSON, if anything, where the schema was inferred.
  ///
  /// Such a record had no part in the schema, so blaming a field or a type of it would lead astray.
  private func cause(
    of failure: RecordFailure, _ start: JSONScanner, offset: Int, isWhole: Bool
  ) -> RecordFailure {
    guard isInferred, failure.problem != .interrupted else { return failure }
    var scanner = start
    do throws(JSONScanner.Failure) {
      try scanner.skipValue()
      if isWhole { try scanner.finish() }
      return failure
    } catch {
      return RecordFailure(.invalidJSON, error.problem.message, at: error.offset + offset)
    }
  }

  mutating func loadJSON(_ file: LoadFile, _ number: Int) throws(RecordFailure) {
    var scanner = JSONScanner(file.file.bytes)
    if file.file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
    do {
      switch scanner.peek() {
      case .array:
        guard try loadArray(&scanner, file, number, type: file.type) else { return }
      case .object where file.type == nil:
        var scratch = ByteBuffer(capacity: 256)
        try scanner.beginObject()
        while true {
          scanner.skipSpace()
          let start = scanner.position
          guard let key = try scanner.nextKey(&scratch) else { break }
          guard let type = sourceTypes.type(named: key.string) else {
            let place = RecordReader.keyRange(scanner, from: start)
            throw reader.unknownType(key.string, at: place.lowerBound, to: place.upperBound)
          }
          guard try loadArray(&scanner, file, number, type: type) else { return }
        }
      case .object:
        try loadLine(&scanner, file, number, offset: 0)
      case .end: return
      default:
        throw RecordFailure(.notAnObject, "expected a list of objects", at: scanner.position)
      }
      try scanner.finish()
    } catch let failure as JSONScanner.Failure {
      throw RecordFailure(.invalidJSON, failure.problem.message, at: failure.offset)
    } catch let failure as RecordFailure {
      throw failure
    } catch {
      throw RecordFailure(.invalidJSON, "\(error)", at: 0)
    }
  }

  /// Loads a list of objects; false if the rest of the file cannot be read, which was counted then.
  mutating func loadArray(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, type: EntityTypeID?
  ) throws(RecordFailure) -> Bool {
    var file = file
    file.type = type
    do {
      try scanner.beginArray()
      while try scanner.nextElement() {
        scanner.skipSpace()
        let retry = scanner
        do throws(RecordFailure) {
          try loadObject(&scanner, file, number, offset: 0)
          try insertStage(number)
        } catch {
          try skip(cause(of: error, retry, offset: 0, isWhole: false), file.file)
          scanner = retry
          // Behind what is not JSON there is no telling where the next record begins.
          guard (try? scanner.skipValue()) != nil else { return false }
        }
        try lookAround(file.file.name, at: scanner.position)
      }
      return true
    } catch let failure as JSONScanner.Failure {
      try skip(RecordFailure(.invalidJSON, failure.problem.message, at: failure.offset), file.file)
      return false
    } catch let failure as RecordFailure {
      throw failure
    } catch {
      throw RecordFailure(.invalidJSON, "\(error)", at: scanner.position)
    }
  }

  /// Reads one top-level object into the stage.
  mutating func loadObject(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, offset: Int
  ) throws(RecordFailure) {
    reader.removeAll(keepsTexts: stagedRecords > 0)
    guard scanner.peek() == .object else {
      throw RecordFailure(.notAnObject, "expected an object", at: scanner.position + offset)
    }
    let type: EntityTypeID
    if let known = file.type, !reader.layouts[Int(known.index)].isAbstract {
      type = known
    } else {
      type = try reader.typename(scanner, offset: offset, among: file.type)
    }
    _ = try reader.readRecord(type, &scanner, offset: offset, isTopLevel: true)
  }
}
