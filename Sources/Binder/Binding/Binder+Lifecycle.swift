import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What every entity has besides its fields: its type, when it came and changed, and whether it is gone.
extension Binder {
  static let metaFields = ["__typename", "_createdAt", "_updatedAt", "_status"]

  /// `__typename`, `_createdAt`, `_updatedAt` or `_status` of an entity; nil for other names.
  func metaValue(_ name: Name, of element: EntityReference) -> BoundExpression? {
    // Asked of every name.
    guard name.text.utf8.first == UInt8(ascii: "_"), !catalog[type(of: element)].isElement else { return nil }
    switch name.text {
    case "__typename": return typename(of: element, at: name.range)
    case "_createdAt": return time(of: element, at: name.range) { $0.createdColumn }
    case "_updatedAt": return time(of: element, at: name.range) { $0.updatedColumn }
    case "_status": return status(of: element, at: name.range)
    default: return nil
    }
  }

  /// The name of the entity's own type; null where it is missing.
  func typename(of element: EntityReference, at range: SourceRange) -> BoundExpression {
    let type = type(of: element)
    let isAbstract = catalog[type].isAbstract
    func name(_ type: EntityTypeID) -> BoundExpression {
      BoundExpression(.constant(.string(Text(catalog[type].name))), .string, at: range)
    }
    if !isAbstract, case .scope = element { return name(type) }
    let members = isAbstract ? memberReferences(of: element, type) : [(type: type, reference: element)]
    var choices: [BoundExpression] = []
    for member in members { choices += [isThere(member.reference, member.type, at: range), name(member.type)] }
    return BoundExpression(.conditional(choices), .string, at: range)
  }

  private func time(
    of element: EntityReference, at range: SourceRange, _ column: (EntityType) -> ColumnID?
  ) -> BoundExpression? {
    let type = type(of: element)
    let members = catalog[type].isAbstract ? memberReferences(of: element, type) : [(type: type, reference: element)]
    let values = members.compactMap { member in
      column(catalog[member.type]).map {
        BoundExpression(.column(member.reference, $0), .scalar(.dateTime), at: range)
      }
    }
    return values.count > 1 ? BoundExpression(.coalesce(values), .scalar(.dateTime), at: range) : values.first
  }

  private func status(of element: EntityReference, at range: SourceRange) -> BoundExpression? {
    guard let type = catalog.statusType else { return nil }
    func constant(_ value: Value) -> BoundExpression {
      BoundExpression(.constant(value), .enumeration(type), at: range)
    }
    let created = constant(.enumeration(type, code: 0))
    var choices: [BoundExpression] = []
    if !element.isScope {
      let entity = BoundExpression(.entity(element), .entity(self.type(of: element)), at: range)
      choices += [BoundExpression(.isNull(entity), .boolean, at: range), constant(.null)]
    }
    // Links lead to live entities only; an entity and what mirrors it are deleted together.
    if let scope = mirroredScope(of: element) {
      choices += [BoundExpression(.isDeleted(scope), .boolean, at: range), constant(.enumeration(type, code: 1))]
    }
    return BoundExpression(.conditional(choices + [created]), .enumeration(type), at: range)
  }

  /// The scope's element, if the reference leads to the same entity as another type.
  private func mirroredScope(of element: EntityReference) -> EntityReference? {
    switch element {
    case .scope: return element
    case .toOne(let base, let relation): return catalog[relation].isMirror ? mirroredScope(of: base) : nil
    case .firstOf(let references, _):
      let scopes = references.map(mirroredScope)
      return scopes.allSatisfy { $0 == scopes.first } ? scopes.first ?? nil : nil
    }
  }

  /// The field in a selection.
  func bindLifecycleField(
    _ entry: SelectionEntry, _ inner: [SelectionSource], _ value: BoundExpression
  ) -> BoundField.Content? {
    guard let name = entry.field else { return nil }
    guard isPlain(entry, inner, name) else { return nil }
    return .value(value)
  }
}
