import GQLBase
import GQLCatalog

/// A range of an index in order.
struct IndexRangeForm: AccessForm {
  let index: IndexID
  let range: IndexRange

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    let isWalk = order.walk.isWalk && !range.isBounded
    let name = range.firstOfEach > 0 ? "Skip" : isWalk ? "Walk" : "Range"
    let index = catalog[index]
    return "\(index.isPrimary ? "ID" : index.kind.facts.planName)\(name) \(catalog.columnNames(of: index))"
  }

  func text(_ printer: PathPrinter) -> String {
    name(range.isBounded ? .natural : .fromAccess(descending: false), printer.catalog) + range.bounds(printer)
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog), index.kind.facts.isOrdered || catalog.isOfIDs(index) else {
      return ["takes a range of what is no B-tree of its type"]
    }
    let isOpen = range.lower == nil && range.upper == nil && range.prefix == nil
    if range.equal.count > index.columns.count { return ["has more equal components than the index"] }
    if !isOpen && range.equal.count == index.columns.count { return ["bounds a component that does not exist"] }
    if range.prefix != nil && (range.lower != nil || range.upper != nil) { return ["has bounds and a prefix"] }
    if range.firstOfEach > 0 && (set.distinctOn.isEmpty || range.firstOfEach > index.columns.count) {
      return ["skips rows that were asked for"]
    }
    if range.onlyNulls && (!isOpen || !range.equal.isEmpty) { return ["bounds nulls"] }
    return []
  }

  func rows(_ known: KnownValues) -> Double {
    var keys = KeyRange()
    for key in range.equal {
      guard let value = known.value(key), !value.isNull else { return 0 }
      keys.equal.append(value)
    }
    for (bound, isLower) in [(range.lower, true), (range.upper, false)] {
      guard let bound else { continue }
      guard let value = known.value(bound.value), !value.isNull else { return 0 }
      let end = KeyRange.Bound(value, isInclusive: bound.isInclusive)
      if isLower { keys.lower = end } else { keys.upper = end }
    }
    if let prefix = range.prefix {
      guard let value = known.value(prefix), !value.isNull else { return 0 }
      keys.prefix = value
    }
    return known.rows(index, keys)
  }
}

/// A range of `_createdAt` or `_updatedAt`.
struct TimeRangeForm: AccessForm {
  let type: EntityTypeID
  let column: ColumnID
  let range: IndexRange

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String {
    "TimeRange \(catalog[type].name).\(catalog[type][column].name)"
  }

  func text(_ printer: PathPrinter) -> String { name(.natural, printer.catalog) + range.bounds(printer) }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard type == set.type, catalog.isTime(type, column) else { return ["takes a range of times of what holds none"] }
    let isBounded = range.lower != nil || range.upper != nil
    return isBounded && range.equal.isEmpty && range.prefix == nil ? [] : ["takes a range of times without bounds"]
  }
}

extension IndexRange {
  /// Returns the words of the bounds, after a blank; empty without bounds.
  fileprivate func bounds(_ printer: PathPrinter) -> String {
    if onlyNulls { return " null" }
    var parts: [String] = []
    if !equal.isEmpty { parts.append("== \(printer.list(equal))") }
    if let prefix { parts.append("prefix \(printer.key(prefix))") }
    if lower != nil || upper != nil {
      let low = lower.map { "\($0.isInclusive ? "[" : "(")\(printer.key($0.value))" } ?? "(-∞"
      let high = upper.map { "\(printer.key($0.value))\($0.isInclusive ? "]" : ")")" } ?? "∞)"
      parts.append("\(low), \(high)")
    }
    return parts.isEmpty ? "" : " " + parts.joined(separator: ", ")
  }
}

extension Catalog {
  /// Indicates whether an index is that of a type's ids, each one field: they have an order, though they are hashed.
  package func isOfIDs(_ index: IndexDescriptor) -> Bool {
    index.isPrimary && index.columns.count == 1 && self[index.type].kind == .entity
  }
}
