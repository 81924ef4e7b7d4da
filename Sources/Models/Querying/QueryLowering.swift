import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// Makes one bound query of a typed query's tree: a set for each stage and each list, a selection for each level of the
/// answer. They are the nodes that binding the same text gives.
struct QueryLowering {
  private let catalog: Catalog
  private let values: QueryValues
  /// Indicates whether values, and the words of code of the program, stand in the query itself, as people write them.
  private let hasValues: Bool
  private var query: BoundQuery
  /// The relations whose targets are the lists that closures got, the innermost last, each with the number of lists around
  /// it that one looks out through.
  private var lists: [(relation: RelationID, depth: Int)] = []
  /// In how many lists of other entities' targets one is.
  private var depth = 0
  /// Fields of the root that come beside the answer.
  private var others: [BoundField] = []
  private let nowhere = SourceRange(at: 0)

  private init(_ values: QueryValues, _ catalog: Catalog, hasValues: Bool) {
    self.catalog = catalog
    self.values = values
    self.hasValues = hasValues
    query = BoundQuery(name: nil, catalogVersion: catalog.version)
    if !hasValues {
      query.parameters = values.parameters.enumerated().map { number, parameter in
        BoundParameter(
          name: "p\(number)", signature: TypeSignature(parameter.type), defaultValue: nil, range: SourceRange(at: 0))
      }
    }
    query.hosts = values.hosts.map { host in
      BoundHost(words: hasValues ? host.stage.words(host.part) : "", inputs: host.stage.inputs)
    }
  }

  /// The bound query of a tree, and where its answer lies.
  static func lower(
    _ tree: QueryTree, _ values: QueryValues, _ catalog: Catalog, hasValues: Bool = false
  ) -> (query: BoundQuery, place: AnswerPlace) {
    var lowering = QueryLowering(values, catalog, hasValues: hasValues)
    let (field, place) = lowering.root(tree, { $1 })
    lowering.query.fields = [field] + lowering.others
    return (lowering.query, place)
  }

  // MARK: - Selections

  /// The field of the root for a tree. `below` adds what comes below its entities: it gets the place of these, and gives
  /// that of the answer.
  private mutating func root(
    _ tree: QueryTree, _ below: (inout QueryLowering, AnswerPlace) -> AnswerPlace
  ) -> (BoundField, AnswerPlace) {
    if case .each(let parents, let relation, let each) = tree.source, let targets = targets(tree, each, parents) {
      // The answer is a level below the entities whose targets it is.
      return root(parents) { lowering, place in
        let answer = lowering.addTargets(relation, targets, to: place.selection)
        return below(&lowering, lowering.nest(tree, answer))
      }
    }
    let set = whole(tree)
    let place = nest(tree, add(set))
    let type = catalog[tree.type]
    let isOne = if case .key = tree.source { true } else { false }
    let field = BoundField(
      key: isOne ? type.rootOne : type.rootMany, content: isOne ? .one(place.selection) : .many(place.selection),
      range: nowhere)
    return (field, below(&self, place))
  }

  /// Returns one tree over the targets of all entities, in place of one for each entity; nil where that would give
  /// others.
  private func targets(_ tree: QueryTree, _ each: QueryTree, _ parents: QueryTree) -> QueryTree? {
    var targets = each
    if tree.stages.isEmpty { return targets }
    let only = tree.stages[0]
    let isCondition =
      tree.stages.count == 1 && only.order.isEmpty && only.sort == nil && only.limit == nil && !only.isEmpty
    guard parents.isSingle(catalog) || isCondition, case .list(0) = each.source else { return nil }
    targets.stages += tree.stages
    return targets
  }

  private mutating func add(_ set: SetID) -> SelectionID {
    query.selections.append(BoundSelection(set: set, shape: .object([])))
    return SelectionID(query.selections.count - 1)
  }

