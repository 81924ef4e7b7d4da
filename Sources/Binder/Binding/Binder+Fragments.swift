import GQLBase
import GQLCatalog
import GQLParser

extension Binder {
  /// Reports every fragment that spreads itself, over others too, and remembers those so that nothing follows them.
  func findFragmentCycles(_ definitions: [FragmentDefinition]) {
    enum Mark { case open, done }
    var marks: [String: Mark] = [:]
    var spreads: [String: [Name]] = [:]
    for fragment in definitions { spreads[fragment.name.text] = Self.spreads(in: fragment.selectionSet) }
    for fragment in definitions where marks[fragment.name.text] == nil {
      var stack: [(name: String, next: Int)] = [(fragment.name.text, 0)]
      marks[fragment.name.text] = .open
      while let top = stack.last {
        let list = spreads[top.name] ?? []
        guard top.next < list.count else {
          marks[top.name] = .done
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let spread = list[top.next]
        guard spreads[spread.text] != nil else { continue }
        switch marks[spread.text] {
        case .done?: break
        case .open?:
          let from = stack.firstIndex { $0.name == spread.text } ?? 0
          let path = stack[from...].map(\.name)
          cyclicFragments.formUnion(path)
          usedFragments.formUnion(path)
          report(.fragmentCycle(path: path + [spread.text]), at: spread.range)
        case nil:
          marks[spread.text] = .open
          stack.append((spread.text, 0))
        }
      }
    }
  }

  /// The names of the fragments that a selection set spreads, at any depth.
  static func spreads(in set: SelectionSet) -> [Name] {
    var result: [Name] = []
    for selection in set.selections {
      switch selection {
      case .fragmentSpread(let node): result.append(node.name)
      case .inlineFragment(let node): result += spreads(in: node.selectionSet)
      case .field(let node): if let inner = node.selectionSet { result += spreads(in: inner) }
      case .computed(let node): if let inner = node.selectionSet { result += spreads(in: inner) }
      case .splat, .letBinding: break
      }
    }
    return result
  }
  /// What a type without fields to select is, in words; nil for every other name.
  func kindOfValue(_ name: String) -> String? {
    if ScalarType(rawValue: name) != nil { return "a scalar" }
    if catalog.enums.contains(where: { $0.name == name }) { return "an enum" }
    guard let type = GeneratedNames(catalog).types[name] else { return nil }
    switch type {
    case .query, .mutation, .subscription: return nil
    case .fields, .direction, .deleted, .access, .expandLevel, .liveMode, .strategy: return "an enum"
    default: return "an input type"
    }
  }
}
