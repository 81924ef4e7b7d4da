import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What computed selections are called. `having` and `orderBy` of groups see the names of those that are selected of the
/// groups, behind `let`s and keys; nothing else sees any. A selection sees no other one's name, so that none is computed
/// from itself.
extension Binder {
  /// The computed selection of the groups that is called so, where its name counts.
  func alias(_ name: Name, _ number: Int, _ environment: Environment) -> Environment.Binding? {
    environment.aliases == number ? aliases(of: number)[name.text] : nil
  }

  /// The names that a group has for its keys and, where they count, its computed selections.
  func groupNames(_ number: Int, _ environment: Environment) -> [String] {
    let keys = groups[number].keys.map(\.name)
    return environment.aliases == number ? keys + aliases(of: number).keys.sorted() : keys
  }

  private func aliases(of number: Int) -> [String: Environment.Binding] {
    if let known = groups[number].aliases { return known }
    var found: [String: Environment.Binding] = [:]
    for source in groups[number].sources {
      if let set = source.set { gather(set, source.environment, into: &found) }
    }
    groups[number].aliases = found
    return found
  }

  /// Of several of one name the first; whether they are the same is told where they are selected.
  private func gather(
    _ set: SelectionSet, _ environment: Environment, into found: inout [String: Environment.Binding]
  ) {
    var environment = environment
    for selection in set.selections {
      guard count(at: selection.range) else { return }
      switch selection {
      case .letBinding(let node):
        environment.lets.set(node.name.text, to: environment.binding(of: node), in: lets)
      case .computed(let node):
        if found[node.name.text] == nil { found[node.name.text] = environment.binding(node.expression) }
      case .inlineFragment(let node):
        nested(at: node.range, ()) { $0.gather(node.selectionSet, environment, into: &found) }
      case .fragmentSpread(let node):
        guard let fragment = fragments[node.name.text], !cyclicFragments.contains(node.name.text) else { continue }
        var inner = environment
        inner.lets = LetScope()
        inner.arguments = arguments(node, of: fragment, environment)
        if !inner.arguments.isEmpty { inner.spreads.append(node.range) }
        nested(at: node.range, ()) { [inner] in $0.gather(fragment.selectionSet, inner, into: &found) }
      case .field, .splat: break
      }
    }
  }

  // MARK: Where they do not count

  /// Binds something around which, or as arguments of which, these selections stand.
  func withSiblings<Output>(_ sources: [SelectionSource], _ body: () -> Output) -> Output {
    siblings.append(sources)
    defer { siblings.removeLast() }
    return body()
  }

  /// What is wrong with a name that means nothing but that a selection near by is called so; nil if none is.
  func selectionName(_ name: Name) -> BindingProblem? {
    for sources in siblings.reversed() {
      for source in sources {
        if let set = source.set, let problem = selectionName(name, in: set) { return problem }
      }
    }
    return nil
  }

  private func selectionName(_ name: Name, in set: SelectionSet) -> BindingProblem? {
    for selection in set.selections {
      switch selection {
      case .computed(let node) where node.name.text == name.text:
        let range = node.expression.range
        // Within its own expression there is nothing to repeat.
        if range.start <= name.range.start, name.range.end <= range.end { continue }
        let isShort = range.end - range.start <= 80
        return .selectionName(name: name.text, meaning: isShort ? print(node.expression) : nil, isComputed: true)
      case .field(let node) where node.alias?.text == name.text:
        return .selectionName(
          name: name.text, meaning: node.arguments.isEmpty ? node.name.text : nil, isComputed: false)
      default: continue
      }
    }
    return nil
  }
}
