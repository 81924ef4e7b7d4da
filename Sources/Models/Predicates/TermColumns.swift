import GQLCatalog

extension AnyTypeMapping {
  /// Whether columns can tell the values of an attribute, and their order where that is asked: an embedded object's where
  /// it lies as it is described.
  func tells(_ attribute: Int, inOrder: Bool) -> Bool {
    columns[attribute] != nil && !(inOrder && isOrderedByID(attribute))
  }
}

extension QueryReading {
  /// Whether columns can tell of a condition.
  func isPlannable(_ term: Term) -> Bool {
    if !schema.hasObjects { return true }
    var columns = TermColumns(types, mapping.type, isNoting: false)
    columns.walk(term)
    return columns.canTell
  }

  /// Whether columns can tell of an order.
  func isPlannable(_ key: OrderKey) -> Bool {
    switch key {
    case .attribute(let attribute, _), .optional(let attribute, _):
      !schema.hasObjects || mapping.tells(attribute, inOrder: true)
    case .updatedAt, .score, .finer: true
    }
  }
}

/// Walks terms: finds out whether columns can tell of them, and notes what they look at, where that is wanted.
struct TermColumns {
  private let types: [AnyTypeMapping]
  /// The types that are gone through, the one that is asked first; nil for the elements of a list.
  private var levels: [EntityTypeID?]
  /// The levels of lists whose elements columns order in another way than Swift.
  private var idLists: Set<Int> = []
  /// Nothing is put in unless it is wanted: conditions are asked in each run.
  var reads = ReadSet()
  private let isNoting: Bool
  /// Whether all attributes have columns, and those that are ordered such that are ordered as Swift does it.
  private(set) var canTell = true

  init(_ types: [AnyTypeMapping], _ type: EntityTypeID, isNoting: Bool) {
    self.types = types
    levels = [type]
    self.isNoting = isNoting
  }

  mutating func walk(_ term: Term) {
    switch term {
    case .parameter, .truth, .null, .item: break
    case .attribute(let place, let number), .hasObject(let place, let number):
      guard let type = type(of: place) else { break }
      let mapping = types[Int(type.index)]
      if !mapping.tells(number, inOrder: false) { canTell = false }
      if isNoting, let column = mapping.columns[number] { reads.insert(type, column.id) }
    case .isPresent(let place): _ = type(of: place)
    case .compare(let op, let left, let right):
      if op != .equal, op != .notEqual { walkOrder([left, right]) }
      walk(left)
      walk(right)
    case .text(_, let left, let right), .inList(let left, let right),
      .arithmetic(_, let left, let right), .quotient(let left, let right), .element(let left, let right):
      walk(left)
      walk(right)
    case .and(let parts), .or(let parts), .coalesce(let parts), .conditional(let parts):
      for part in parts { walk(part) }
    case .not(let part), .negated(let part), .isTrue(let part), .isNull(let part), .negate(let part), .length(let part),
      .finer(let part), .fold(let part):
      walk(part)
    case .matches(let attributes, _): for attribute in attributes { walk(.attribute(.level(0), attribute)) }
    case .updated:
      if isNoting, let type = levels[0], let column = types[Int(type.index)].updatedColumn {
        reads.insert(type, column)
      }
    case .inRange(let value, let lower, let upper, _):
      walkOrder([value, lower, upper].compactMap { $0 })
      walk(value)
      if let lower { walk(lower) }
      if let upper { walk(upper) }
    case .members(_, let place, let relation, let body), .count(let place, let relation, let body):
      guard let target = target(of: place, relation), let body else { return }
      levels.append(target)
      walk(body)
      levels.removeLast()
    case .elements(_, let list, let body):
      walk(list)
      if isIDList(list) { idLists.insert(levels.count) }
      levels.append(nil)
      walk(body)
      levels.removeLast()
      idLists.remove(levels.count)
    }
  }

  private mutating func walkOrder(_ terms: [Term]) {
    for term in terms {
      switch term {
      case .attribute(let place, let number):
        if let type = type(of: place), !types[Int(type.index)].tells(number, inOrder: true) { canTell = false }
      case .item(let level): if idLists.contains(level) { canTell = false }
      case .element(let list, _): if isIDList(list) { canTell = false }
      case .coalesce(let parts), .conditional(let parts): walkOrder(parts)
      default: break
      }
    }
  }

  private mutating func isIDList(_ list: Term) -> Bool {
    switch list {
    case .attribute(let place, let number):
      type(of: place).map { types[Int($0.index)].isListOrderedByID(number) } ?? false
    case .coalesce(let parts), .conditional(let parts):
      parts.reduce(false) { isIDList($1) || $0 }
    default: false
    }
  }

  private mutating func type(of place: Term.Place) -> EntityTypeID? {
    switch place {
    case .level(let level): level < levels.count ? levels[level] : nil
    case .target(let base, let relation): target(of: base, relation)
    }
  }

  private mutating func target(of place: Term.Place, _ number: Int) -> EntityTypeID? {
    guard let type = type(of: place), let relation = types[Int(type.index)].relations[number] else { return nil }
    if isNoting {
      reads.insert(type, relation.column)
      reads.insert(relation.target)
    }
    return relation.target
  }
}
