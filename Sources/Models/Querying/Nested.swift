import Foundation

/// A choice of what a query takes of all relations at one depth: `User.query("1").with(.entities, .fragments, .ids)`.
public struct Nested: Sendable, Hashable {
  enum Form { case entities, fragments, ids }

  let form: Form
  let filter: MetadataPredicate?
  /// Whether to-many relations get all entities of their type, whatever the links are.
  let isSchema: Bool

  init(_ form: Form, filter: MetadataPredicate? = nil, isSchema: Bool = false) {
    self.form = form
    self.filter = filter
    self.isSchema = isSchema
  }

  /// Entities.
  public static var entities: Self { Self(.entities) }
  /// Entities as fragments.
  public static var fragments: Self { Self(.fragments) }
  /// Ids.
  public static var ids: Self { Self(.ids) }
  /// The entities for which the condition holds; to-many relations are slices.
  public static func entities(filter: MetadataPredicate) -> Self { Self(.entities, filter: filter) }
  /// The entities for which the condition holds, as fragments; to-many relations are slices.
  public static func fragments(filter: MetadataPredicate) -> Self { Self(.fragments, filter: filter) }

  /// In to-many relations all entities of the type, linked or not, in the order in which they were saved last; nothing in
  /// to-one relations.
  public static var schemaEntities: Self { Self(.entities, isSchema: true) }
  /// The same as fragments.
  public static var schemaFragments: Self { Self(.fragments, isSchema: true) }
  /// Of all entities of the type those for which the condition holds, as a slice.
  public static func schemaEntities(filter: MetadataPredicate) -> Self {
    Self(.entities, filter: filter, isSchema: true)
  }
  /// The same as fragments.
  public static func schemaFragments(filter: MetadataPredicate) -> Self {
    Self(.fragments, filter: filter, isSchema: true)
  }
}

/// A condition that entities of all types can be asked for.
public struct MetadataPredicate: Sendable, Hashable {
  private let range: ClosedRange<Date>

  /// It was saved last within the range.
  public static func updated(within range: ClosedRange<Date>) -> Self { Self(range: range) }

  func predicate<Entity: EntityModelProtocol>(of type: Entity.Type) -> QueryPredicate<Entity> {
    .updated(within: range)
  }
}
