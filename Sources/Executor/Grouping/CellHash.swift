import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Hashes of values of any type, equal for those that `==` holds equal.
final class CellHash {
  static let null: UInt64 = 0x5851_F42D_4C95_7F2D
  private let seed: UInt64
  private lazy var json = JSONHash(seed)

  init(_ seed: UInt64 = KeyHash.seed) { self.seed = seed }

  /// Where the run of `execution` is to end, what this gives has no meaning.
  func hash(_ cell: Cell, _ type: ValueType, _ execution: Execution? = nil) -> UInt64 {
    switch type {
    case .scalar(.decimal):
      let normal = Cell(cell.decimal.normalized)
      return KeyHash.combine(KeyHash.word(normal.low, seed), normal.high)
    case .scalar(.json): return json.hash(cell, execution)
    case .scalar(.float): return KeyHash.word((cell.double + 0).bitPattern, seed)
    case .scalar(.string), .scalar(.id), .scalar(.uuid), .scalar(.bytes), .scalar(.cursor):
      return KeyHash.text(TextView(cell), seed)
    case .list(let element):
      let run = ListRun(cell, element)
      var hash = KeyHash.word(UInt64(run.count), seed)
      for index in 0..<run.count {
        hash = KeyHash.combine(hash, run.isNull(index) ? Self.null : self.hash(run.cell(index), element, execution))
      }
      return hash
    case .scalar, .enumeration, .entity, .embedded: return KeyHash.word(cell.low, seed)
    case .null: return Self.null
    }
  }
}
