import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Row ids of each enclosing scope for a batch of at most ``batchRows`` elements.
///
/// `rows(0)` is `.`, `rows(1)` is `^`, …; every array has `count` entries; a missing entity is `PageLayout.noRow`.
/// At the root of an operation there is no scope and `count` is 1.
package struct ScopeRows {
  package static let batchRows = 1024
  package var count: Int
  package var scopes: ContiguousArray<UnsafePointer<UInt32>>

  package init(count: Int, scopes: ContiguousArray<UnsafePointer<UInt32>>) {
    self.count = count
    self.scopes = scopes
  }
  package static var root: ScopeRows { ScopeRows(count: 1, scopes: []) }
}
