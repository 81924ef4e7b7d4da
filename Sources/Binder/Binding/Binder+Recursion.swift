import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// The selection that is being bound: what the meta fields in it are about.
struct SelectionFrame {
  var set: SetID
  var isRecursive = false
  /// The key under which a recursion stands in its own selection.
  var recursionKey: String?
}

/// How much of the related entities a level of `@expand` shows.
enum ExpansionLevel: String, CaseIterable {
  case entities = "ENTITIES"
  case fragments = "FRAGMENTS"
  case ids = "IDS"
}

/// Fields that `@expand` adds to an object.
struct GraphExpansion {
  /// What is shown of the object itself.
  var shape: ExpansionLevel
  /// What is shown of what is related to it, and so on.
  var levels: ArraySlice<ExpansionLevel>
  /// The directive.
  var range: SourceRange
}

/// A field that `@recurse` repeats.
struct RepeatedField {
  var recursion: BoundRecursion
  /// The field of an element of the type that repeats itself.
  var operand: Operand
  /// The type of each level's parents.
  var parent: EntityTypeID
}

extension Binder {
  /// `@recurse` of a relation's field.
  func recursion(
    of entry: SelectionEntry, _ name: Name, _ property: Property, _ element: EntityReference
  ) -> RepeatedField? {
    guard case .entity(let target) = elementType(of: property.signature.type),
      let directive = entry.directives.first(where: { $0.name.text == "recurse" })
    else { return nil }
    // Each level is read from its own member; the first one is entered through what the element is seen as.
    guard element.scope == 0, element.alternatives.allSatisfy({ $0.path.allSatisfy { catalog[$0].isMirror } }),
      let start = cast(element, from: type(of: element), to: target),
      let operand = repeated(property, of: type(of: element), from: .scope(0, target), at: name.range)
    else {
      let source = catalog[type(of: element)].name
      let isOwn = element.scope == 0
      report(
        .notRecursive(field: name.text, source: source, target: isOwn ? catalog[target].name : source),
        at: directive.range)
      return nil
    }
    var isMany = false
    if case .list = property.signature.type { isMany = true }
    var depth: BoundExpression?
    var seen = false
    for argument in directive.arguments {
      if argument.name.text != "depth" {
        let near = suggest(argument.name, ["depth"])
        report(.unknownArgument(name: argument.name.text, of: "@recurse", near: near), at: argument.name.range)
      } else if seen {
        report(.duplicateArgument(name: "depth"), at: argument.name.range)
      } else {
        seen = true
        // It is one number for all parents: nothing of an element can stand in it.
        var outside = Environment()
        outside.arguments = entry.environment.arguments
        let operand = bindOperand(argument.value, outside)
        depth = bindDepth(operand, outside, minimum: 1, at: argument.value.range)
      }
    }
    let recursion = BoundRecursion(
      depth: depth, isMany: isMany, entry: start.isScope ? nil : start, range: directive.range)
    return RepeatedField(recursion: recursion, operand: operand, parent: target)
  }

  /// A field of `source`, a relation, as each of the entities has it that it leads to: the same field, where it leads
  /// to its own type; else the fields of that name of the types among its target's that lead there again, in place of
  /// which the others have nothing. Nil if no entity of `source` is among them.
  func repeated(
    _ property: Property, of source: EntityTypeID, from reference: EntityReference, at range: SourceRange
  ) -> Operand? {
    let type = property.signature.type
    guard case .entity(let target) = elementType(of: type), catalog.overlap(source, target) else { return nil }
    if source == target { return member(property, of: reference, at: range) }
    let members =
      catalog[target].isAbstract
      ? memberReferences(of: reference, target) : [(type: target, reference: reference)]
    var found: [Operand] = []
    for member in members {
      guard let own = catalog[member.type].property(named: property.name), !isComputed(own),
        case .entity(let next) = elementType(of: own.signature.type), catalog.isSubtype(next, of: target),
        (own.signature.type == elementType(of: own.signature.type)) == (type == elementType(of: type))
      else { continue }
      found.append(self.member(own, of: member.reference, at: range))
    }
    return found.isEmpty ? nil : combined(found, as: type, named: property.name, at: range)
  }

  func isComputed(_ property: Property) -> Bool {
    if case .computed = property.storage { true } else { false }
  }

  /// Groups are nothing that could be walked through.
  func reportWalks(_ entry: SelectionEntry) {
    for directive in entry.directives where ["recurse", "expand"].contains(directive.name.text) {
      report(.misplacedDirective(name: directive.name.text), at: directive.name.range)
    }
  }

  /// The levels of `@expand`; nil if it is not there or wrong.
  func expansion(_ directives: [Directive]) -> GraphExpansion? {
    guard let directive = directives.first(where: { $0.name.text == "expand" }) else { return nil }
    var levels: [ExpansionLevel]?
    for argument in directive.arguments {
      guard argument.name.text == "levels" else {
        let near = suggest(argument.name, ["levels"])
        report(.unknownArgument(name: argument.name.text, of: "@expand", near: near), at: argument.name.range)
        continue
      }
      if levels != nil {
        report(.duplicateArgument(name: "levels"), at: argument.name.range)
        continue
      }
      levels = []
      for element in elements(of: argument.value) {
        guard case .name(let name) = element.kind, let level = ExpansionLevel(rawValue: name.text) else {
          report(.wrongType(found: "this value", expected: "ENTITIES, FRAGMENTS or IDS"), at: element.range)
          return nil
        }
        if levels?.last == .ids {
          report(.wrongType(found: "a level after IDS", expected: "IDS as the last level"), at: element.range)
          return nil
        }
        levels?.append(level)
      }
    }
    guard let levels else {
      report(.missingDirectiveArgument(directive: "expand", name: "levels"), at: directive.range)
      return nil
    }
    return GraphExpansion(shape: .entities, levels: levels[...], range: directive.range)
  }

