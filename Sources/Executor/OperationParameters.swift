import GQLCatalog
import GQLStore

/// The cells of an operation's parameters, made once for the executions of all its fields. Used by one run at a time.
///
/// Unchecked because whoever took it from those that rest has it alone.
package final class OperationParameters: @unchecked Sendable {
  /// Holds what the cells point to.
  package let scratch = ScratchArena(capacity: 1024)
  private let memory: ParameterMemory
  private let count: Int
  /// Indicates for each whether a variable is given.
  @exclusivity(unchecked) private var given: [Bool]
  @exclusivity(unchecked) private var areAllGiven = true

  package init(_ count: Int) {
    self.count = count
    memory = ParameterMemory(count)
    given = Array(repeating: true, count: count)
  }

  /// Counts the bytes of the values.
  package var byteCount: Int { scratch.usedBytes &+ count &* MemoryLayout<Cell>.stride }

  /// Forgets the values of a run.
  package func removeAll() {
    scratch.removeAll()
    guard !areAllGiven else { return }
    for index in given.indices { given[index] = true }
    areAllGiven = true
  }

  /// Replaces the value of a parameter; nil is null.
  package func setParameter(_ index: Int, _ cell: Cell?) { memory.set(index, cell) }

  /// Makes a parameter null, as one for which no variable is given.
  package func omitParameter(_ index: Int) {
    memory.set(index, nil)
    given[index] = false
    areAllGiven = false
  }

  /// Returns whether a variable is given for a parameter, be it null.
  func isGiven(_ index: Int) -> Bool { given[index] }

  /// Gives an execution the cells, which live until ``removeAll()``.
  func bind(_ execution: Execution) {
    for index in 0..<count { execution.setParameter(index, memory.valid[index] ? memory.cells[index] : nil) }
  }
}
