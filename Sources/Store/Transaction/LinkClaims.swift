import GQLCatalog

/// Two links that were given together and cannot both be: a to-one relation would lead from one row to two.
package struct LinkContradiction: Hashable, Sendable {
  /// The direction that is to-one, and its row.
  package var relation: RelationID
  package var row: UInt32
  /// What it is linked with, in the order given.
  package var first: UInt32
  package var second: UInt32
  /// The direction in which the later link was written, and the row that wrote it.
  package var writer: RelationID
  package var writerRow: UInt32
}

/// What links of one relation, one given after the other, say of the rows at their ends.
///
/// A row whose own to-one field is written again has changed its mind, and the later link counts. Where two rows speak of
/// one, nobody knows who is right.
package struct LinkClaims {
  private struct Claim {
    var other: UInt32
    /// Whether the row at this end said so itself.
    var isOwn: Bool
  }
  private let relation: Relation
  private let inverse: Relation
  private var bySource: [UInt32: Claim] = [:]
  private var byTarget: [UInt32: Claim] = [:]

  package init(_ relation: Relation, _ inverse: Relation) {
    self.relation = relation
    self.inverse = inverse
  }

  /// A link that the field of `source` says, or, where it is written backward, the field at the other end. One that
  /// contradicts others is not remembered.
  package mutating func add(_ source: UInt32, _ target: UInt32, isBackward: Bool) -> LinkContradiction? {
    if relation.id == inverse.id { return addSymmetric(source, target) }
    let (writer, writerRow) = isBackward ? (inverse.id, target) : (relation.id, source)
    func contradiction(_ relation: Relation, _ row: UInt32, _ known: Claim, _ other: UInt32) -> LinkContradiction {
      LinkContradiction(
        relation: relation.id, row: row, first: known.other, second: other, writer: writer, writerRow: writerRow)
    }
    let known = relation.isToMany ? nil : bySource[source].flatMap { $0.other == target ? nil : $0 }
    if let known, !known.isOwn || isBackward { return contradiction(relation, source, known, target) }
    let other = inverse.isToMany ? nil : byTarget[target].flatMap { $0.other == source ? nil : $0 }
    if let other, !other.isOwn || !isBackward { return contradiction(inverse, target, other, source) }
    if let known { byTarget[known.other] = nil }
    if let other { bySource[other.other] = nil }
    if !relation.isToMany { bySource[source] = Claim(other: target, isOwn: !isBackward) }
    if !inverse.isToMany { byTarget[target] = Claim(other: source, isOwn: isBackward) }
    return nil
  }

  private mutating func addSymmetric(_ source: UInt32, _ target: UInt32) -> LinkContradiction? {
    let known = bySource[source].flatMap { $0.other == target ? nil : $0 }
    let other = bySource[target].flatMap { $0.other == source ? nil : $0 }
    for (row, claim, end) in [(source, known, target), (target, other, source)] {
      // A row may change its mind, unless the other end has said the same.
      guard let claim, row == target || !claim.isOwn || bySource[claim.other]?.isOwn ?? false else { continue }
      return LinkContradiction(
        relation: relation.id, row: row, first: claim.other, second: end, writer: relation.id, writerRow: source)
    }
    if let known { bySource[known.other] = nil }
    if bySource[target] == nil { bySource[target] = Claim(other: source, isOwn: false) }
    bySource[source] = Claim(other: target, isOwn: true)
    return nil
  }
}

extension WriteTransaction {
  /// What contradicts itself among the links of a bulk, apart from those that have waited for their targets since an
  /// earlier one. `forward` holds those that the relation's own fields say, `backward` those of its inverse.
  func contradiction(
    _ relation: Relation, _ inverse: Relation, _ forward: ArraySlice<UInt64>, _ backward: ArraySlice<UInt64>
  ) -> LinkContradiction? {
    if relation.isToMany && inverse.isToMany { return nil }
    if relation.id != inverse.id {
      // One side alone has spoken: its rows may change their minds, and the other side's may be linked with many. This is
      // how most data say their links, and it is as fast as not looking.
      if backward.isEmpty && inverse.isToMany || forward.isEmpty && relation.isToMany { return nil }
    }
    var claims = LinkClaims(relation, inverse)
    for pair in forward {
      let found = claims.add(
        UInt32(truncatingIfNeeded: pair >> 32), UInt32(truncatingIfNeeded: pair), isBackward: false)
      if let found { return found }
    }
    for pair in backward {
      let found = claims.add(UInt32(truncatingIfNeeded: pair), UInt32(truncatingIfNeeded: pair >> 32), isBackward: true)
      if let found { return found }
    }
    return nil
  }
}
