/// How long the old values of a type's entities are kept: `@history(for: "P5Y", versions: 1000)`.
package struct HistoryRule: Sendable, Hashable {
  /// At least so many microseconds; nil for ever.
  package var duration: Int64?
  /// The duration as it is written.
  package var durationText: String?
  /// At least so many changes of each entity; nil for all.
  package var versions: Int64?

  package init() {}

  /// Reads a duration. Beside what values of the type Duration have it may have years, of 365.25 days, and months, a
  /// twelfth of these. Nil where it is none, or not longer than nothing.
  package static func duration(_ text: String) -> Int64? {
    var rest = text[...]
    guard rest.first == "P" else { return nil }
    rest.removeFirst()
    var total: Int64 = 0
    for (unit, length) in [("Y" as Character, 31_557_600_000_000 as Int64), ("M", 2_629_800_000_000)] {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard rest.dropFirst(digits.count).first == unit else { continue }
      guard let count = Int64(digits) else { return nil }
      let (part, isTooLong) = count.multipliedReportingOverflow(by: length)
      let (sum, isTooMuch) = total.addingReportingOverflow(part)
      if isTooLong || isTooMuch { return nil }
      total = sum
      rest = rest.dropFirst(digits.count + 1)
    }
    if !rest.isEmpty {
      let plain = Array("P\(rest)".utf8)
      guard let part = plain.withUnsafeBufferPointer({ DurationCodec.read($0) }) else { return nil }
      let (sum, isTooMuch) = total.addingReportingOverflow(part)
      if isTooMuch { return nil }
      total = sum
    }
    return total > 0 ? total : nil
  }
}

/// A rule of how much of the past of a type is kept.
package struct TypeHistory: Sendable, Hashable {
  /// Of rows that live with others, as the elements of lists of objects, nil: they are kept as long as those.
  package var rule: HistoryRule?
  /// The types on whose entities its rows depend, with the columns that lead to them.
  package var owners: [Owner] = []
  /// By column: whether its values are as they are now in every past.
  package var isLeftOut: [Bool]
  /// The columns of the primary key, those that are written.
  package var keyColumns: [Int]
  /// Those of the key whose texts are compared without regard to case.
  package var foldedKeyColumns: [Int]
  /// Indicates whether columns lead to other rows.
  package var hasLinks: Bool
  /// Indicates whether a column that leads to other rows is left out.
  package fileprivate(set) var leavesOutLinks = false
  /// The column of the time of the last change, where others are left out: a change of nothing else makes no version.
  package fileprivate(set) var timeColumn: Int?

  package struct Owner: Sendable, Hashable {
    package var type: Int
    package var column: Int
  }

  fileprivate init(_ type: EntityType, _ catalog: Catalog) {
    rule = type.history
    isLeftOut = Array(repeating: false, count: type.columns.count)
    let key = type.isAbstract || type.isElement ? [] : catalog[type.primaryIndex].columns
    // Change sets have no folded texts, which are made of others.
    keyColumns = key.map { Int((type[$0].foldedFrom ?? $0).index) }
    foldedKeyColumns = key.compactMap { type[$0].foldedFrom.map { Int($0.index) } }
    hasLinks = type.columns.contains { $0.kind == .reference || $0.kind == .references }
  }
}

/// The types of a catalog whose past is kept, by number.
package struct HistoryTypes: Sendable, Hashable {
  package private(set) var types: [TypeHistory?]
  /// By type: whether records of the past may name its rows, which keep their numbers then.
  package private(set) var isNamed: [Bool]

  /// Indicates whether the past of some type is kept.
  package var isAny: Bool { types.contains { $0 != nil } }

  package init(_ catalog: Catalog) {
    types = catalog.types.map { $0.history == nil ? nil : TypeHistory($0, catalog) }
    isNamed = Array(repeating: false, count: types.count)
    if !isAny { return }
    addMirrors(catalog)
    addElements(catalog)
    for type in catalog.types {
      for property in type.properties where property.isOutOfHistory { leaveOut(property.storage, of: type.id, catalog) }
      if let number = type.updatedColumn, types[Int(type.id.index)]?.isLeftOut.contains(true) ?? false {
        types[Int(type.id.index)]?.timeColumn = Int(number.index)
      }
    }
    isNamed = types.map { $0 != nil }
    for relation in catalog.relations where types[Int(relation.source.index)] != nil {
      isNamed[Int(relation.target.index)] = true
    }
  }

  package subscript(_ type: Int) -> TypeHistory? { types.indices.contains(type) ? types[type] : nil }

  /// The rows of interfaces and unions mirror those of their members.
  private mutating func addMirrors(_ catalog: Catalog) {
    for type in catalog.types where type.isAbstract {
      let members = type.members.map { Int($0.type.index) }
      guard !members.isEmpty, members.allSatisfy({ types[$0] != nil }) else { continue }
      var history = TypeHistory(type, catalog)
      history.owners = type.members.map {
        TypeHistory.Owner(type: Int($0.type.index), column: Int(catalog[$0.relation].column.index))
      }
      types[Int(type.id.index)] = history
    }
  }

  /// The elements of lists of objects are parts of those who own them, which may be elements themselves.
  private mutating func addElements(_ catalog: Catalog) {
    var owners: [Int: [TypeHistory.Owner]] = [:]
    for relation in catalog.relations where relation.property != nil && catalog[relation.target].isElement {
      owners[Int(relation.target.index), default: []].append(
        TypeHistory.Owner(
          type: Int(relation.source.index), column: Int(catalog[relation.inverse].column.index)))
    }
    var isChanging = true
    while isChanging {
      isChanging = false
      for (element, sources) in owners {
        let known = sources.filter { types[$0.type] != nil }
        if known.isEmpty || types[element]?.owners == known { continue }
        var history = types[element] ?? TypeHistory(catalog.types[element], catalog)
        history.owners = known
        types[element] = history
        isChanging = true
      }
    }
  }

  private mutating func leaveOut(_ storage: PropertyStorage, of type: EntityTypeID, _ catalog: Catalog) {
    switch storage {
    case .column(let column, _): leaveOut(column, of: type)
    case .embedded(_, let presence, let fields):
      leaveOut(presence, of: type)
      for field in fields { leaveOut(field, of: type, catalog) }
    case .relation(let id):
      // Both directions, so that they agree.
      for relation in [catalog[id], catalog[catalog[id].inverse]] {
        leaveOut(relation.column, of: relation.source)
        types[Int(relation.source.index)]?.leavesOutLinks = true
      }
    case .members, .computed: break
    }
  }

  private mutating func leaveOut(_ column: ColumnID, of type: EntityTypeID) {
    types[Int(type.index)]?.isLeftOut[Int(column.index)] = true
  }
}
