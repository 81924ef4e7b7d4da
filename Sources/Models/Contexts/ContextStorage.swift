import Foundation
import GQLBase
import GQLBinder
import GQLCatalog
import GQLStore

/// What copies of a context share until one of them is written to.
///
/// Unchecked because it is written only by who holds the only reference to it; what shared readers may make, the
/// snapshot of what was written, they make under the lock.
package final class ContextStorage: @unchecked Sendable {
  private let lock = NSLock()
  // Unchecked because of the lock.
  @exclusivity(unchecked) private var transaction: WriteTransaction?
  @exclusivity(unchecked) private var snapshot: Snapshot?
  @exclusivity(unchecked) package private(set) var schema: ModelSchema?
  /// Whether the catalog is not what the types make: then types are looked up in it when they are asked for.
  @exclusivity(unchecked) private(set) var isForeign = false
  /// Indicates whether types that the catalog lacks are added to it.
  @exclusivity(unchecked) private var addsModels = false
  @exclusivity(unchecked) private var lastInstant: Int64 = 0
  /// By number of the entity type: the values without a column.
  @exclusivity(unchecked) var opaques: [OpaqueValues?] = []
  /// Memory that saves use again and again; nil while one does.
  @exclusivity(unchecked) var stage: SaveStage?
  /// The hooks of the type whose hook is called that ran as defaults, a bit each.
  @exclusivity(unchecked) var idleHooks: UInt8 = 0
  @exclusivity(unchecked) var calledType: ObjectIdentifier?
  /// What is being deleted, and was told so; nil when no deletion runs.
  @exclusivity(unchecked) var cascaded: CascadeSet?
  @exclusivity(unchecked) var postponed = PostponedRows()
  /// Of the save with hooks or resolvers that runs, if one does.
  @exclusivity(unchecked) private var instant: HeldInstant?
  /// To whom the context is lent; nil when no code of the program changes it within a save, a deletion or an update.
  @exclusivity(unchecked) var loan: ContextLoan?

  /// Of a database that has no schema yet.
  private var functions: [RegisteredFunction] = []

  init() {}

  /// Another storage with what this one holds now.
  init(copying other: ContextStorage) {
    cascaded = other.cascaded
    postponed = other.postponed
    loan = other.loan
    instant = other.instant
    snapshot = other.current
    schema = other.schema
    isForeign = other.isForeign
    addsModels = other.addsModels
    functions = other.functions
    opaques = other.opaques
    lastInstant = other.lastInstant
    idleHooks = other.idleHooks
    calledType = other.calledType
  }

  /// What a database holds.
  package init(_ snapshot: Snapshot, _ binding: ModelBinding?) {
    self.snapshot = snapshot
    schema = binding?.schema
    isForeign = binding?.isForeign ?? true
    addsModels = binding?.addsModels ?? false
    opaques = binding?.opaques ?? []
  }

  /// What a database without a schema holds: functions that text may call.
  package init(functions: [RegisteredFunction]) {
    self.functions = functions
  }

  /// Where a type that is to be read lies; nil if nothing is known of it.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` if the schema is not what the types make, and cannot hold it.
  func find<Entity: EntityModelProtocol>(_ type: Entity.Type) throws -> (ModelSchema, TypeMapping<Entity>)? {
    if let schema, let known = schema.mapping(of: type) { return (schema, known) }
    guard isForeign, let catalog = current?.catalog else { return nil }
    // It is added when an entity is saved; until then there is none.
    let named: any EntityModelProtocol.Type = (type as? any Tombstone.Type)?.entityType ?? type
    if addsModels, catalog.type(named: schemaName(of: named)) == nil { return nil }
    // Not kept, because others may read this storage; it is looked up in the process.
    let fitted = try fit(type, catalog)
    return fitted.mapping(of: type).map { (fitted, $0) }
  }

  /// The schema with a type more, in a catalog that stays as it is.
  private func fit(_ type: any EntityModelProtocol.Type, _ catalog: Catalog) throws -> ModelSchema {
    try ModelSchema.make(for: (schema?.types ?? []) + [type], in: catalog)
  }

  /// The values without a column of a type.
  func opaques(of type: EntityTypeID) -> OpaqueValues? {
    Int(type.index) < opaques.count ? opaques[Int(type.index)] : nil
  }

  /// What a database keeps with the snapshot; nil as long as no type is known.
  package var binding: ModelBinding? {
    if schema == nil, addsModels, let catalog = current?.catalog {
      return ModelBinding(catalog, nil, opaques: opaques, isForeign: isForeign, addsModels: true)
    }
    return schema.map { ModelBinding($0.catalog, $0, opaques: opaques, isForeign: isForeign, addsModels: addsModels) }
  }

  /// What was written so far; nil as long as no type is known.
  package var current: Snapshot? {
    lock.lock()
    defer { lock.unlock() }
    if let transaction {
      snapshot = transaction.commit()
      self.transaction = nil
    }
    return snapshot
  }

  /// What was written so far, valid until the next write: the transaction, if one is open, which goes on. Nil as long as
  /// no type is known. Precondition: nobody else has this storage.
  var written: (any StoreTables)? {
    if let transaction { return transaction }
    return snapshot
  }

  /// The transaction to write into. Precondition: a type is known, and nobody else has this storage. Nothing that a
  /// document or data say leads here: callers have a `TypeMapping`, which only a context with a schema gives.
  var writing: WriteTransaction {
    if let transaction { return transaction }
    guard let snapshot else { preconditionFailure("a context without types is not written to") }
    let made = WriteTransaction(snapshot, fold: foldText)
    made.now = now()
    transaction = made
    self.snapshot = nil
    return made
  }

  /// The instant of a write, in microseconds since 1970: never before an earlier one's, and that of the save within
  /// which it is.
  func now() -> Int64 {
    if let instant, instant.isRunningHere { return instant.time }
    lastInstant = max(lastInstant, WallClock.now)
    return lastInstant
  }

  /// All that is written until it ends, also in copies that are put in the place of this one, has one instant. Nil if one
  /// is held already.
  func holdInstant() -> HeldInstant? {
    if let instant, instant.isRunningHere { return nil }
    let held = HeldInstant(now())
    instant = held
    return held
  }

  /// Whether no type has a hook, as far as is known.
  var allSaveQuietly: Bool { schema?.byNumber.allSatisfy(\.hooks.savesQuietly) ?? false }

  /// Whether no type has a hook of deletions, as far as is known.
  var allDeleteQuietly: Bool { schema?.byNumber.allSatisfy(\.hooks.deletesQuietly) ?? false }

  func adopt(_ schema: ModelSchema) {
    self.schema = schema
    snapshot = schema.empty
    opaques = schema.byNumber.map(\.noOpaques)
  }

  /// Gets to know a type and all that it leads to. What is there keeps its rows.
  func learn(_ type: any EntityModelProtocol.Type) throws {
    if isForeign, let catalog = current?.catalog {
      if addsModels, try add(type, to: catalog) { return }
      let fitted = try fit(type, catalog)
      schema = fitted
      opaques += Array(repeating: nil, count: max(0, fitted.byNumber.count - opaques.count))
      for (number, mapping) in fitted.byNumber.enumerated() where opaques[number] == nil {
        opaques[number] = mapping.noOpaques
      }
      return
    }
    var larger = try schema?.adding(type) ?? ModelSchema.make(for: [type])
    let functions = schema?.catalog.functions ?? functions
    if !functions.isEmpty {
      var catalog = larger.catalog
      catalog.functions = functions
      catalog.version = Catalog.nextVersion()
      larger = try ModelSchema.make(for: larger.types, in: catalog)
    }
    guard let schema, let snapshot = current, !isEmpty(snapshot, schema) else { return adopt(larger) }
    let comparison = CatalogComparison(from: schema.catalog, to: larger.catalog)
    self.snapshot = try evolved(snapshot, to: larger.catalog, comparison.mapping, adding: type)
    self.schema = larger
    // Known types keep their numbers, because the types are written in the order in which they were met.
    opaques += larger.byNumber[opaques.count...].map(\.noOpaques)
  }

  private func evolved(
    _ snapshot: Snapshot, to catalog: Catalog, _ mapping: CatalogMapping, adding type: any EntityModelProtocol.Type
  ) throws -> Snapshot {
    do throws(EvolutionFailure) {
      return try snapshot.evolved(to: catalog, mapping, fold: foldText, filler: { _, _ in nil }, .unlimited).snapshot
    } catch {
      switch error {
      case .stopped, .memory: throw ModelError.invalidSchema("\(type) was not added")
      case .refused(let problem):
        throw schema?.byNumber.first?.error(problem, in: snapshot.catalog, snapshot) ?? problem
      }
    }
  }

  /// Puts a type that a catalog lacks into it, and all that it leads to. Returns whether there was anything to be added.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` if a type that is there cannot hold one of them.
  private func add(_ type: any EntityModelProtocol.Type, to catalog: Catalog) throws -> Bool {
    let types = (schema?.types ?? []) + [type]
    let larger = try ModelRegistration(types, in: catalog, keepsTypes: true).catalog
    let comparison = CatalogComparison(from: catalog, to: larger)
    if let problem = comparison.problems.first {
      throw ModelError.invalidSchema("\(problem.message); name the model when the database is opened")
    }
    guard !comparison.differences.isEmpty, let snapshot = current, let binding else { return false }
    let evolved = try evolved(snapshot, to: larger, comparison.mapping, adding: type)
    let moved = binding.fitted(to: larger)
    let fitted = try ModelSchema.make(for: types, in: larger)
    opaques = zip(moved.opaques, fitted.byNumber).map { $0 ?? $1.noOpaques }
    schema = fitted
    self.snapshot = evolved
    return true
  }

  private func isEmpty(_ snapshot: Snapshot, _ schema: ModelSchema) -> Bool {
    schema.byNumber.allSatisfy { snapshot.slotCount($0.type) == 0 } && snapshot.danglingCount == 0
  }
}
