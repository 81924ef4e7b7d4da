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

  package init(_ count: Int) {
    self.count = count
    memory = ParameterMemory(count)
  }

  /// Counts the bytes of the values.
  package var byteCount: Int { scratch.usedBytes &+ count &* MemoryLayout<Cell>.stride }

  /// Forgets the values of a run.
  package func removeAll() { scratch.removeAll() }

  /// Replaces the value of a parameter; nil is null.
  package func setParameter(_ index: Int, _ cell: Cell?) { memory.set(index, cell) }

  /// Gives an execution the cells, which live until ``removeAll()``.
  func bind(_ execution: Execution) {
    for index in 0..<count { execution.setParameter(index, memory.valid[index] ? memory.cells[index] : nil) }
  }
}
