import GQLBase

/// A column that relates to a type.
struct ShapeLink {
  /// The place of the type.
  var target: Int
  /// How many of the column's distinct values are no ids there.
  var dangling: Int
  /// Whether the relation has the name of the column: it does not end in `id`.
  var hasOwnName: Bool
}

/// A named value of objects.
struct ShapeMember {
  var name: Text
  var shape: ValueShape
}

/// What was seen of the values of one column, key or list.
struct ValueShape {
  var kinds: ValueKinds = []
  /// How many records, or elements, have the value, nulls included.
  var values = 0
  var nulls = 0
  var objects = 0
  /// A column of a CSV file, whose cells are all texts at first.
  var isOfCSV = false
  /// Whether every text is a URL.
  var areURLs = true
  /// The distinct values, where the name is one of a key or of a relation.
  var distinct: ValueSet?
  /// The `__typename` of all objects; empty where they say different ones.
  var typename: String?
  /// The elements of lists; at most one.
  var element: [ValueShape] = []
  var members: [ShapeMember] = []
  private var places: [Text: Int] = [:]
  /// Whether the objects have more names than fields can be made of.
  var isMap = false
  /// The entity type that was made of the objects.
  var entity: Int?
  /// The type that the values are ids of.
  var link: ShapeLink?

  /// The member that probably has a name: objects of one kind have their keys in one order.
  func place(of name: JSONText, expected: Int) -> Int? {
    if expected < members.count, name.equals(members[expected].name) { return expected }
    return places[name.text]
  }

  func place(of name: Text) -> Int? { places[name] }

  /// Adds a member that is not there yet, and returns its place.
  mutating func add(_ name: Text, isCollected: Bool) -> Int {
    var shape = ValueShape()
    shape.isOfCSV = isOfCSV
    if isCollected { shape.distinct = ValueSet() }
    members.append(ShapeMember(name: name, shape: shape))
    places[name] = members.count - 1
    return members.count - 1
  }

  mutating func noteNull() {
    nulls += 1
    values += 1
  }

  /// Notes a value that is a number, a truth value or a text.
  mutating func note(_ kind: ValueKinds, _ bytes: UnsafeBufferPointer<UInt8>) {
    kinds.formUnion(kind)
    values += 1
    if areURLs { areURLs = kind == .text && Self.isURL(bytes) }
    if distinct != nil { distinct?.insert(bytes) }
  }

  /// Whether only the fact that there is a text matters any more.
  var isSettledText: Bool { kinds.contains(.text) && !areURLs && distinct == nil }

  static func isURL(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 8, text[0] == UInt8(ascii: "h") else { return false }
    return text.starts(with: "https://".utf8) || text.starts(with: "http://".utf8)
  }

  /// Removes the members, which became those of an entity type.
  mutating func removeMembers() {
    members = []
    places = [:]
  }

  /// Adds what another shape of the same thing has seen.
  mutating func merge(_ other: ValueShape) {
    kinds.formUnion(other.kinds)
    nulls += other.nulls
    values += other.values
    objects += other.objects
    isOfCSV = isOfCSV || other.isOfCSV
    areURLs = areURLs && other.areURLs
    isMap = isMap || other.isMap
    if let set = other.distinct {
      if distinct == nil { distinct = set } else { distinct?.formUnion(set) }
    }
    noteTypename(other.typename)
    if let inner = other.element.first {
      if element.isEmpty { element.append(inner) } else { element[0].merge(inner) }
    }
    for member in other.members {
      if let place = places[member.name] {
        members[place].shape.merge(member.shape)
      } else {
        members.append(member)
        places[member.name] = members.count - 1
      }
    }
    if isMap { removeMembers() }
  }

  mutating func noteTypename(_ name: String?) {
    guard let name else { return }
    if typename == nil { typename = name } else if typename != name { typename = "" }
  }
}

extension JSONText {
  func equals(_ name: Text) -> Bool {
    guard count == name.count else { return false }
    return name.bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<count where bytes[index] != start[index] { return false }
      return true
    }
  }
}

/// A set of values by their hashes, with open addressing. The hash 0 is that of empty places.
struct ValueSet {
  private var places: [UInt64] = []
  private(set) var count = 0
  /// Whether a value came twice.
  private(set) var hasRepeats = false
  /// Whether there were more values than are kept.
  private(set) var isOverfull = false
  private static let mostValues = 1 << 24

  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    insert(UInt64(bitPattern: Int64(hasher.finalize())) | 1)
  }

  private mutating func insert(_ hash: UInt64) {
    if (count + 1) * 4 > places.count * 3 {
      guard count < Self.mostValues else {
        isOverfull = true
        return
      }
      grow()
    }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 1) & mask
    while places[place] != 0 {
      if places[place] == hash {
        hasRepeats = true
        return
      }
      place = (place + 1) & mask
    }
    places[place] = hash
    count += 1
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: max(16, old.count * 2))
    let mask = places.count - 1
    for hash in old where hash != 0 {
      var place = Int(truncatingIfNeeded: hash >> 1) & mask
      while places[place] != 0 { place = (place + 1) & mask }
      places[place] = hash
    }
  }

  private func contains(_ hash: UInt64) -> Bool {
    guard !places.isEmpty else { return false }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 1) & mask
    while places[place] != 0 {
      if places[place] == hash { return true }
      place = (place + 1) & mask
    }
    return false
  }

  mutating func formUnion(_ other: ValueSet) {
    for hash in other.places where hash != 0 { insert(hash) }
    hasRepeats = hasRepeats || other.hasRepeats
    isOverfull = isOverfull || other.isOverfull
  }

  /// Returns how many of the values another set has.
  func countShared(with other: ValueSet) -> Int {
    places.reduce(0) { $1 != 0 && other.contains($1) ? $0 + 1 : $0 }
  }

  /// Returns how many of the values lie in a table of hashes, by what they lead to.
  func countShared(with owners: [UInt64: Int]) -> [Int: Int] {
    var result: [Int: Int] = [:]
    for hash in places where hash != 0 {
      if let owner = owners[hash] { result[owner, default: 0] += 1 }
    }
    return result
  }

  /// Adds the values to a table of hashes, as leading to one owner.
  func add(to owners: inout [UInt64: Int], as owner: Int) {
    for hash in places where hash != 0 && owners[hash] == nil { owners[hash] = owner }
  }
}
