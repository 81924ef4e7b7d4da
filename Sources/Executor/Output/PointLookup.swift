import GQLBase
import GQLCatalog
import GQLStore

/// One entity under a unique key of one component, with nothing below it: it is found and written without a level.
///
/// This is what most runs of most programs are, and where what a run costs beside its work shows most.
struct PointLookup: BitwiseCopyable {
  /// The number of the index.
  private let index: Int
  private let constant: Cell
  /// -1 for the constant.
  private let parameter: Int

  /// Nil if the selection is more than that.
  init?(_ selection: CompiledSelection, _ set: CompiledSet) {
    guard selection.isObject, selection.recursion == nil, selection.grouping == nil, selection.children.isEmpty,
      selection.groups.isEmpty, selection.usedScopes <= 1, !selection.showsDepths
    else { return nil }
    for number in 0..<selection.operationCount {
      switch selection.operations[number].kind {
      case .fixed, .int, .float, .boolean, .code, .text, .id, .dateTime, .date, .cell, .embedded: continue
      case .computed, .embeddedComputed, .one, .many, .introspection, .inlined, .recursion, .depth, .cycle, .cursor:
        return nil
      }
    }
    self.init(set)
  }

  /// Nil if the set is more than that.
  init?(_ set: CompiledSet) {
    guard !set.isCorrelated, set.isWhole, let lookup = set.access as? KeyLookup, !lookup.isTree, lookup.isUnique,
      lookup.scalars.count == 1
    else { return nil }
    switch lookup.scalars.sources[0] {
    case .parameter(let number):
      parameter = number
      constant = Cell(low: 0)
    case .constant(let cell):
      parameter = -1
      constant = cell
    case .null, .computed: return nil
    }
    index = Int(lookup.index.index)
  }

  /// The row under the key, or `PageLayout.noRow`; nil if the key is null.
  @inline(__always)
  func find(_ execution: Execution) -> UInt32? {
    guard let reader = execution.hashIndexes[index] else { return nil }
    return find(execution) { reader.find($0) }
  }

  /// The row that a transaction has under the key; nil where it has none. Precondition: not within a bulk.
  func find(_ execution: Execution, in transaction: WriteTransaction) -> UInt32? {
    find(execution) { transaction.findRow(IndexID(index), key: $0) } ?? nil
  }

  @inline(__always)
  private func find<Found>(_ execution: Execution, _ look: (UnsafePointer<Cell>) -> Found) -> Found? {
    if parameter < 0 { return withUnsafePointer(to: constant) { look($0) } }
    return execution.parameterValid[parameter] ? look(execution.parameterCells + parameter) : nil
  }
}
