import GQLBase
import GQLCatalog
import GQLText

extension Snapshot {
  /// About how many rows the index finds: from the numbers of rows that have each term. Nil for a long query.
  package func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: Text) -> Int? {
    guard query.count <= TextQuery.longestEstimated, let found = self.index(index)?.asFullText else { return nil }
    return matchCount(index, columns, TextQuery(query, TextAnalyzer(found.language)))
  }

  /// The same for a query that is understood already.
  package func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: TextQuery) -> Int? {
    self.index(index)?.asFullText.map { matchCount($0, rowCount(catalog[index].type), columns, query) }
  }

  private func matchCount(_ index: FullTextIndex, _ live: Int, _ columns: [ColumnID], _ query: TextQuery) -> Int {
    let searched = columns.compactMap { index.column($0) }
    func rows(_ atom: TextQuery.Atom) -> Int {
      searched.reduce(0) { sum, column in
        let exact = column.term(atom.term).map { column.found($0) } ?? 0
        switch atom.test {
        case .term: return sum + exact
        case .prefix:
          return sum + column.estimatedRows(ofPrefix: atom.word)
        case .within: return sum + exact + live / 500
        }
      }
    }
    func rows(_ node: TextQuery.Node) -> Int {
      switch node {
      case .leaf(let leaf):
        let atoms = query.leaves[leaf].atoms
        let least = atoms.map { rows($0) }.min() ?? 0
        return atoms.count > 1 ? (least + 3) / 4 : least
      case .any(let nodes): return nodes.reduce(0) { $0 + rows($1) }
      case .all(let wanted, let excluded):
        let counts = wanted.map { rows($0) }.sorted()
        guard let least = counts.first else { return live - min(live, excluded.map { rows($0) }.max() ?? 0) }
        // Words that stand together seldom do so by chance: the others count by a root.
        return counts.dropFirst().reduce(least) { count, other in
          other >= live ? count : max(min(count, 1), Int(Double(count) * (Double(other) / Double(live)).squareRoot()))
        }
      }
    }
    return query.root.map { min(live, rows($0)) } ?? 0
  }
}
