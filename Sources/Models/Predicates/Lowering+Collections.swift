import Foundation
import GQLCatalog
import GQLQuery

// MARK: - Texts

extension PredicateExpressions.CollectionContainsCollection: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.textTest(.contains, walk.lowered(base), walk.lowered(other))
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(base)).contains(\(walk.words(other)))" }
}

extension PredicateExpressions.SequenceStartsWith: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.textTest(.startsWith, walk.lowered(base), walk.lowered(prefix))
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(base)).starts(with: \(walk.words(prefix)))" }
}

extension PredicateWalk {
  fileprivate func textTest(_ test: TextTest, _ text: PredicatePart, _ part: PredicatePart) -> PredicatePart {
    guard case .term(let subject, let type) = text, type.shape.isText,
      let (other, otherType) = operand(part, like: type), otherType.shape.isText
    else { return .unknown }
    return .boolean(.text(test, subject, other), canBeNull: type.canBeNull || otherType.canBeNull)
  }
}

extension PredicateExpressions.StringContainsRegex: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = (walk.lowered(subject), walk.lowered(regex))
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(subject)).contains(\(walk.words(regex)))" }
}

// MARK: - Lists and members

extension PredicateExpressions.SequenceContains: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (list, value) = (walk.lowered(sequence), walk.lowered(element))
    switch list {
    case .range: return walk.containment(list, value)
    case .constant(let constant):
      guard let values = constant.value as? LHS.Output else { return .unknown }
      return walk.membership(value, in: values)
    case .term(let term, let type):
      guard type.shape.isList, type.comparesAsStored else { return .unknown }
      let element = type.like(type.shape.element)
      guard let (wanted, wantedType) = walk.operand(value, like: element), wantedType.isLike(element),
        wantedType.comparesAsStored
      else { return .unknown }
      return .boolean(.inList(wanted, term))
    case .unknown, .entity, .object, .members: return .unknown
    }
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(sequence)).contains(\(walk.words(element)))" }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.quantified(.some, walk.lowered(sequence), variable.key, test, LHS.Output.Element.self)
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(sequence)).contains { \(walk.name(variable.key)) in \(walk.words(test)) }"
  }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.quantified(.every, walk.lowered(sequence), variable.key, test, LHS.Output.Element.self)
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(sequence)).allSatisfy { \(walk.name(variable.key)) in \(walk.words(test)) }"
  }
}

extension PredicateWalk {
  fileprivate func quantified<Element>(
    _ quantifier: Quantifier, _ list: PredicatePart, _ variable: PredicateExpressions.VariableID, _ test: Any,
    _ element: Element.Type
  ) -> PredicatePart {
    switch list {
    case .members(let members):
      let body = lowered(test, eachAs: variable, members.member)
      guard let (term, _) = truth(body), members.isAsked(at: nextLevel) else { return .unknown }
      return members.part.guarding(members.term(quantifier, term), _ColumnShape(.boolean))
    case .term(let values, let type) where type.shape.isList:
      let body = lowered(test, eachAs: variable) { level in
        var item = type.like(type.shape.element)
        item.isOrdered = Element.self is any _ColumnValue.Type
        return .term(.item(level: level), item)
      }
      guard let (term, _) = truth(body) else { return .unknown }
      return .boolean(.elements(quantifier, values, .isTrue(term)))
    case .unknown, .constant, .entity, .object, .range, .term:
      _ = lowered(test, where: variable, is: .unknown)
      return .unknown
    }
  }
}

extension PredicateExpressions.Filter: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    guard case .members(let members) = walk.lowered(sequence) else {
      // What is counted or tested of other lists is told in Swift.
      _ = walk.lowered(filter, where: variable.key, is: .unknown)
      return .unknown
    }
    let body = walk.lowered(filter, eachAs: variable.key, members.member)
    guard let (test, _) = walk.truth(body), let rest = members.filtered(test, walk.nextLevel) else { return .unknown }
    return .members(rest)
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(sequence)).filter { \(walk.name(variable.key)) in \(walk.words(filter)) }"
  }
}

extension PredicateExpressions.SequenceMaximum: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = walk.lowered(elements)
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(elements)).max()" }
}

extension PredicateExpressions.SequenceMinimum: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = walk.lowered(elements)
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(elements)).min()" }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateLowering {
  /// Beyond the end evaluation would stop with an error; the term is null.
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (list, place) = (walk.lowered(wrapped), walk.lowered(index))
    guard case .term(let term, let type) = list, type.shape.isList, case .constant(let constant) = place,
      let number = constant.value as? Int, number >= 0
    else { return .unknown }
    var element = type.like(type.shape.element, canBeNull: true)
    element.isOrdered = Output.self is any _ColumnValue.Type
    return .term(.element(term, walk.parameter(.int(Int64(number)), .int)), element)
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(wrapped))[\(walk.words(index))]" }
}

extension PredicateExpressions.CollectionRangeSubscript: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = (walk.lowered(wrapped), walk.lowered(range))
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(wrapped))[\(walk.words(range))]" }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = (walk.lowered(wrapped), walk.lowered(key))
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(wrapped))[\(walk.words(key))]" }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = (walk.lowered(wrapped), walk.lowered(key), walk.lowered(self.default))
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(wrapped))[\(walk.words(key)), default: \(walk.words(self.default))]"
  }
}

// MARK: - Ranges

extension PredicateExpressions.Range: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    .range(lower: walk.lowered(lower), upper: walk.lowered(upper), includesUpper: false)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lower))..<\(walk.words(upper)))" }
}

extension PredicateExpressions.ClosedRange: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    .range(lower: walk.lowered(lower), upper: walk.lowered(upper), includesUpper: true)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lower))...\(walk.words(upper)))" }
}

extension PredicateExpressions.RangeExpressionContains: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.containment(walk.lowered(range), walk.lowered(element))
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(range)).contains(\(walk.words(element)))" }
}

extension PredicateExpressions.StringLocalizedStandardContains: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = (walk.lowered(root), walk.lowered(other))
    return .unknown
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(root)).localizedStandardContains(\(walk.words(other)))"
  }
}
