import GQLBase
import GQLCatalog

/// A renaming of an enum's values in lists of lists, which lie as JSON and hold the names.
package struct NestedRenaming: Sendable {
  /// The new names by the old ones.
  private var names: [Text: Text] = [:]
  /// Indicates whether each value has a name now.
  package private(set) var isComplete = true

  /// Returns nil where a field has or becomes something else, or no value of the enum stays.
  ///
  /// - Parameters:
  ///   - old: With the names that values had.
  ///   - enumValues: The names that they are known by now; see ``CatalogMapping/enumValues``.
  package init?(
    _ conversion: CatalogMapping.Conversion, from old: Catalog, to new: Catalog, _ enumValues: [[String]]
  ) {
    let (from, to) = (conversion.from, conversion.to)
    guard case .list(.list) = from.type, case .list(.list) = to.type,
      case .enumeration(let id) = from.type.innermost, case .enumeration(let newID) = to.type.innermost,
      from.isElementNonNull == to.isElementNonNull, from.innerNonNull == to.innerNonNull
    else { return nil }
    let wanted = Set(new[newID].values)
    for (name, known) in zip(old[id].values, enumValues[Int(id.index)]) {
      if wanted.contains(known) { names[Text(name)] = Text(known) } else { isComplete = false }
    }
    if names.isEmpty { return nil }
  }

  /// Appends a list of lists with the new names in it. Returns false where one is not known. Names are texts of JSON
  /// without escapes.
  func append(_ bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer) -> Bool {
    var place = 0
    while place < bytes.count {
      output.append(bytes[place])
      place += 1
      guard bytes[place - 1] == UInt8(ascii: "\"") else { continue }
      let end = bytes[place...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
      guard let name = names[Text(bytes[place..<end])], end < bytes.count else { return false }
      output.append(utf8: name)
      output.append(UInt8(ascii: "\""))
      place = end + 1
    }
    return true
  }

  /// Returns the form and the values that a record has for a field, with the new names; nil where one is not known.
  func renamed(_ field: UnsafeRawBufferPointer) throws(ChangeProblem) -> ContiguousArray<UInt8>? {
    var reader = ChangeReader(field)
    let form = try reader.form()
    guard form.kind == .text, let first = field.first else { throw reader.otherLayout }
    var output = ByteBuffer(capacity: field.count + 16)
    var value = ByteBuffer(capacity: field.count)
    output.append(first)
    for isThere in [form.hasBefore, form.hasAfter] where isThere {
      let start = reader.offset
      try reader.skip(.text, isFine: false)
      var head = ChangeReader(UnsafeRawBufferPointer(rebasing: field[start..<reader.offset]))
      let flag = try head.varint() & 1
      value.removeAll()
      let text = UnsafeRawBufferPointer(rebasing: field[(start + head.offset)..<reader.offset])
      guard append(text, to: &value) else { return nil }
      output.append(varint: UInt64(value.count) << 1 | flag)
      value.withUnsafeBytes { output.append($0) }
    }
    return output.withUnsafeBytes { ContiguousArray($0) }
  }
}
