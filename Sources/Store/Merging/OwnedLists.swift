import GQLCatalog

/// The lists of embedded objects in a merge. Such a list is a value of its owner: where both sides have written it, one of
/// them counts, and its objects come, go and are in conflict with it.
struct OwnedLists {
  typealias Row = DeletedRow

  private let merge: VersionMerge
  private var versions: MergeVersions { merge.versions }
  private var layout: StoreLayout { merge.layout }

  init(of merge: VersionMerge) { self.merge = merge }

  // MARK: - Owners

  /// Returns whether a row is an object in a list.
  func isObject(_ row: Row) -> Bool { layout.types[Int(row.type.index)].isElement }

  /// Returns the rows of the base that an object is part of in a version, from the inside out. They are written with it.
  func owners(of row: Row, in version: Snapshot) -> [Row] {
    var result: [Row] = []
    var next = owner(of: row, in: version)
    while let found = next, !merge.isNew(found) {
      result.append(found)
      next = owner(of: found, in: version)
    }
    return result
  }

  private func owner(of row: Row, in version: Snapshot) -> Row? {
    guard isObject(row) else { return nil }
    for relation in layout.types[Int(row.type.index)].relations
    where layout.ownsTargets(of: layout[relation.inverse]) {
      if let owner = merge.targets(version, relation, row.row).first { return Row(type: relation.target, row: owner) }
    }
    return nil
  }

  /// Returns the owners whose list I have written by writing in an object that the other side does not have.
  func writtenOwners(_ row: Row) -> [Row] {
    guard isObject(row), !merge.isNew(row), merge.image(versions.mine, row).status == RowChangeStatus.live,
      merge.image(versions.theirs, row).status != RowChangeStatus.live
    else { return [] }
    return owners(of: row, in: versions.mine)
  }

  /// Decides about objects of mine that are gone on the other side, when all has been decided about their owners: they
  /// come back with these, or not at all.
  func followOwners(_ rows: [Row]) {
    let restored = Set(merge.restorations).subtracting(merge.ignored)
    for row in rows where !merge.reinserted.contains(row) {
      let isKept = merge.image(versions.theirs, row).status == RowChangeStatus.deleted
      if isKept, owners(of: row, in: versions.mine).last.map({ restored.contains($0) }) ?? false {
        merge.changed.append(row)
      } else {
        merge.ignored.insert(row)
      }
    }
  }

  // MARK: - Comparing

  /// Decides about the lists of a row of mine that both sides have written.
  func compare(_ row: Row) {
    let type = layout.types[Int(row.type.index)]
    let status = merge.image(versions.mine, row).status
    if merge.isNew(row) || status == RowChangeStatus.void { return }
    for relation in type.relations where layout.ownsTargets(of: relation) {
      let old = merge.baseTargets(relation, of: row)
      if status == RowChangeStatus.deleted {
        // Elements that I had replaced before the deletion go with their owner, if it is deleted.
        ignoreReplaced(old, relation)
        continue
      }
      let mine = merge.targets(versions.mine, relation, row.row)
      let theirs = merge.targets(versions.theirs, relation, row.row)
      // Where the other side has deleted the owner, that is the conflict. Elements that I have replaced come back with
      // it, if it does, and go then.
      let theirStatus = merge.image(versions.theirs, row).status
      if theirStatus != RowChangeStatus.live {
        // What I have written again as it was is no change: it comes back as it went.
        if theirStatus == RowChangeStatus.deleted, mine != old, !isReplaced(relation, of: row) {
          leaveOut(mine, relation, in: versions.mine)
        }
        ignoreReplaced(old, relation)
        continue
      }
      guard let side = side(relation, of: row, base: old, mine: mine, theirs: theirs) else { continue }
      let known = Set(old)
      if side == .theirs {
        for (version, elements) in [(versions.mine, mine), (merge.base(of: row, Int(relation.column.index)), old)] {
          leaveOut(elements, relation, in: version)
          // Those that the other side has written in stay in its list.
          merge.links.blocked.formUnion(elements.map { merge.link(relation, row.row, $0) })
        }
      } else {
        merge.superseded += theirs.filter { !known.contains($0) }.map { Row(type: relation.target, row: $0) }
        for element in mine where known.contains(element) {
          let element = Row(type: relation.target, row: element)
          guard merge.image(versions.theirs, element).status != RowChangeStatus.live else { continue }
          merge.ignored.insert(element)
          merge.insertions.append(element)
          merge.reinserted.insert(element)
          reinsert(of: element)
        }
      }
    }
  }

