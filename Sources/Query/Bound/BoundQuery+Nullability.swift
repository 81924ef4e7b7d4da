import GQLBase
import GQLCatalog

extension BoundQuery {
  /// Whether the value may be null, as far as types tell.
  package func mayBeNull(_ key: BoundExpression, catalog: Catalog) -> Bool {
    switch key.kind {
    case .constant(let value): value.isNull
    case .parameter(let index): !(parameters.indices.contains(index) && parameters[index].signature.isNonNull)
    case .column(.scope(_, let type), let column): !catalog[type][column].isNonNull
    case .convert(let operand), .fold(let operand), .negate(let operand): mayBeNull(operand, catalog: catalog)
    case .arithmetic(_, let left, let right): mayBeNull(left, catalog: catalog) || mayBeNull(right, catalog: catalog)
    default: true
    }
  }
}
