import GQLExecutor
import GQLQuery

/// A plan of the elements of a flat list: which of some entities belong to it, in which order, and what is written of
/// them.
final class LiveElements: Sendable {
  let query: FlatListQuery
  let executable: Executable

  init(_ query: FlatListQuery, _ executable: Executable) {
    self.query = query
    self.executable = executable
  }
}
