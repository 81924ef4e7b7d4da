import GQLCatalog
import GQLStore

/// A table of the places of links in the lists of their sources; counted when one is asked for, because few are.
private struct ListPlaces {
  private var places: ContiguousArray<Int32> = []

  mutating func place(_ index: Int, of links: PendingLinks) -> Int {
    if places.isEmpty {
      var counts: [UInt32: Int32] = [:]
      places.reserveCapacity(links.count)
      for index in 0..<links.count {
        let source = links.source(index)
        places.append(counts[source, default: 0])
        counts[source, default: 0] += 1
      }
    }
    return Int(places[index])
  }
}

/// Links by key to rows, when all rows are there.
extension EntityWriter {
  /// Links all rows by the keys that were collected.
  package mutating func resolveLinks() throws(WriteProblem) {
    // Where bad records are left out, links are made one by one, and told apart here.
    var claims: [RelationID: LinkClaims] = [:]
    for relation in catalog.relations {
      let links = pending[Int(relation.id.index)]
      pending[Int(relation.id.index)] = PendingLinks()
      guard links.count > 0 else { continue }
      let found = rows(of: links, relation)
      var looked = 0
      var resolved: [UInt64] = []
      if !leavesOutBad { resolved.reserveCapacity(links.count) }
      var missing: [Cell] = []
      var contradictions: [LinkContradiction] = []
      var places = ListPlaces()
      for index in 0..<links.count {
        let source = links.source(index)
        var target = links.target(index)
        let key = target == nil ? links.keys[looked] : nil
        if key != nil { looked += 1 }
        if !links.types.isEmpty {
          switch try resolve(
            key ?? Cell(low: UInt64(target ?? 0)), key == nil, as: links.types[index], relation, from: source,
            place: relation.isToMany ? places.place(index, of: links) : nil)
          {
          case .row(let row): target = row
          case .waiting:
            if let key { missing.append(key) }
            if relation.isRequired { dangling[relation.id, default: []].insert(source) }
            continue
          case .refused: continue
          }
        } else if let key {
          guard found[looked - 1] != PageLayout.noRow else {
            missing.append(key)
            if relation.isRequired { dangling[relation.id, default: []].insert(source) }
            transaction.rememberDangling(
              relation.id, source: source, key: key, place: relation.isToMany ? places.place(index, of: links) : nil)
            continue
          }
          target = found[looked - 1]
        }
        guard let target else { continue }
        if leavesOutBad {
          if let contradiction = try connect(relation, source, target, &claims) { contradictions.append(contradiction) }
        } else {
          resolved.append(UInt64(source) << 32 | UInt64(target))
        }
      }
      if !resolved.isEmpty { transaction.linkBulk(relation.id, pairs: resolved) }
      if !missing.isEmpty { notes.append(.danglingLinks(relation.id, keys: missing)) }
      if let first = contradictions.first {
        notes.append(.contradictions(first, of: relation.id, count: contradictions.count))
      }
    }
  }

  /// Returns the rows of the keys of links, ``PageLayout/noRow`` where there is none. Those to interfaces and unions
  /// are looked for one by one.
  private func rows(of links: PendingLinks, _ relation: Relation) -> [UInt32] {
    guard links.types.isEmpty, !links.keys.isEmpty else { return [] }
    return [UInt32](unsafeUninitializedCapacity: links.keys.count) { rows, count in
      links.keys.withUnsafeBufferPointer { keys in
        // Safe because neither is empty.
        transaction.findRows(
          relation.target, keys: keys.baseAddress.unsafelyUnwrapped, keys.count,
          into: rows.baseAddress.unsafelyUnwrapped)
      }
      count = links.keys.count
    }
  }

  /// Makes a link at once, unless another one of this run contradicts it.
  private mutating func connect(
    _ relation: Relation, _ source: UInt32, _ target: UInt32, _ claims: inout [RelationID: LinkClaims]
  ) throws(WriteProblem) -> LinkContradiction? {
    if let found = claim(relation, source, target, &claims) {
      if relation.isRequired { mustComplete(relation, source) }
      return found
    }
    do {
      try transaction.appendReference(relation.id, source: source, target: target)
    } catch {
      throw WriteProblem(.refused(error))
    }
    return nil
  }

  /// Returns what another link of this run says against a link.
  private func claim(
    _ relation: Relation, _ source: UInt32, _ target: UInt32, _ claims: inout [RelationID: LinkClaims]
  ) -> LinkContradiction? {
    let inverse = catalog[relation.inverse]
    if relation.isToMany && inverse.isToMany { return nil }
    if relation.id.index <= inverse.id.index {
      return claims[relation.id, default: LinkClaims(relation, inverse)].add(source, target, isBackward: false)
    }
    return claims[inverse.id, default: LinkClaims(inverse, relation)].add(target, source, isBackward: true)
  }

  enum LinkTarget {
    case row(UInt32)
    /// It may come.
    case waiting
    /// It was reported.
    case refused
  }

  /// Returns the row of an interface or union that a link leads to.
  mutating func resolve(
    _ key: Cell, _ isRow: Bool, as type: EntityTypeID?, _ relation: Relation, from source: UInt32,
    place: @autoclosure () -> Int?
  ) throws(WriteProblem) -> LinkTarget {
    let found =
      if isRow, let type {
        layouts.find(UInt32(truncatingIfNeeded: key.low), of: type, relation, transaction)
      } else {
        layouts.find(layouts.keys(key, of: relation.target, only: type), relation, transaction)
      }
    switch found {
    case .row(let row): return .row(row)
    case .gone: return .refused
    case .ambiguous(let types):
      guard leavesOutBad else { throw WriteProblem(.ambiguousLink(relation.id, key: key, of: types)) }
      notes.append(.ambiguousLink(relation.id, key: key, of: types))
      return .refused
    case .absent(let keys):
      for (member, key) in keys {
        transaction.rememberDangling(relation.id, source: source, member, key: key, place: place())
      }
      return .waiting
    }
  }
}
