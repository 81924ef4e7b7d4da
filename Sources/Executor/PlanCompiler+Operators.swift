import GQLQuery

/// Makes the operators that a plan names over a set's access path.
extension PlanCompiler {
  /// Returns the operator for the list of one element, or for its page.
  mutating func members(_ plan: SetPlan, _ set: BoundSet, _ access: AccessOperator) -> OrderOperator {
    let list = order(plan, set, access)
    switch plan.operators.page {
    case nil: return list
    case .ranks: return (list as? IndexWalk).map { RankedPage(of: $0, &self) } ?? Page(of: list, &self)
    case .ties: return (list as? IncrementalSort).map { TiedPage(of: $0, &self) } ?? Page(of: list, &self)
    case .rows: return ScannedPage(of: list, &self)
    case .compared: return Page(of: list, &self)
    }
  }

  private mutating func order(_ plan: SetPlan, _ set: BoundSet, _ access: AccessOperator) -> OrderOperator {
    if set.order.isEmpty { return NaturalOrder() }
    switch plan.order {
    case .natural, .sort: return Sort()
    case .topN: return Top(isTable: access is FullScan && plan.filter == nil)
    case .fromAccess(let isDescending):
      let needsAscendingIDs = plan.needsAscendingIDs
      switch plan.access {
      case .textSearch where isDescending: return BestTexts(descending: true, needsAscendingIDs: needsAscendingIDs)
      case .range, .intersection: return IndexWalk(descending: isDescending, needsAscendingIDs: needsAscendingIDs)
      default: return InsertionWalk(descending: isDescending, needsAscendingIDs: needsAscendingIDs)
      }
    case .incremental(let isDescending, let prefix):
      if case .textSearch = plan.access {
        return TiedTexts(by: CompiledOrder(Array(set.order.dropFirst(prefix)), type: set.type, &self))
      }
      return IncrementalSort(
        descending: isDescending, by: CompiledOrder(Array(set.order.prefix(prefix)), type: set.type, &self))
    }
  }

  /// Returns the operator for the lists of a batch of elements.
  mutating func lists(_ method: ListMethod) -> ListOperator {
    switch method {
    case .shared: SharedLists(&self)
    case .each: EachList(&self)
    case .batched: BatchedLists(&self)
    case .slices: SliceLists(&self)
    case .firstLinks: FirstLinks(&self)
    case .topLinks: TopLinks(&self)
    case .keyed: KeyedLists(&self)
    case .walks: WalkLists(&self)
    }
  }

  /// Returns the operator that counts members.
  mutating func counter(_ method: CountMethod) -> CountOperator {
    switch method {
    case .access: AccessCount()
    case .filter: FilterCount(&self)
    case .lists: CountOperator()
    }
  }

  /// Returns the operator that finds whether there are members.
  mutating func tester(_ method: ExistenceMethod) -> ExistenceOperator {
    switch method {
    case .count: ExistenceOperator(&self)
    case .firstLinks: FirstLinkTest(&self)
    case .keyed: FirstOfKeysTest(&self)
    case .first: FirstMemberTest(&self)
    }
  }
}
