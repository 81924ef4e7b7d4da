import GQLCatalog

/// What one restoring brings back.
struct Revival {
  /// A living entity with a relation of which suspended links resume.
  struct Survivor {
    var relation: RelationID
    var row: UInt32
  }
  private(set) var entities: [DeletedRow] = []
  let marks = RowMarks([])
  /// By number among `entities`.
  var records: [DeletionRecord] = []
  var survivors: [Survivor] = []
  /// The links to survivors that come back.
  var returning = LinkMarks()
  /// Links between two of `entities` that only one of them remembers.
  var severed = LinkMarks()

  /// Nothing happens where it is among the entities already.
  mutating func add(_ entity: DeletedRow) { if marks.insert(entity) { entities.append(entity) } }

  var byteCount: Int {
    marks.byteCount + entities.count * 72 + survivors.count * 8 + returning.byteCount + severed.byteCount
  }
}
