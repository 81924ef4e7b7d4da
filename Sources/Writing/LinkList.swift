import GQLBase
import GQLCatalog
import GQLStore

/// A list of the targets that a row is to have by one relation: rows, and keys of entities that are not there.
package struct LinkList {
  package private(set) var rows: [UInt32] = []
  /// Holds the keys of what is not there; of an interface or union one of each type that comes into question.
  private var keys: [(type: EntityTypeID, key: Cell)] = []
  /// Holds the number of rows before each that is not there, and the end of its keys.
  fileprivate var absent: [(rows: Int, keys: Int)] = []

  package init() {}

  package mutating func removeAll() {
    // To remove nothing costs more than to look.
    rows.clear()
    keys.clear()
    absent.clear()
  }

  package mutating func append(_ row: UInt32) { rows.append(row) }

  /// Adds an entity that is not there, by a key.
  package mutating func append(absent type: EntityTypeID, _ key: Cell) {
    keys.append((type, key))
    absent.append((rows.count, keys.count))
  }

  /// Adds an entity that is not there, by the keys that it may have.
  package mutating func append(absent some: [(type: EntityTypeID, key: Cell)]) {
    keys += some
    absent.append((rows.count, keys.count))
  }

  /// Indicates whether an entity is not there.
  package var hasAbsent: Bool { !absent.isEmpty }

  fileprivate var absentKeys: [Cell] { keys.map(\.key) }

  fileprivate func keys(ofAbsent number: Int) -> ArraySlice<(type: EntityTypeID, key: Cell)> {
    keys[(number == 0 ? 0 : absent[number - 1].keys)..<absent[number].keys]
  }
}

extension WriteTransaction {
  /// Writes what a row says of a relation. Its links wait for entities that are not there, in their places of the list.
  ///
  /// Elements of lists of embedded objects that leave the list are deleted. Complexity: O(*n*) in the links before and
  /// after, where the lists of the other direction are short.
  ///
  /// - Parameter keepsWaiting: Whether links that wait already go on doing so, though the list is set.
  package func write(
    _ list: LinkList, of relation: Relation, from source: UInt32, mode: LinkMode, keepsWaiting: Bool = false
  ) throws(StoreProblem) {
    let isSet = mode == .assign || mode == .set || mode == .append && !relation.isToMany
    // A list that is set is all that there is.
    if isSet, !keepsWaiting { forgetDangling(relation.id, source: source, except: list.absentKeys) }
    // Targets that stand in the list already are not counted again.
    let old = relation.isToMany && !list.absent.isEmpty && !isSet ? targets(relation, source) : []
    if mode == .remove {
      try removeReferences(relation.id, source: source, targets: list.rows)
    } else if !relation.isToMany {
      try setReference(relation.id, source: source, target: list.rows.last)
    } else if !isSet {
      try appendReferences(relation.id, source: source, targets: list.rows)
    } else {
      try set(list.rows, of: relation, from: source)
    }
    if mode != .remove, !list.absent.isEmpty { wait(for: list, relation, source, after: old) }
  }

  /// Makes rows the whole list of a to-many relation.
  private func set(_ rows: [UInt32], of relation: Relation, from source: UInt32) throws(StoreProblem) {
    if !rows.isEmpty, !hasReferences(relation.id, source: source), suspendedPlaces(relation.id, source: source).isEmpty
    {
      return try appendReferences(relation.id, source: source, targets: rows)
    }
    let isOwner = base.catalog[relation.target].isElement
    let old = isOwner ? targets(relation, source) : []
    try rows.withUnsafeBufferPointer { (rows) throws(StoreProblem) in
      try setReferences(relation.id, source: source, targets: rows)
    }
    if old.isEmpty { return }
    // Elements are parts of their owner, and nothing else leads to them.
    let kept = Set(rows)
    let gone = old.filter { !kept.contains($0) }
    if !gone.isEmpty { try delete(relation.target, rows: gone, keeps: false) }
  }

  /// Has links wait for what is not there.
  private func wait(for list: LinkList, _ relation: Relation, _ source: UInt32, after old: [UInt32]) {
    let suspended = suspendedPlaces(relation.id, source: source)
    var before = 0
    var seen = Set(old)
    var present = old.count
    var next = 0
    for (number, absent) in list.absent.enumerated() {
      for row in list.rows[next..<absent.rows] where seen.insert(row).inserted { present += 1 }
      next = absent.rows
      // Counted each time, because one that is said twice, or waits already, waits once.
      let waiting = relation.isToMany ? listCounts(relation.id, source: source).waiting : 0
      while before < suspended.count, suspended[before] <= present { before += 1 }
      for (type, key) in list.keys(ofAbsent: number) {
        rememberDangling(relation.id, source: source, type, key: key, place: present + waiting + before)
      }
    }
  }

  /// Returns the rows that a live row's links of a relation lead to, in order.
  private func targets(_ relation: Relation, _ source: UInt32) -> [UInt32] {
    Array(column(relation.source, relation.column).references(source))
  }
}
