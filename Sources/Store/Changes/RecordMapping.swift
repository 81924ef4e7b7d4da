import GQLBase
import GQLCatalog

/// A mapping of the records of a type to another schema.
package struct RecordMapping: Sendable {
  /// A column of which rows have no value, or none where there must be one now.
  package struct Filling: Sendable {
    let column: Int
    /// The column of presence of the embedded object around. Rows without the object have no value.
    let presence: Int?
    let isRequired: Bool
    /// The form and the value that a record has for it; nil for null.
    fileprivate let value: ContiguousArray<UInt8>?

    /// - Parameter cell: What rows get; nil for null.
    package init(_ descriptor: ColumnDescriptor, presence: ColumnID?, isRequired: Bool, _ cell: Cell?) {
      column = Int(descriptor.id.index)
      self.presence = presence.map { Int($0.index) }
      self.isRequired = isRequired
      var elementIsText = false
      if case .list(let element) = descriptor.type { elementIsText = ColumnKind(element) == .text }
      let kind = ChangeValueKind(descriptor.kind, elementIsText: elementIsText)
      value = cell.map { cell in
        var output = ByteBuffer(capacity: 32)
        output.append(UInt8(kind.rawValue << 4) | 2 | (kind == .word && cell.high != 0 ? 8 : 0))
        output.append(cell, kind)
        return output.withUnsafeBytes { ContiguousArray($0) }
      }
    }
  }

  /// A record under the schema now.
  package enum Record: Sendable {
    case content(ContiguousArray<UInt8>)
    /// Nothing is left of it, or it is not well-formed.
    case nothing
    /// It leads to a row without a value that there must be.
    case misfit
  }

  /// By column before: the column now; nil for one that has gone.
  package var columns: [Int?]
  /// By column now: whether its values are as they are now in every past, but those of rows that come back.
  package var isLeftOut: [Bool]
  /// Those of presence before those of the fields of their objects.
  package var fillings: [Filling]

  package init(columns: [Int?], isLeftOut: [Bool], fillings: [Filling]) {
    self.columns = columns
    self.isLeftOut = isLeftOut
    self.fillings = fillings
  }

  /// Returns the content of a record with the columns' numbers now.
  package func record(_ content: some Collection<UInt8>) -> Record {
    ContiguousArray(content).withUnsafeBytes { bytes in
      do throws(ChangeProblem) {
        return try translated(bytes)
      } catch {
        return .nothing
      }
    }
  }

  private struct Part {
    var column: Int
    var bytes: Range<Int>
    /// Indicates whether it leads to null.
    var isNull = false
  }

  private func target(_ column: Int, _ reader: ChangeReader) throws(ChangeProblem) -> Int? {
    guard columns.indices.contains(column) else { throw reader.otherLayout }
    return columns[column]
  }

  private func translated(_ bytes: UnsafeRawBufferPointer) throws(ChangeProblem) -> Record {
    var reader = ChangeReader(bytes)
    let marks = try reader.marks()
    // A row that comes back has all of its values.
    let isWhole = marks.before == RowChangeStatus.void && marks.after != RowChangeStatus.void
    var (fields, lists): ([Part], [Part]) = ([], [])
    if marks.has(RowChangeMarks.fields) {
      while let field = try reader.nextField() {
        guard let place = try target(field.column, reader), isWhole || !isLeftOut[place] else { continue }
        fields.append(Part(column: place, bytes: field.bytes, isNull: !field.hasAfter))
      }
    }
    if marks.has(RowChangeMarks.lists) {
      while let column = try reader.next() {
        let start = reader.offset
        let list = try reader.list()
        for _ in 0..<(list.takenOut + list.putIn) { _ = try reader.varint() }
        guard let place = try target(column, reader), isWhole || !isLeftOut[place] else { continue }
        lists.append(Part(column: place, bytes: start..<reader.offset))
      }
    }
    guard let filled = filled(&fields, isWhole: isWhole) else { return .misfit }
    var word = marks.word & ~(RowChangeMarks.fields | RowChangeMarks.lists)
    if !fields.isEmpty || !filled.isEmpty { word |= RowChangeMarks.fields }
    if !lists.isEmpty { word |= RowChangeMarks.lists }
    if word >> 4 == 0, marks.before == marks.after { return .nothing }
    var output = ByteBuffer(capacity: bytes.count + 8)
    output.append(UInt8(truncatingIfNeeded: word))
    output.append(UInt8(truncatingIfNeeded: word >> 8))
    var contents = fields.map { (column: $0.column, bytes: UnsafeRawBufferPointer(rebasing: bytes[$0.bytes])) }
    // Copied, because what they point to may move.
    let added = filled.flatMap { $0.value ?? [] }
    added.withUnsafeBytes { values in
      var start = 0
      for filling in filled {
        let end = start + (filling.value?.count ?? 0)
        contents.append((filling.column, UnsafeRawBufferPointer(rebasing: values[start..<end])))
        start = end
      }
      Self.append(contents, to: &output)
    }
    Self.append(
      lists.map { (column: $0.column, bytes: UnsafeRawBufferPointer(rebasing: bytes[$0.bytes])) }, to: &output)
    output.append(UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
    return .content(output.withUnsafeBytes { ContiguousArray($0) })
  }

  private static func append(_ parts: [(column: Int, bytes: UnsafeRawBufferPointer)], to output: inout ByteBuffer) {
    if parts.isEmpty { return }
    for (column, content) in parts.sorted(by: { $0.column < $1.column }) {
      output.append(varint: UInt64(column) + 1)
      output.append(content)
    }
    output.append(0)
  }

  /// Takes nulls out of the fields where there must be values, and returns what comes in; nil where a value is missing.
  private func filled(_ fields: inout [Part], isWhole: Bool) -> [Filling]? {
    var filled: [Filling] = []
    for filling in fillings {
      let place = fields.firstIndex { $0.column == filling.column }
      if isWhole {
        if let place, !fields[place].isNull { continue }
        if let presence = filling.presence {
          let isThere = fields.contains { $0.column == presence && !$0.isNull }
          if !isThere, !filled.contains(where: { $0.column == presence }) { continue }
        }
      } else {
        guard let place, fields[place].isNull, filling.isRequired else { continue }
        // The object goes with it.
        if let presence = filling.presence, fields.contains(where: { $0.column == presence && $0.isNull }) { continue }
      }
      if filling.value == nil {
        if filling.isRequired { return nil }
        continue
      }
      if let place { fields.remove(at: place) }
      filled.append(filling)
    }
    return filled
  }
}
