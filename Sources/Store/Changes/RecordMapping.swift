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
    /// Indicates whether it is a link, which only live entities must have.
    let isLink: Bool
    /// The form and the value that a record has for it; nil for null.
    fileprivate let value: ContiguousArray<UInt8>?
    /// The same of a record that leads to null.
    fileprivate var null: ContiguousArray<UInt8>? {
      guard var bytes = value, let form = bytes.first else { return nil }
      bytes[0] = form & 0xF0 | (form & 10) >> 1
      return bytes
    }

    /// A link that there must be now.
    package init(link column: ColumnID, presence: ColumnID?) {
      self.column = Int(column.index)
      self.presence = presence.map { Int($0.index) }
      (isRequired, isLink, value) = (true, true, nil)
    }

    /// - Parameter cell: What rows get; nil for null.
    package init(_ descriptor: ColumnDescriptor, presence: ColumnID?, isRequired: Bool, _ cell: Cell?) {
      column = Int(descriptor.id.index)
      self.presence = presence.map { Int($0.index) }
      self.isRequired = isRequired
      isLink = false
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

  /// A rule of what becomes of the values of a column.
  package enum Values: Sendable {
    case same
    /// Lists of lists get new names.
    case renamed(NestedRenaming)
    /// Lists must not have nulls among their elements any more.
    case withoutNulls
  }

  /// By column before: the column now; nil for one that has gone.
  package var columns: [Int?]
  /// By column before.
  package var values: [Values]
  /// By column now: whether its values are as they are now in every past, but those of rows that come back.
  package var isLeftOut: [Bool]
  /// Those of presence before those of the fields of their objects.
  package var fillings: [Filling]

  package init(columns: [Int?], values: [Values], isLeftOut: [Bool], fillings: [Filling]) {
    self.columns = columns
    self.values = values
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
    /// Its place in the record.
    var bytes: Range<Int>
    /// Stands for what is in the record; nil where that stays.
    var other: ContiguousArray<UInt8>?
    /// Indicates whether it leads to null.
    var isNull = false

    init(_ column: Int, _ bytes: Range<Int>, isNull: Bool = false) {
      (self.column, self.bytes, self.isNull) = (column, bytes, isNull)
    }

    init(_ column: Int, _ other: ContiguousArray<UInt8>, isNull: Bool = false) {
      (self.column, bytes, self.other, self.isNull) = (column, 0..<0, other, isNull)
    }
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
        var part = Part(place, field.bytes, isNull: !field.hasAfter)
        let content = UnsafeRawBufferPointer(rebasing: bytes[field.bytes])
        switch values[field.column] {
        case .same: break
        case .renamed(let renaming):
          guard let renamed = try renaming.renamed(content) else { return .misfit }
          part.other = renamed
        case .withoutNulls: if try ChangeReader.hasNull(content) { return .misfit }
        }
        fields.append(part)
      }
    }
    if marks.has(RowChangeMarks.lists) {
      while let column = try reader.next() {
        let start = reader.offset
        let list = try reader.list()
        for _ in 0..<(list.takenOut + list.putIn) { _ = try reader.varint() }
        guard let place = try target(column, reader), isWhole || !isLeftOut[place] else { continue }
        lists.append(Part(place, start..<reader.offset))
      }
    }
    guard fill(&fields, marks, isWhole: isWhole) else { return .misfit }
    var word = marks.word & ~(RowChangeMarks.fields | RowChangeMarks.lists)
    if !fields.isEmpty { word |= RowChangeMarks.fields }
    if !lists.isEmpty { word |= RowChangeMarks.lists }
    if word >> 4 == 0, marks.before == marks.after { return .nothing }
    var output = ByteBuffer(capacity: bytes.count + 8)
    output.append(UInt8(truncatingIfNeeded: word))
    output.append(UInt8(truncatingIfNeeded: word >> 8))
    Self.append(fields, of: bytes, to: &output)
    Self.append(lists, of: bytes, to: &output)
    output.append(UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
    return .content(output.withUnsafeBytes { ContiguousArray($0) })
  }

  private static func append(_ parts: [Part], of bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer) {
    if parts.isEmpty { return }
    for part in parts.sorted(by: { $0.column < $1.column }) {
      output.append(varint: UInt64(part.column) + 1)
      if let other = part.other {
        other.withUnsafeBytes { output.append($0) }
      } else {
        output.append(UnsafeRawBufferPointer(rebasing: bytes[part.bytes]))
      }
    }
    output.append(0)
  }

  /// Adds the values that come to the fields, in the place of nulls where there must be values. Returns false where a
  /// value is missing.
  private func fill(_ fields: inout [Part], _ marks: RowChangeMarks, isWhole: Bool) -> Bool {
    // Deleted entities have no links.
    let becomesLive = marks.after == RowChangeStatus.live && marks.before != RowChangeStatus.live
    for filling in fillings {
      // A link that waits for its target is none yet, and not missing.
      if filling.isLink, marks.after != RowChangeStatus.live || marks.has(RowChangeMarks.waiting) { continue }
      let place = fields.firstIndex { $0.column == filling.column }
      if let place, !fields[place].isNull { continue }
      var comesBack = filling.isLink ? becomesLive : isWhole
      if let presence = filling.presence {
        let object = fields.first { $0.column == presence }
        if let object, object.isNull {
          // What is in it goes with it.
          if place == nil, let null = filling.null { fields.append(Part(filling.column, null, isNull: true)) }
          continue
        }
        comesBack = object != nil
      }
      // What neither changes nor comes back stays.
      if !comesBack, place == nil || !filling.isRequired { continue }
      guard let value = filling.value else {
        if filling.isRequired { return false }
        continue
      }
      if let place { fields.remove(at: place) }
      fields.append(Part(filling.column, value))
    }
    return true
  }
}