  /// Fields for everything that an expansion shows and the selection does not name.
  func addExpanded(
    _ expansion: GraphExpansion, of id: EntityTypeID, _ environment: Environment, _ condition: BoundExpression?,
    to result: inout Collected
  ) {
    let type = catalog[id]
    for property in type.properties {
      guard result.place(property.name) == nil, count(at: expansion.range) else { continue }
      // The recursion puts it there itself.
      if property.name == frames.last?.recursionKey { continue }
      let name = Name(property.name, at: expansion.range)
      if isRelation(property), case .computed = property.storage { continue }
      var inner: GraphExpansion?
      if expansion.shape == .ids {
        guard type.idProperties.contains(property.id) else { continue }
      } else if case .entity(let target) = elementType(of: property.signature.type), !catalog[target].isElement {
        guard let shape = expansion.levels.first else { continue }
        // Without an id of one field there is no value that stands for the entity.
        if shape != .ids || identity(of: .scope(0, target), target, at: expansion.range) == nil {
          inner = GraphExpansion(shape: shape, levels: expansion.levels.dropFirst(), range: expansion.range)
        }
      }
      result.add(
        SelectionEntry(
          expanded: name, of: id, inner, omitsNull: expansion.shape == .fragments, environment: environment,
          condition: condition, range: expansion.range))
    }
  }

  /// `_depth`, `_cycle`, `_cursor` of the selection that is being bound; nil if the name is another.
  func bindMeta(_ entry: SelectionEntry, _ inner: [SelectionSource], _ name: Name) -> BoundField.Content?? {
    guard name.text == "_depth" || name.text == "_cycle" || name.text == "_cursor" else { return .none }
    guard isPlain(entry, inner, name) else { return .some(nil) }
    guard let frame = frames.last else { return .some(nil) }
    var isClosure = false
    if case .closure = query[frame.set].source { isClosure = true }
    switch name.text {
    case "_cursor":
      if let reason = unpaged(query[frame.set].source) {
        report(.noCursor(of: reason), at: name.range)
        return .some(nil)
      }
      if query[frame.set].paging == nil { query[frame.set].paging = BoundPaging() }
      return .some(.cursor)
    case "_depth" where frame.isRecursive || isClosure: return .some(.depth)
    case "_cycle" where frame.isRecursive: return .some(.cycle)
    // Each entity is in a closure once, so that nothing is entered again.
    case "_cycle" where isClosure: return .some(.value(.truth(false, at: name.range)))
    default:
      report(.misplacedMeta(name: name.text), at: name.range)
      return .some(nil)
    }
  }

  /// What has an order of its own that no cursor can hold.
  private func unpaged(_ source: BoundSet.Source) -> String? {
    switch source {
    case .all, .key, .relation, .branches, .step, .routes, .union, .deleted: nil
    case .closure: "a closure"
    case .shortestPath, .linked: "a path"
    // Its members stand as they do in the set that is grouped.
    case .items(_, let groups): unpaged(query.groupedSource(of: groups))
    case .given: "what a mutation answers"
    // No text has them.
    case .keys, .members, .each, .host: "a set of the program"
    }
  }

  /// What the cursors of each paged set have to agree in. Bound expressions are compared as text, before the planner
  /// changes them.
  func finishPaging() {
    for index in query.sets.indices where query.sets[index].paging != nil {
      let set = query.sets[index]
      if let cursor = set.paging?.after ?? set.paging?.before, let reason = unpaged(set.source) {
        report(.noCursor(of: reason), at: cursor.range)
      }
      // FNV-1a.
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in listText(of: set).utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      query.sets[index].paging?.fingerprint = hash
    }
  }

  /// What tells a list from others whose cursors it does not take.
  private func listText(of set: BoundSet) -> String {
    let printer = ExpressionPrinter(query: query, catalog: catalog)
    var text = catalog[set.type].name
    var relations: [RelationID] = []
    switch set.source {
    case .relation(_, let relation): relations = [relation]
    case .branches(let branches): relations = branches.map(\.relation)
    default: break
    }
    for relation in relations { text += " \(catalog[catalog[relation].source].name).\(catalog.name(of: relation))" }
    for term in set.order {
      text += " \(printer.order([term])):\(words(term.expression.type))"
      if case .enumeration(let id) = term.expression.type { text += "(\(catalog[id].values.joined(separator: " ")))" }
    }
    for key in set.distinctOn { text += " distinct \(printer.text(key))" }
    if case .items(_, let groups) = set.source, case .groups(let grouping) = query[groups].shape {
      text += " items of \(listText(of: query[query[groups].set]))"
      for key in grouping.keys.flatMap(\.expressions) { text += " by \(printer.text(key))" }
    }
    return text
  }
}
