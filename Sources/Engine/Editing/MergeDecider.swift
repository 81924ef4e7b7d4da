import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Decides about fields that both sides have written, as the program and the schema say.
final class MergeDecider: MergeDeciding {
  typealias Handler = @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value?

  private struct Place: Hashable {
    var type: EntityTypeID
    var column: ColumnID
  }
  private let catalog: Catalog
  private var rules: [Place: MergeRule] = [:]
  private var handlers: [Place: Handler] = [:]
  /// What other modules keep with the versions, for what is written in no column.
  private let companions: MergeCompanions
  /// Holds the memory of the cells of handlers' values.
  private let pool = CellPool()
  /// The error of a handler's value that the field does not have.
  private(set) var failure: QueryError?

  /// - Parameter handlers: By field: `User.tags`.
  init(_ catalog: Catalog, handlers: [String: Handler], companions: MergeCompanions = MergeCompanions()) {
    self.catalog = catalog
    self.companions = companions
    for type in catalog.types where type.kind == .entity {
      for property in type.properties {
        if let rule = property.merge { add(rule, type.id, property.storage) }
      }
    }
    for (name, handler) in handlers {
      if let place = catalog.mergedField(name) {
        self.handlers[Place(type: place.type, column: place.column)] = handler
      }
    }
  }

  private func add(_ rule: MergeRule, _ type: EntityTypeID, _ storage: PropertyStorage) {
    switch storage {
    case .column(let column, _): rules[Place(type: type, column: column)] = rule
    case .relation(let relation): rules[Place(type: type, column: catalog[relation].column)] = rule
    case .embedded(_, let presence, let fields):
      rules[Place(type: type, column: presence)] = rule
      for field in fields { add(rule, type, field) }
    case .members, .computed: return
    }
  }

  func decide(
    _ type: EntityTypeID, _ column: ColumnID, base: Cell?, mine: Cell?, theirs: Cell?
  ) -> MergeDecision {
    let descriptor = catalog[type][column]
    let place = Place(type: type, column: column)
    if let handler = handlers[place] {
      func value(_ cell: Cell?) -> Value { EntityReader.value(cell, descriptor, catalog) }
      return decision(of: handler(value(base), value(mine), value(theirs)), type, descriptor)
    }
    switch rules[place] {
    case nil:
      if case .list = descriptor.type { return .elements(unites: false) }
      return .conflict
    case .last?: return .side(.mine)
    case .first?: return .side(.theirs)
    case .union?: return .elements(unites: true)
    case .fail?: return .conflict
    case .sum?:
      guard let mine, let theirs else { return .conflict }
      return MergeCells.sum(base: base, mine: mine, theirs: theirs, descriptor.kind).map { .value($0) } ?? .conflict
    case .min?, .max?:
      // No value is neither the least nor the greatest.
      guard let mine, let theirs else { return .side(mine == nil ? .theirs : .mine) }
      guard let order = MergeCells.compare(mine, theirs, descriptor) else { return .conflict }
      return .side((order < 0) == (rules[place] == .min) ? .mine : .theirs)
    }
  }

  /// Indicates whether there is a field to which both sides may add.
  var addsAnywhere: Bool { rules.contains { $0.value == .sum } }

  func adds(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    let place = Place(type: type, column: column)
    return rules[place] == .sum && handlers[place] == nil
  }

  func decide(_ relation: Relation) -> MergeDecision {
    switch rules[Place(type: relation.source, column: relation.column)] {
    case .last?: .side(.mine)
    case .first?: .side(.theirs)
    case .union?: .elements(unites: true)
    case .fail?: .conflict
    case nil, .min?, .max?, .sum?: relation.isToMany ? .elements(unites: false) : .conflict
    }
  }

  func hasWrittenBesides(_ row: DeletedRow, _ side: MergeSide) -> Bool { companions.hasWritten(row, side) }

  private func decision(of value: Value?, _ type: EntityTypeID, _ column: ColumnDescriptor) -> MergeDecision {
    guard let value else { return .conflict }
    var problem: CoercionProblem?
    if let raw = value.raw() {
      switch ValueCoercion(catalog: catalog, origin: .variable).coerce(raw, to: column.type) {
      case .success(let coerced):
        if let cell = pool.cell(coerced, column.type) { return .value(cell) }
        if coerced == .null, !column.isNonNull { return .value(nil) }
      case .failure(let failure): problem = failure.problem
      }
    }
    let name = "\(catalog[type].name).\(column.name)"
    failure = QueryError(
      code: "wrong-merge", "the program has merged '\(name)' into a value that the field does not have",
      help: problem?.help)
    return .conflict
  }
}

extension Catalog {
  /// The column of a field that a program may merge: `User.tags`. Nil where there is none, or it is a link.
  func mergedField(_ name: String) -> (type: EntityTypeID, column: ColumnID)? {
    guard let dot = name.firstIndex(of: "."), let type = type(named: String(name[..<dot])), type.kind == .entity,
      let property = type.property(named: String(name[name.index(after: dot)...])),
      case .column(let column, _) = property.storage
    else { return nil }
    return (type.id, column)
  }
}