  private mutating func addTargets(_ relation: RelationID, _ tree: QueryTree, to parent: SelectionID) -> SelectionID {
    let enclosing = (lists, depth)
    defer { (lists, depth) = enclosing }
    (lists, depth) = ([(relation, 0)], 0)
    let selection = add(listed(tree))
    let field = BoundField(
      key: catalog.name(of: relation),
      content: catalog[relation].isToMany ? .many(selection) : .one(selection), range: nowhere)
    guard case .object(let fields) = query.selections[parent.index].shape else { return selection }
    query.selections[parent.index].shape = .object(fields + [field])
    return selection
  }

  /// Adds what comes with the entities of a selection.
  private mutating func nest(_ tree: QueryTree, _ selection: SelectionID) -> AnswerPlace {
    var place = AnswerPlace(selection: selection)
    place.isOpen = tree.isOpen
    for branch in tree.nested {
      switch branch {
      case .none: place.branches.append(.none)
      case .empty: place.branches.append(.empty)
      case .targets(let relation, let targets):
        place.branches.append(.level(nest(targets, addTargets(relation, targets, to: selection))))
      case .all(let all):
        let (field, answer) = root(all, { $1 })
        others.append(field)
        place.branches.append(.all(answer))
      }
    }
    return place
  }

  // MARK: - Sets

  /// The set of all that a tree gives.
  private mutating func whole(_ tree: QueryTree) -> SetID { staged(tree, source(of: tree)) }

  /// The set of what a tree gives of the list that the innermost closure got: as if there were no other entities where
  /// it begins with the list, and else those that it gives of all.
  private mutating func listed(_ tree: QueryTree) -> SetID {
    if tree.isOfList { return staged(tree, list(0)) }
    guard tree.hangsOnList else { return ofList(whole(tree), tree) }
    switch tree.source {
    case .combined(let combination, let parts):
      let sets = parts.map { listed($0) }
      switch combination {
      // What comes from any of them comes in the order of the list.
      case .anyOf:
        let any = add(tree, .union(sets))
        return staged(tree, .members(.common, [add(tree, list(0)), any]))
      case .bothOf: return staged(tree, .members(.common, sets))
      case .eachOnceOf: return staged(tree, .members(.once, sets))
      case .lastOf: return staged(tree, .members(.last, sets))
      }
    case .each:
      let found = add(tree, source(of: tree))
      return staged(tree, .members(.once, [ofList(found, tree)]))
    default: return ofList(whole(tree), tree)
    }
  }

  /// Those members of a set that are in the list that the innermost closure got.
  private mutating func ofList(_ set: SetID, _ tree: QueryTree) -> SetID {
    add(tree, .members(.common, [set, add(tree, list(0))]))
  }

  private func list(_ number: Int) -> BoundSet.Source {
    let list = lists[lists.count - 1 - number]
    return .relation(.scope(depth - list.depth, catalog[list.relation].source), list.relation)
  }

  private mutating func source(of tree: QueryTree) -> BoundSet.Source {
    switch tree.source {
    case .all, .everything: return tree.isOfDeleted ? .deleted(includesLive: false) : .all
    case .nothing: return .union([])
    case .given: return .given
    case .key(let number): return .key(catalog[tree.type].primaryIndex, [parameter(number)])
    case .keys(let number): return .keys(catalog[tree.type].primaryIndex, parameter(number))
    case .host(let number): return .host(number)
    case .list(let number): return list(number)
    case .combined(let combination, let parts):
      let sets = parts.map { whole($0) }
      switch combination {
      case .anyOf: return .union(sets)
      case .bothOf: return .members(.common, sets)
      case .eachOnceOf: return .members(.once, sets)
      case .lastOf: return .members(.last, sets)
      }
    case .each(let parents, let relation, let each):
      let base = whole(parents)
      depth += 1
      lists.append((relation, depth))
      defer {
        lists.removeLast()
        depth -= 1
      }
      return .each(base, listed(each))
    }
  }

  private func parameter(_ number: Int) -> BoundExpression {
    let parameter = values.parameters[number]
    return BoundExpression(hasValues ? .constant(parameter.value) : .parameter(number), parameter.type, at: nowhere)
  }

