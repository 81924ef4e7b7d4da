/// Entities that a deletion or its undoing concerns; one is told from the others without a table.
struct RowMarks {
  private let words = WordSet()

  init(_ entities: [DeletedRow]) { for entity in entities { insert(entity) } }

  @inline(__always)
  private static func word(_ entity: DeletedRow) -> UInt64 { UInt64(entity.type.index) << 32 | UInt64(entity.row) }

  @inline(__always)
  func contains(_ entity: DeletedRow) -> Bool { words.contains(Self.word(entity)) }

  /// False if it was there.
  @discardableResult
  func insert(_ entity: DeletedRow) -> Bool { words.insert(Self.word(entity)) }

  var count: Int { words.count }
  var byteCount: Int { words.byteCount }
}
