import GQLCatalog

/// Finds the elements of a list again among those that are there: they have no ids, so one that says the same is the same.
///
/// Both ends, and what stands at its place still, are compared as they stand; the rest is found by hashes. So it takes as
/// long as the lists are, unless the elements differ in what they name.
enum ElementMatching {
  /// By wanted element: the place of the one that it is, each given once; nil for those that are new.
  static func places(of wanted: [ObjectValue], among known: [ObjectValue]) -> [Int?] {
    let common = min(wanted.count, known.count)
    var first = 0
    while first < common, wanted[first].holds(in: known[first]) { first += 1 }
    var tail = 0
    while tail < common - first, wanted[wanted.count - 1 - tail].holds(in: known[known.count - 1 - tail]) { tail += 1 }
    var places: [Int?] = Array(repeating: nil, count: wanted.count)
    for place in 0..<first { places[place] = place }
    for place in 0..<tail { places[wanted.count - 1 - place] = known.count - 1 - place }
    var free: [Int] = []
    for place in first..<(known.count - tail) {
      if place < wanted.count - tail, wanted[place].holds(in: known[place]) {
        places[place] = place
      } else {
        free.append(place)
      }
    }
    let missing = (first..<(wanted.count - tail)).filter { places[$0] == nil }
    if missing.isEmpty || free.isEmpty { return places }
    findMoved(missing, of: wanted, free, among: known, &places)
    return places
  }

  private static func findMoved(
    _ missing: [Int], of wanted: [ObjectValue], _ free: [Int], among known: [ObjectValue], _ places: inout [Int?]
  ) {
    var said = SaidFields()
    for place in missing { said.note(wanted[place]) }
    // The first stand last in their buckets, from where they are taken.
    var buckets: [Int: [Int]] = [:]
    for place in free.reversed() { buckets[said.hash(known[place]), default: []].append(place) }
    for place in missing {
      let hash = said.hash(wanted[place])
      guard let found = buckets[hash]?.lastIndex(where: { wanted[place].holds(in: known[$0]) }) else { continue }
      places[place] = buckets[hash]?.remove(at: found)
    }
  }
}

/// The fields that all of some values say. These are what they are hashed by, with those that they may be.
struct SaidFields {
  private var isSaid = true
  /// By field of an object, or of the objects of a list; empty where there is none.
  private var fields: [SaidFields] = []

  mutating func note(_ value: ObjectValue) {
    switch value {
    case .unsaid: isSaid = false
    case .null, .value, .instant: break
    case .object(let values):
      if fields.isEmpty { fields = values.map { _ in SaidFields() } }
      for (number, value) in values.enumerated() { fields[number].note(value) }
    case .list(let values): for value in values { note(value) }
    }
  }

  /// One for values that are the same in what all say.
  func hash(_ value: ObjectValue) -> Int {
    var hasher = Hasher()
    hash(value, &hasher)
    return hasher.finalize()
  }

  private func hash(_ value: ObjectValue, _ hasher: inout Hasher) {
    guard isSaid else { return }
    switch value {
    case .unsaid: break
    case .null: hasher.combine(0)
    case .value(let value): Self.hash(value, &hasher)
    case .instant(let cell):
      hasher.combine(cell.low)
      hasher.combine(cell.high)
    case .object(let values): for (value, field) in zip(values, fields) { field.hash(value, &hasher) }
    case .list(let values):
      hasher.combine(values.count)
      for value in values { hash(value, &hasher) }
    }
  }

  /// As ``ObjectValue/holds(in:)`` compares: ids by their texts, and lists of scalars however they were written.
  private static func hash(_ value: GQLCatalog.Value, _ hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .id(let text, _): hasher.combine(text)
    case .list(let values):
      hasher.combine(values.count)
      for value in values { hash(value, &hasher) }
    default: hasher.combine(value)
    }
  }
}
