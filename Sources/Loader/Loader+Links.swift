import GQLBase
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
extension Loader {
  mutating func resolveLinks(_ files: [LoadFile]) throws(LoadFailure) {
    // Where bad records are left out, links are made one by one, and told apart here.
    var claims: [RelationID: LinkClaims] = [:]
    for relation in catalog.relations {
      let links = pending[Int(relation.id.index)]
      pending[Int(relation.id.index)] = PendingLinks()
      guard links.count > 0 else { continue }
      let found = rows(of: links, relation)
      var looked = 0
      var resolved: [UInt64] = []
      if !skipsBadRecords { resolved.reserveCapacity(links.count) }
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
        if skipsBadRecords {
          if let contradiction = try connect(relation, source, target, &claims) { contradictions.append(contradiction) }
        } else {
          resolved.append(UInt64(source) << 32 | UInt64(target))
        }
      }
      if !resolved.isEmpty { transaction.linkBulk(relation.id, pairs: resolved) }
      if !missing.isEmpty { warnDangling(relation, missing) }
      if let first = contradictions.first { warn(relation, first, contradictions.count) }
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

  /// Makes a link at once, unless another one of this load contradicts it.
  private mutating func connect(
    _ relation: Relation, _ source: UInt32, _ target: UInt32, _ claims: inout [RelationID: LinkClaims]
  ) throws(LoadFailure) -> LinkContradiction? {
    if let found = claim(relation, source, target, &claims) {
      if relation.isRequired { mustComplete(relation, source) }
      return found
    }
    do {
      try transaction.appendReference(relation.id, source: source, target: target)
    } catch {
      throw LoadFailure(
        code: LoadProblem.uniqueViolation.code,
        StoreMessages.describe(error, catalog: catalog, transaction: transaction))
    }
    return nil
  }

  /// Returns what another link that this load gives says against a link.
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

  private mutating func warn(_ relation: Relation, _ found: LinkContradiction, _ count: Int) {
    let source = catalog[relation.source]
    let links = count == 1 ? "1 link of" : "\(count) links of"
    let reason = StoreMessages.describe(.contradiction(found), catalog: catalog, transaction: transaction)
    outcome.warnings.append(
      (
        SourceText(name: "", bytes: []),
        [
          Diagnostic(
            LoadProblem.contradictingLinks.code, severity: .warning,
            "\(links) '\(source.name).\(source[relation.column].name)' left out: \(reason)", at: SourceRange(at: 0))
        ]
      ))
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
  ) throws(LoadFailure) -> LinkTarget {
    if isRow, let type {
      return transaction.mirroredRow(type, UInt32(truncatingIfNeeded: key.low), in: relation.target).map { .row($0) }
        ?? .refused
    }
    let members = catalog[relation.target].members.map(\.type).filter { type == nil || $0 == type }
    var found: [(type: EntityTypeID, row: UInt32)] = []
    for member in members {
      guard let cell = self.key(key, of: member, isTyped: type != nil) else { continue }
      if let row = withUnsafePointer(to: cell, { transaction.findRow(member, key: $0) }) { found.append((member, row)) }
    }
    if found.count > 1 {
      let names = found.map { "'\(catalog[$0.type].name)'" }.joined(separator: " and ")
      let field = relation.property.map { catalog[relation.source][$0].name } ?? "?"
      let id = TextView(key).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: min($1, 80)), as: UTF8.self)
      }
      let message = "'\(catalog[relation.source].name).\(field)' links to '\(id)', which is the id of \(names)"
      let help = "give an object that says its type, as in {\"__typename\": …, \"id\": …}"
      guard skipsBadRecords else {
        throw LoadFailure(code: LoadProblem.ambiguousLink.code, message, help: help)
      }
      outcome.warnings.append(
        (
          SourceText(name: "", bytes: []),
          [Diagnostic(LoadProblem.ambiguousLink.code, severity: .warning, message, at: SourceRange(at: 0), help: help)]
        ))
      return .refused
    }
    if let only = found.first {
      return transaction.mirroredRow(only.type, only.row, in: relation.target).map { .row($0) } ?? .refused
    }
    for member in members {
      guard let cell = self.key(key, of: member, isTyped: type != nil) else { continue }
      transaction.rememberDangling(relation.id, source: source, member, key: cell, place: place())
    }
    return .waiting
  }

  /// A key that was read as an ID as one of a type; nil where it cannot be one.
  func key(_ cell: Cell, of type: EntityTypeID, isTyped: Bool) -> Cell? {
    let layout = reader.layouts[Int(type.index)]
    guard layout.keyColumns.count == 1 else { return nil }
    if isTyped { return cell }
    switch catalog[type].columns[layout.keyColumns[0]].kind {
    case .text: return cell
    case .int64:
      let text = TextView(cell).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self)
      }
      return Int64(text).map { Cell($0) }
    default: return nil
    }
  }

  mutating func warnDangling(_ relation: Relation, _ missing: [Cell]) {
    outcome.danglingLinks += missing.count
    let source = catalog[relation.source]
    let name = relation.property.map { source[$0].name } ?? "?"
    let target = catalog[relation.target]
    let isText = catalog[target.primaryIndex].columns.first.map { target[$0].kind == .text } ?? true
    let shown = missing.prefix(3).map { cell in
      isText
        ? TextView(cell).withBytes { String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self) }
        : "\(cell.int)"
    }
    let ids = shown.joined(separator: ", ") + (missing.count > 3 ? ", …" : "")
    let noun = missing.count == 1 ? "1 link" : "\(missing.count) links"
    outcome.warnings.append(
      (
        SourceText(name: "", bytes: []),
        [
          Diagnostic(
            LoadProblem.danglingLink.code, severity: .warning,
            "\(noun) of '\(source.name).\(name)' to a '\(target.name)' that is not there: \(ids)",
            at: SourceRange(at: 0))
        ]
      ))
  }
}
