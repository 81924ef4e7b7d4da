import GQLCatalog
import GQLStore

/// The members of another set, which sees what this one sees.
final class MemberSource: AccessOperator, @unchecked Sendable {
  private let member: Int

  init(_ member: Int, _ type: EntityTypeID) {
    self.member = member
    super.init(type)
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    // The state's own buffer would be that of the set which is being gathered.
    var members = Expansion()
    members.offsets.append(0)
    try execution.compiledSet(member).append(outer, execution, into: &members)
    rows.append(UnsafePointer(members.rows.base), members.rows.count)
    return false
  }
}

/// The entities of a row set, which a semi-join has found.
final class RowSetSource: AccessOperator, @unchecked Sendable {
  let number: Int

  init(_ number: Int, _ type: EntityTypeID) {
    self.number = number
    super.init(type)
  }

  override var findsLiveRowsOnly: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    try execution.builtRowSet(number).bits.collect(into: &rows)
    return true
  }
}
