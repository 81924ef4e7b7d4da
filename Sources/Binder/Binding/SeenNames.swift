/// The names that were seen in one place. A few are looked through, so that no table of them is made.
struct SeenNames {
  private var few: [String] = []
  private var many: Set<String> = []
  private static let fewNames = 16

  /// Adds a name. Returns false where it was seen before.
  mutating func insert(_ name: String) -> Bool {
    if few.contains(name) { return false }
    if few.count == Self.fewNames { return many.insert(name).inserted }
    few.append(name)
    return true
  }
}