  /// Returns the side whose list counts; nil where one of them has left it alone.
  private func side(
    _ relation: Relation, of row: Row, base: [UInt32], mine: [UInt32], theirs: [UInt32]
  ) -> MergeSide? {
    let column = Int(relation.column.index)
    // The list of an embedded object goes with it.
    if let settled = merge.settled[row]?[column] { return settled }
    let before = (merge.base(of: row, column), base)
    let isSame = haveEqualElements(relation, before, (versions.mine, mine))
    let isSameThere = haveEqualElements(relation, before, (versions.theirs, theirs))
    // To write again what is there is no change, but makes other rows.
    if isSame { return mine == base || theirs == base && isSameThere ? nil : .theirs }
    if isSameThere { return theirs == base ? nil : .mine }
    if haveEqualElements(relation, (versions.mine, mine), (versions.theirs, theirs)) { return .theirs }
    if case .side(let decided) = merge.deciding.decide(relation) { return decided }
    return merge.note(.field, row, relation.column)
  }

  /// Returns whether no object is written of a list that a version has left as it was.
  func isUnwritten(_ relation: Relation, of row: Row, _ list: [UInt32], in version: Snapshot) -> Bool {
    haveEqualElements(relation, (merge.base(of: row, Int(relation.column.index)), list), (version, list))
  }

  /// Has the objects of an entity that comes as another row come so, too.
  func reinsert(of row: Row) {
    for relation in layout.types[Int(row.type.index)].relations where layout.ownsTargets(of: relation) {
      for element in merge.targets(versions.mine, relation, row.row) {
        let element = Row(type: relation.target, row: element)
        // New ones are inserted as such.
        if !merge.isNew(element), merge.image(versions.theirs, element).status != RowChangeStatus.live,
          merge.reinserted.insert(element).inserted
        {
          merge.ignored.insert(element)
          merge.insertions.append(element)
        }
        reinsert(of: element)
      }
    }
  }

  /// Returns whether I have written another list of a row, not the same again.
  func isReplaced(_ relation: Relation, of row: Row) -> Bool {
    let (base, mine) = (merge.baseTargets(relation, of: row), merge.targets(versions.mine, relation, row.row))
    return mine != base
      && !haveEqualElements(relation, (merge.base(of: row, Int(relation.column.index)), base), (versions.mine, mine))
  }

  /// Leaves elements out, with those in their own lists.
  private func leaveOut(_ elements: [UInt32], _ relation: Relation, in version: Snapshot) {
    for element in elements {
      let element = Row(type: relation.target, row: element)
      merge.ignored.insert(element)
      for inner in layout.types[Int(element.type.index)].relations where layout.ownsTargets(of: inner) {
        leaveOut(merge.targets(version, inner, element.row), inner, in: version)
      }
    }
  }

  /// Leaves elements of the base that I have replaced out, with those in their own lists.
  private func ignoreReplaced(_ elements: [UInt32], _ relation: Relation) {
    for element in elements {
      let element = Row(type: relation.target, row: element)
      if merge.image(versions.mine, element).status == RowChangeStatus.void { merge.ignored.insert(element) }
      for inner in layout.types[Int(element.type.index)].relations where layout.ownsTargets(of: inner) {
        ignoreReplaced(merge.targets(merge.base(of: element), inner, element.row), inner)
      }
    }
  }

  /// Returns whether lists of two versions have objects that say the same.
  func haveEqualElements(
    _ relation: Relation, _ left: (version: Snapshot, list: [UInt32]), _ right: (version: Snapshot, list: [UInt32])
  ) -> Bool {
    let type = layout.types[Int(relation.target.index)]
    return left.list.count == right.list.count
      && zip(left.list, right.list).allSatisfy { first, second in
        let here = merge.image(left.version, Row(type: relation.target, row: first))
        let there = merge.image(right.version, Row(type: relation.target, row: second))
        return type.columns.indices.allSatisfy { column in
          type.isFilled[column] || type.isRelation[column]
            || merge.areEqual(type, column, here.cell(column), there.cell(column))
        }
          && type.relations.allSatisfy { inner in
            if inner.id == relation.inverse { return true }
            let inside = merge.targets(left.version, inner, first)
            let other = merge.targets(right.version, inner, second)
            if layout.ownsTargets(of: inner) {
              return haveEqualElements(inner, (left.version, inside), (right.version, other))
            }
            // A link that has gone with its target was not written.
            return merge.areSame(
              inner, inside.filter { !merge.isErased($0, inner, in: right.version) },
              other.filter { !merge.isErased($0, inner, in: left.version) })
          }
      }
  }
}
