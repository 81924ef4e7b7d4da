/// An entity: a plain struct with an id, stored properties and relations to other entities.
///
/// `@EntityModel` writes ``describe(_:)``, ``init(from:)``, ``write(to:)`` and ``patch``; they can be written by hand. The
/// first names the stored properties, and the next two name each of them again. Everything else has a default.
///
/// Entities are `Sendable`, because contexts and databases, which any thread may read, hand out what was put in.
public protocol EntityModelProtocol: Sendable {
  /// A value that tells entities of the type apart.
  associatedtype ID: Hashable & LosslessStringConvertible & Sendable

  /// What tells it apart from others of its type.
  var id: ID { get }

  /// Names the stored properties, relations and indexes.
  static func describe(_ model: inout EntityDescription<Self>)
  /// Reads the stored properties; relations begin with nothing known.
  init(from row: inout EntityReader<Self>) throws
  /// Writes the stored properties.
  func write(to row: inout EntityWriter<Self>) throws

  /// Forgets what is known of all relations.
  mutating func normalize()

  /// Runs before it is saved, and may change what is.
  mutating func willSave(to context: inout Context) throws
  /// Runs when it has been saved, with its relations.
  func didSave(to context: inout Context) throws
  /// Saves it, what its relations hold, and the links.
  func save(to context: inout Context, options: MergeStrategy<Self>) throws

  /// Runs before it is deleted, with the ids of all its relations.
  func willDelete(from context: inout Context) throws
  /// Runs when it has been deleted.
  func didDelete(from context: inout Context) throws
  /// Deletes it.
  func delete(from context: inout Context) throws
  /// What its deletion would keep; nil if it is not saved. Where one of a model's own gives nil, the deletion keeps
  /// nothing; what else it gives is not looked at.
  func asDeleted(in context: Context) -> Deleted<Self>?

  /// Runs with every save. One of a model's own that does not call ``updateMetadata(_:value:in:)`` keeps no metadata:
  /// then nothing says when entities of the type were saved.
  func saveMetadata(to context: inout Context) throws
  /// Runs with every deletion.
  func deleteMetadata(from context: inout Context) throws

  /// How it is merged with what is saved under its id.
  static var defaultMergeStrategy: MergeStrategy<Self> { get }
  /// How a fragment of it is.
  static var fragmentMergeStrategy: MergeStrategy<Self> { get }
  /// Takes optional properties that are nil from what is saved.
  static var patch: MergeStrategy<Self> { get }
}

extension EntityModelProtocol {
  /// Forgets what is known of all relations.
  public mutating func normalize() { EntityInfo<Self>.shared.normalize(&self) }

  /// Without what is known of its relations.
  public func normalized() -> Self {
    var copy = self
    copy.normalize()
    return copy
  }

  /// Replaces what is saved.
  public static var defaultMergeStrategy: MergeStrategy<Self> { .replace }
  /// ``patch``.
  public static var fragmentMergeStrategy: MergeStrategy<Self> { patch }
  /// Replaces what is saved, for types without optional properties.
  public static var patch: MergeStrategy<Self> { .replace }

  /// Saves it, what its relations hold, and the links; if it fails, nothing is changed.
  public func save(to context: inout Context) throws { try save(to: &context, options: .default) }
  /// Saves it, what its relations hold, and the links; if it fails, nothing is changed.
  public func save(to context: inout Context, options: MergeStrategy<Self>) throws {
    try context.save(self, options)
  }

  // What does nothing says so, that later saves need not call it.

  /// Does nothing.
  public mutating func willSave(to context: inout Context) throws { context.noteDefault(.willSave, of: Self.self) }
  /// Does nothing.
  public func didSave(to context: inout Context) throws { context.noteDefault(.didSave, of: Self.self) }
  /// Does nothing.
  public func willDelete(from context: inout Context) throws { context.noteDefault(.willDelete, of: Self.self) }
  /// Does nothing.
  public func didDelete(from context: inout Context) throws { context.noteDefault(.didDelete, of: Self.self) }
  /// Keeps the time of the save.
  public func saveMetadata(to context: inout Context) throws { context.noteDefault(.saveMetadata, of: Self.self) }
  /// Does nothing.
  public func deleteMetadata(from context: inout Context) throws { context.noteDefault(.deleteMetadata, of: Self.self) }

  /// The name under which indexes and text know a property or a computed key path of an index; nil for others.
  public static func indexedKeyPathName(_ path: PartialKeyPath<Self>) -> String? {
    let info = EntityInfo<Self>.shared
    return info.key(path).flatMap { $0.attribute < info.ownCount ? info.attributes[$0.attribute].name : nil }
  }
}
