import GQLBase
import GQLStore

/// The groups of one selection, for all parents of a chunk, in one execution. Groups are numbered in the order of their
/// first members, so that those of one parent are neighbors.
final class GroupState: OperatorState {
  /// Members of a batch of parents, and what they are arranged with.
  @exclusivity(unchecked) var members = Expansion()
  /// The group of each member, in the order of members; kept for `_items` only.
  @exclusivity(unchecked) var numbers = GroupMemory<UInt32>()
  @exclusivity(unchecked) var memberRows = GroupMemory<UInt32>()
  /// Members of group i: `listed[starts[i] ..< starts[i + 1]]`.
  @exclusivity(unchecked) var listed = GroupMemory<UInt32>()
  @exclusivity(unchecked) var starts = GroupMemory<UInt32>()
  @exclusivity(unchecked) var firsts = GroupMemory<UInt32>()
  @exclusivity(unchecked) var counts = GroupMemory<Int64>()
  /// Numbers of the groups of one batch of members.
  let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
  let inner = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
  let parents = UnsafeMutablePointer<Int64>.allocate(capacity: ScopeRows.batchRows)
  let ones = UnsafeMutablePointer<UInt8>.allocate(capacity: ScopeRows.batchRows)
  let vectors: UnsafeMutablePointer<Vector>
  /// With the parent as first part, where there are several; made when first needed.
  lazy var manyParents = KeyTable([KeyTable.Part(.int, isStable: true)] + grouping.keys)
  lazy var oneParent = KeyTable(grouping.keys)
  let aggregates: ContiguousArray<AggregateState>
  @exclusivity(unchecked) var bag = Expansion()
  @exclusivity(unchecked) var bagRows = WorkMemory()
  private let grouping: CompiledGrouping
  unowned(unsafe) private(set) var execution: Execution?

  init(_ grouping: CompiledGrouping) {
    self.grouping = grouping
    vectors = .allocate(capacity: grouping.keys.count + 1)
    aggregates = ContiguousArray(grouping.aggregates.map { AggregateState($0) })
    ones.initialize(repeating: 1, count: ScopeRows.batchRows)
  }

  deinit {
    ids.deallocate()
    inner.deallocate()
    parents.deallocate()
    ones.deallocate()
    vectors.deallocate()
  }

  func begin(_ execution: Execution) {
    self.execution = execution
    members.removeAll()
    numbers.trim(to: 1 << 20)
    memberRows.trim(to: 1 << 20)
    listed.trim(to: 1 << 20)
    starts.removeAll()
    firsts.trim(to: 1 << 20)
    counts.trim(to: 1 << 20)
    for aggregate in aggregates { aggregate.begin(execution) }
  }

  var byteCount: Int {
    var total = numbers.byteCount + memberRows.byteCount + listed.byteCount + firsts.byteCount + counts.byteCount
    for aggregate in aggregates { total += aggregate.byteCount }
    return total
  }

  /// Lists members by group, keeping their order.
  func listMembers() {
    let groups = firsts.count
    starts.removeAll()
    starts.extend(to: groups + 2, filling: 0)
    let ends = starts.base
    for index in 0..<numbers.count { ends[Int(numbers.base[index]) + 2] &+= 1 }
    for group in 0..<groups { ends[group + 2] &+= ends[group + 1] }
    listed.removeAll()
    listed.extend(to: numbers.count, filling: 0)
    for index in 0..<numbers.count {
      let group = Int(numbers.base[index]) + 1
      listed.base[Int(ends[group])] = memberRows.base[index]
      ends[group] &+= 1
    }
  }
}
