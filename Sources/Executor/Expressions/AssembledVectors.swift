/// The vectors of a batch of a program that evaluates it in slices.
final class AssembledVectors {
  let vectors: UnsafeMutablePointer<Vector>
  private let count: Int
  private let memory: UnsafeMutableRawPointer

  static func byteCount(_ block: Block) -> Int { max(block.roots.count, 1) * ScopeRows.batchRows * 17 }

  init(_ block: Block) {
    count = block.roots.count
    vectors = .allocate(capacity: max(count, 1))
    let rows = ScopeRows.batchRows
    let kinds = block.roots.map { block.nodes[Int($0)].kind }
    // Sixteen bytes are the widest value, and there is one of validity.
    memory = .allocate(byteCount: Self.byteCount(block), alignment: 16)
    for (index, kind) in kinds.enumerated() {
      let values = memory + index * rows * 17
      let validity = (values + rows * 16).bindMemory(to: UInt8.self, capacity: rows)
      (vectors + index).initialize(to: Vector(kind: kind, values: values, validity: validity))
    }
  }

  deinit {
    vectors.deallocate()
    memory.deallocate()
  }

  /// Takes a slice in. Safe because no batch has more than ``ScopeRows/batchRows`` rows.
  func put(_ slices: UnsafePointer<Vector>, at start: Int, _ rows: Int) {
    for index in 0..<count {
      let slice = slices[index]
      vectors[index].allValid = slice.allValid && (start == 0 || vectors[index].allValid)
      (vectors[index].values + start * slice.stride).copyMemory(from: slice.values, byteCount: rows * slice.stride)
      (vectors[index].validity + start).update(from: slice.validity, count: rows)
    }
  }
}
