import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The part of a list between two places.
struct SliceRange {
  var offset = 0
  var limit = Int.max
  /// Where the part ends.
  var end: Int {
    let (end, overflow) = offset.addingReportingOverflow(limit)
    return overflow ? Int.max : end
  }

  /// Leaves the part of the rows from `first` on; counted from their end if so said.
  func keep(_ rows: inout RowBuffer, from first: Int, isBackward: Bool = false) {
    let total = rows.count - first
    let skipped = min(offset, total)
    let count = min(limit, total - skipped)
    let start = isBackward ? total - skipped - count : skipped
    if start > 0, count > 0 { (rows.base + first).update(from: rows.base + first + start, count: count) }
    rows.count = first + count
  }
}

/// The limit and offset of a set, and the cursors between which its pages lie. Immutable.
final class Slice: @unchecked Sendable {
  let sources: ScalarSources
  private let limit: Int
  private let offset: Int
  /// The numbers of the cursors' sources; -1 where there is none, as for the two above.
  let after: Int
  let before: Int
  /// Indicates whether it stands for the member after the slice.
  private let isProbe: Bool
  private let limitRange: SourceRange
  private let offsetRange: SourceRange

  /// Returns nil for a set that is not cut.
  convenience init?(_ set: BoundSet, _ compiler: PlanCompiler) {
    self.init(limit: set.limit, offset: set.offset, set.paging, isProbe: set.isProbe, at: set.range, compiler)
  }

  /// Returns nil for what is not cut.
  init?(
    limit bound: BoundExpression?, offset skipped: BoundExpression?, _ paging: BoundPaging? = nil,
    isProbe: Bool = false, at range: SourceRange, _ compiler: PlanCompiler
  ) {
    var expressions: [BoundExpression] = []
    func place(_ expression: BoundExpression?) -> Int {
      guard let expression else { return -1 }
      expressions.append(expression)
      return expressions.count - 1
    }
    limit = place(bound)
    offset = place(skipped)
    after = place(paging?.after)
    before = place(paging?.before)
    if expressions.isEmpty { return nil }
    self.isProbe = isProbe
    limitRange = bound?.range ?? range
    offsetRange = skipped?.range ?? range
    sources = ScalarSources(expressions, compiler)
  }

  /// Indicates whether a part is cut off, rather than a page looked for alone.
  private var isCutting: Bool { limit >= 0 || offset >= 0 }
  /// Indicates whether it is the same for all elements of a run.
  var isCommon: Bool { sources.program == nil }

  /// Returns the slice of the list of one element.
  func range(
    _ vectors: UnsafePointer<Vector>?, _ element: Int, of outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> SliceRange {
    var slice = SliceRange()
    if limit >= 0, let cell = sources.cell(limit, vectors, element, execution) { slice.limit = Int(cell.int) }
    if offset >= 0, let cell = sources.cell(offset, vectors, element, execution) { slice.offset = Int(cell.int) }
    if slice.limit < 0 || slice.offset < 0 { throw negative(slice, element, of: outer) }
    guard isProbe else { return slice }
    return slice.end == Int.max ? SliceRange(offset: 0, limit: 0) : SliceRange(offset: slice.end, limit: 1)
  }

  private func negative(_ slice: SliceRange, _ element: Int, of outer: ScopeRows) -> RuntimeProblem {
    let isLimit = slice.limit < 0
    var entity: (type: EntityTypeID, row: UInt32)?
    if let type = sources.program?.elementType, let row = outer.scopes.first?[element], row != PageLayout.noRow {
      entity = (type, row)
    }
    return RuntimeProblem(
      .negativeLimit(argument: isLimit ? "limit" : "offset"), at: isLimit ? limitRange : offsetRange, entity: entity,
      values: [Text(String(isLimit ? slice.limit : slice.offset))])
  }

  /// Keeps the slice of each element's rows, which stand from `first` on.
  func cut(
    _ scopes: ScopeRows, _ result: inout Expansion, from first: Int, firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    guard isCutting else { return }
    var place = (start: first, written: first)
    try cut(scopes, &result, &place, firstOffset: firstOffset, execution)
    result.rows.count = place.written
  }

  /// Moves the slices of a batch of lists, of which the first starts at a place, to where they are to be written.
  func cut(
    _ scopes: ScopeRows, _ result: inout Expansion, _ place: inout (start: Int, written: Int), firstOffset: Int,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    let vectors = try sources.vectors(scopes, execution)
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let slice = try range(vectors, element, of: scopes, execution)
      let from = place.start + min(slice.offset, end - place.start)
      let count = min(slice.limit, end - from)
      if place.written != from, count > 0 { (rows + place.written).update(from: rows + from, count: count) }
      place.written += count
      offsets[element] = UInt32(truncatingIfNeeded: place.written)
      place.start = end
    }
  }
}
