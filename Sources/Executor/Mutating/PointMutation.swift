import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// What makes a mutation a *point mutation*: it reaches a handful of entities, which it finds by a unique key if at all,
/// looks at no other set, and runs no code of the embedding program. It takes some microseconds, so that others can wait
/// for it, and gives the same again when it is applied again to the same data.
package enum PointMutation {
  /// What one may reach. Whatever turns out to reach more is applied in another way.
  static var maximumRecords: Int { 16 }
  package static var maximumLinks: Int { 64 }
  /// Links of the lists in which its links stand: they are moved, and copied once a version, some four bytes each.
  static var maximumListed: Int { 1 << 14 }
  /// Rows that a hash index has under one key, on average: their list is moved as links are.
  static var maximumPostings: Int { 1 << 10 }
  /// Looks of the store at whether it is to stop, 128 entities or links each.
  static var maximumLooks: Int { 8 }
  /// Of the values of parameters, and of the document, which has the constants.
  package static var maximumBytes: Int { 1 << 12 }

  /// Returns whether one of some hash indexes of a type has many rows under one key, all of which a change may move.
  package static func hasLongPostings(_ indexes: [IndexID], of type: EntityTypeID, in snapshot: Snapshot) -> Bool {
    indexes.contains { index in
      // One that is not built yet has no entries to be changed.
      !snapshot.isPending(index)
        && snapshot.hashIndex(index).distinctKeys * maximumPostings < snapshot.liveCount(type)
    }
  }

  /// Whether values of parameters are few and short.
  package static func fits(_ values: [Value?]) -> Bool {
    var bytes = 0
    for value in values {
      if let value, !add(value, to: &bytes) { return false }
    }
    return true
  }

  private static func add(_ value: Value, to bytes: inout Int) -> Bool {
    bytes += 16
    switch value {
    case .string(let text), .bytes(let text), .json(let text), .uuid(let text), .id(let text, _):
      bytes += text.count
    case .list(let elements):
      if elements.count > maximumLinks { return false }
      for element in elements {
        if !add(element, to: &bytes) { return false }
      }
    case .object(let members):
      if members.count > maximumLinks { return false }
      for member in members {
        if !add(member.value, to: &bytes) { return false }
      }
    case .null, .boolean, .int, .float, .decimal, .enumeration, .dateTime, .date, .duration: break
    }
    return bytes <= maximumBytes
  }
}

extension BoundMutation {
  /// Whether its plans may make it a point mutation.
  package var mayBePoint: Bool {
    guard constants.sets.isEmpty, locateDeleted == nil, conflict?.decisions == nil,
      rows.count <= PointMutation.maximumRecords
    else { return false }
    switch conflict?.strategy {
    case .fail, .keep, .patch, .lastWriteWins, nil: break
    // Deletions, and lists that grow.
    case .replace, .append: return false
    }
    switch kind {
    case .insert: break
    case .upsert: if rows.contains(where: \.hasLinks) { return false }
    case .update: if assignment?.hasLinks ?? true { return false }
    case .delete: break
    case .restore, .erase: return false
    }
    guard [constants, locate, answer].allSatisfy({ ($0?.sets.count ?? 0) <= 1 }) else { return false }
    return [constants, locate, answer].allSatisfy { $0?.isOfPlainValues ?? true }
  }
}

extension BoundInput {
  /// Whether it says something of relations; what a variable holds is seen when it is staged.
  fileprivate var hasLinks: Bool { if case .record(let record) = self { record.hasLinks } else { false } }
}

extension MutationProgram {
  /// Whether it is a point mutation, as far as the plans can tell.
  static func isPoint(
    _ mutation: BoundMutation, _ layout: EntityLayout, _ catalog: Catalog, locate: Executable?
  ) -> Bool {
    guard mutation.mayBePoint else { return false }
    for index in catalog[mutation.type].indexes {
      switch catalog[index].kind.facts.upkeep {
      case .deferred: return false
      case .byText: if mutation.kind != .insert { return false }
      case .byEntry: break
      }
    }
    guard let locate else { return mutation.locate == nil }
    let plan = locate.plan
    guard plan.rowSets.isEmpty, let set = plan.sets.first else { return false }
    switch set.access {
    case .lookup(let index, _):
      // A null finds all rows with one, by a scan.
      let canBeNull = catalog[index].columns.contains { !layout.columns[Int($0.index)].isNonNull }
      return (catalog[index].isUnique || catalog[index].isPrimary) && !canBeNull && set.isPlain
    case .empty: return true
    default: return false
    }
  }
}

extension SetPlan {
  fileprivate var isPlain: Bool { filter?.isPlainValue ?? true }
}

extension BoundQuery {
  /// Whether all of its fields are ``BoundExpression/isPlainValue``.
  fileprivate var isOfPlainValues: Bool {
    var isPlain = true
    forEachFieldExpression { if !$0.isPlainValue { isPlain = false } }
    return isPlain
  }
}

extension BoundExpression {
  /// Whether it takes next to no time, whatever its values are.
  fileprivate var isPlainValue: Bool {
    var isPlain = true
    forEachNode { node in
      switch node.kind {
      case .constant, .parameter, .column, .entity, .not, .and, .or, .isTrue, .isNull, .compare, .inValues, .inList,
        .inRange, .negate, .convert, .cast, .coalesce, .conditional, .isDeleted, .isInserted:
        break
      // Texts that are joined grow.
      case .arithmetic: if node.type == .string { isPlain = false }
      default: isPlain = false
      }
    }
    return isPlain
  }
}
