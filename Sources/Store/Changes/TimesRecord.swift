import GQLBase

/// A record of nothing but the time of a row's last change, in a type that leaves fields out of its history.
///
/// The change makes no version, so its record is not kept for itself. It becomes a part of the next one of its row, which
/// leads back to the time of the change that made the version before.
package struct TimesRecord {
  package let content: ContiguousArray<UInt8>
  private let column: Int
  /// The place of the form and the values of the field.
  private let field: Range<Int>

  /// Nil for a record of more than that, or one that is not well-formed.
  ///
  /// - Parameter column: That of the time.
  package init?(_ content: some Collection<UInt8>, column: Int) {
    let content = ContiguousArray(content)
    guard let parts = RecordParts(content), parts.hasOnlyFields, parts.fields.count == 1,
      let field = parts.fields.first, field.column == column
    else { return nil }
    self.content = content
    self.column = column
    self.field = field.bytes
  }

  /// Returns a later record of the row that leads back to the time of this one.
  package func merged(into later: some Collection<UInt8>) -> ContiguousArray<UInt8> {
    let later = ContiguousArray(later)
    // A row that was not there before has no time.
    guard let parts = RecordParts(later), parts.marks.after != RowChangeStatus.void else { return later }
    let word = parts.marks.word | RowChangeMarks.fields
    var result: ContiguousArray<UInt8> = [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
    var fields = parts.fields.filter { $0.column != column }.map { ($0.column, later[$0.bytes]) }
    fields.append((column, content[field]))
    fields.sort { $0.0 < $1.0 }
    var output = ByteBuffer(capacity: later.count + content.count)
    for (column, bytes) in fields {
      output.append(varint: UInt64(column) + 1)
      bytes.withUnsafeBytes { output.append($0) }
    }
    output.append(0)
    output.withUnsafeBytes { result += $0 }
    result += later[parts.rest...]
    return result
  }
}

/// The places of the fields of a record.
private struct RecordParts {
  let marks: RowChangeMarks
  /// Each with its form and values.
  private(set) var fields: [(column: Int, bytes: Range<Int>)] = []
  /// Where the parts after the fields begin.
  private(set) var rest = 0
  private let end: Int

  /// Nil where a record is not well-formed.
  init?(_ content: ContiguousArray<UInt8>) {
    let read = content.withUnsafeBytes { bytes -> (RowChangeMarks, [(column: Int, bytes: Range<Int>)], Int)? in
      do throws(ChangeProblem) {
        var reader = ChangeReader(bytes)
        let marks = try reader.marks()
        var fields: [(column: Int, bytes: Range<Int>)] = []
        if marks.has(RowChangeMarks.fields) {
          while let field = try reader.nextField() { fields.append((field.column, field.bytes)) }
        }
        return (marks, fields, reader.offset)
      } catch {
        return nil
      }
    }
    guard let read else { return nil }
    (marks, fields, rest) = read
    end = content.count
  }

  /// Indicates whether the row is as it was but for its fields.
  var hasOnlyFields: Bool {
    marks.before == marks.after && marks.word & ~15 == RowChangeMarks.fields && rest == end
  }
}