  private mutating func add(_ tree: QueryTree, _ source: BoundSet.Source) -> SetID {
    query.sets.append(BoundSet(type: tree.type, source: source, range: nowhere))
    return SetID(query.sets.count - 1)
  }

  /// The set of a source, and of each stage over what the one before gives.
  private mutating func staged(_ tree: QueryTree, _ source: BoundSet.Source) -> SetID {
    var source = source
    for (number, stage) in tree.stages.enumerated() {
      let set = self.set(stage, tree, source)
      if number == tree.stages.count - 1 { return set }
      source = .members(.all, [set])
    }
    return add(tree, source)
  }

  private mutating func set(_ stage: QueryTree.Stage, _ tree: QueryTree, _ source: BoundSet.Source) -> SetID {
    var stage = stage
    if stage.isEmpty {
      let set = add(tree, source)
      query.sets[set.index].predicate = .truth(false, at: nowhere)
      query.sets[set.index].limit = BoundExpression(.constant(.int(0)), .int, at: nowhere)
      return set
    }
    var last = QueryTree.Stage()
    (last.limit, last.offset) = (stage.limit, stage.offset)
    if let sort = stage.sort {
      (stage.limit, stage.offset) = (nil, nil)
      return plain(last, tree, .members(.sorted(sort), [plain(stage, tree, source)]))
    }
    // What is in order is looked at until the slice is full.
    if stage.test != nil, stage.limit != nil, !stage.order.isEmpty {
      last.test = stage.test
      (stage.test, stage.limit, stage.offset) = (nil, nil, nil)
      return plain(last, tree, .members(.all, [plain(stage, tree, source)]))
    }
    return plain(stage, tree, source)
  }

  /// The set of a stage that is one.
  private mutating func plain(_ stage: QueryTree.Stage, _ tree: QueryTree, _ source: BoundSet.Source) -> SetID {
    let number = query.sets.count
    let terms = TermLowering(
      tree.type, values.types[tree.types], catalog, values.parameters, hasValues: hasValues,
      hasMetadata: tree.hasMetadata, firstSet: number + 1, firstItem: query.itemCount)
    var conjuncts: [BoundExpression] = []
    if let condition = stage.condition { conjuncts.append(terms.expression(condition)) }
    if let test = stage.test {
      conjuncts.append(BoundExpression(.host(.scope(0, tree.type), test), .boolean, at: nowhere))
    }
    var set = BoundSet(type: tree.type, source: source, range: nowhere)
    set.predicate = .conjunction(conjuncts)
    set.order = stage.order.map { term($0, stage, tree, terms) }
    set.limit = stage.limit.map { parameter($0) }
    set.offset = stage.offset.map { parameter($0) }
    query.sets.append(set)
    query.sets += terms.sets
    query.itemCount = terms.itemCount
    return SetID(number)
  }

  private func term(
    _ key: OrderKey, _ stage: QueryTree.Stage, _ tree: QueryTree, _ terms: TermLowering
  ) -> BoundOrderTerm {
    func column(_ attribute: Int) -> BoundExpression {
      terms.attribute(attribute, of: tree.type, .scope(0, tree.type))
    }
    switch key {
    case .attribute(let attribute, let isDescending):
      return BoundOrderTerm(column(attribute), isDescending: isDescending)
    case .optional(let attribute, let isDescending):
      return BoundOrderTerm(column(attribute), isDescending: isDescending, nullsFirst: !isDescending)
    case .updatedAt(let isDescending): return BoundOrderTerm(terms.updated, isDescending: isDescending)
    case .finer(let attribute, let isDescending):
      return BoundOrderTerm(
        BoundExpression(.call(.finer, [column(attribute)]), .int, at: nowhere), isDescending: isDescending)
    case .score:
      let searches = (stage.condition?.searches ?? []).map(terms.expression)
      return BoundOrderTerm(BoundExpression(.score(searches), .float, at: nowhere), isDescending: true)
    }
  }
}
