import GQLBase
import GQLCatalog
import GQLQuery

/// A binder of embedded objects as values: as JSON, with all that they hold.
struct EmbeddedObjectBinder {
  let binder: Binder

  /// An embedded object as JSON, null where it is absent: what it prints as where it is selected whole.
  func json(_ value: EmbeddedValue) -> BoundExpression {
    let object = object(of: binder.catalog[value.type].fields.map(\.name), at: value.range) {
      binder.member($0, of: value, at: value.range)
    }
    let presence = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: value.range)
    return BoundExpression(.conditional([presence, object]), .json, at: value.range)
  }

  /// An element of a list of embedded objects as JSON.
  func json(ofElement element: EntityReference, _ type: EntityTypeID, at range: SourceRange) -> BoundExpression {
    let properties = binder.catalog[type].properties
    return object(of: properties.map(\.name), at: range) { binder.member(properties[$0], of: element, at: range) }
  }

  private func object(of names: [String], at range: SourceRange, _ member: (Int) -> Operand) -> BoundExpression {
    let parts = binder.nested(at: range, [BoundExpression]()) { binder in
      names.indices.compactMap {
        binder.count(at: range) ? binder.coerce(member($0), to: .json, Environment(), at: range) : nil
      }
    }
    // What is no value, as a link without a single id, is reported.
    guard parts.count == names.count else { return BoundExpression(.constant(.null), .json, at: range) }
    return BoundExpression(.jsonObject(names, parts), .json, at: range)
  }
}
