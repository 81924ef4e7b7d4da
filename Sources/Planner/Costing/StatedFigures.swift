import GQLBase
import GQLCatalog

/// Figures of data that are stated instead of counted, so that plans for much data are tested with little.
package struct StatedFigures: Sendable, Hashable {
  fileprivate var rows: [EntityTypeID: Int] = [:]
  fileprivate var values: [EntityTypeID: [ColumnID: Double]] = [:]
  fileprivate var links: [RelationID: Double] = [:]

  package init() {}

  package var isEmpty: Bool { rows.isEmpty && values.isEmpty && links.isEmpty }

  /// Reads figures: `User 100000, User.age 60, Chat.messages 40` states entities of a type, distinct values of a field,
  /// targets of a relation.
  ///
  /// - Returns: nil where a word names nothing, or is no figure.
  package init?(_ text: String, _ catalog: Catalog) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard words.count == 2, let number = Int(words[1]), number >= 0 else { return nil }
      let names = words[0].split(separator: ".", omittingEmptySubsequences: false)
      guard names.count <= 2, let type = catalog.type(named: String(names[0])) else { return nil }
      guard names.count == 2 else {
        rows[type.id] = number
        continue
      }
      switch type.property(named: String(names[1]))?.storage {
      case .column(let column, let folded):
        values[type.id, default: [:]][column] = Double(number)
        if let folded { values[type.id, default: [:]][folded] = Double(number) }
      case .relation(let relation): links[relation] = Double(number)
      case .embedded, .members, .computed, nil: return nil
      }
    }
  }
}

/// The statistics of data as it would be with the stated figures: what is counted grows with the entities.
struct StatedStatistics: Statistics {
  let figures: StatedFigures
  let counted: any Statistics
  let catalog: Catalog

  private func scaled(_ count: Int, _ type: EntityTypeID) -> Int {
    guard let rows = figures.rows[type] else { return count }
    return Int((Double(count) / Double(max(1, counted.rowCount(type))) * Double(rows)).rounded())
  }

  func rowCount(_ type: EntityTypeID) -> Int { figures.rows[type] ?? counted.rowCount(type) }
  func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double? {
    figures.values[type]?[column] ?? counted.distinctCount(type, column)
  }
  func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int { scaled(counted.nullCount(type, column), type) }
  func fanOut(_ relation: RelationID) -> FanOut {
    let known = counted.fanOut(relation)
    guard let mean = figures.links[relation] else { return known }
    return FanOut(mean: mean, maximum: max(known.maximum, Int(mean) * 4), nonEmpty: known.nonEmpty)
  }
  func cardinality(_ index: IndexID, _ range: KeyRange) -> Int? {
    let columns = catalog[index].columns
    // What is stated of a column's values takes the place of counting them.
    if figures.values[catalog[index].type].map({ known in columns.contains { known[$0] != nil } }) ?? false {
      return nil
    }
    return counted.cardinality(index, range).map { scaled($0, catalog[index].type) }
  }
  func deletedCount(_ type: EntityTypeID) -> Int { scaled(counted.deletedCount(type), type) }
  func timeCardinality(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Int? {
    counted.timeCardinality(type, column, range).map { scaled($0, type) }
  }
  func ascends(_ type: EntityTypeID, _ column: ColumnID) -> Bool { counted.ascends(type, column) }
  func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: Text) -> Int? {
    counted.matchCount(index, columns, query).map { scaled($0, catalog[index].type) }
  }
  func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: CandidateQuery) -> Int? {
    counted.trigramCount(index, column, query).map { scaled($0, catalog[index].type) }
  }
  func isPending(_ index: IndexID) -> Bool { counted.isPending(index) }
  func idOrder(_ type: EntityTypeID) -> IDOrder { counted.idOrder(type) }
  var generation: UInt64 { counted.generation }
}
