import Foundation
import GQLStore

extension EntityModelProtocol {
  /// Tells when it was saved last; nil if it is not saved, or if its ``saveMetadata(to:)`` keeps no metadata.
  public func updatedAt(in context: Context) -> Date? {
    guard let reading = QueryReading<Self>(context), let row = try? reading.mapping.row(id, reading.snapshot) else {
      return nil
    }
    return reading.updatedAt(row).map { Date(microseconds: $0) }
  }

  /// Tells when it was saved last, or an entity that its relations hold, or one in theirs, whichever is later.
  public func updatedAt(in context: Context, withNested: Bool) -> Date? {
    var last = updatedAt(in: context)
    if !withNested { return last }
    var rest = heldEntities
    while let entity = rest.popLast() {
      if let other = entity.updatedAt(in: context) { last = max(last ?? other, other) }
      rest += entity.heldEntities
    }
    return last
  }

  /// The entities that its relations hold.
  private var heldEntities: [any EntityModelProtocol] {
    EntityInfo<Self>.shared.relations.flatMap { $0.held(self) }
  }

  /// Keeps another time than that of its last save; nothing happens if it is not saved. A ``saveMetadata(to:)`` of a
  /// model's own that calls it keeps metadata.
  ///
  /// - Throws: ``ModelError`` if the time is none that columns can hold.
  public func updateMetadata(_ metadata: MetadataOrder, value: Date, in context: inout Context) throws {
    let time = try value.microseconds()
    context.own()
    if context.storage.calledType == ObjectIdentifier(Self.self) { context.storage.idleHooks |= Hook.metadata }
    guard let (_, mapping) = try context.storage.find(Self.self), let row = try context.writtenRow(mapping, id) else {
      return
    }
    _ = try context.mapping(of: Self.self)
    let transaction = context.storage.writing
    let now = transaction.now
    defer { transaction.now = now }
    transaction.now = time
    transaction.stamp(mapping.type, row)
  }
}
