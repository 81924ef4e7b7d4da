import GQLBase

/// A column that relates to a type.
struct ShapeLink {
  /// Holds the place of the type that the column leads to.
  var target: Int
  /// Counts the column's distinct values that are no ids there.
  var dangling: Int
  /// Indicates whether the relation has the name of the column: it does not end in `id`.
  var hasOwnName: Bool
}

/// A named value of objects.
struct ShapeMember: Sendable {
  let name: Text
  /// Holds the name as JSON writes it.
  let key: WrittenKey
  var shape: ValueShape

  init(name: Text, shape: ValueShape) {
    self.name = name
    key = WrittenKey(name)
    self.shape = shape
  }
}

/// A summary of the values of one column, key or list.
struct ValueShape: Sendable {
  var kinds: ValueKinds = []
  /// Counts the records, or elements, that have the value, nulls included.
  var values = 0
  var nulls = 0
  var objects = 0
  /// A column of a CSV file, whose cells are all texts at first.
  var isOfCSV = false
  /// Indicates whether every text is a URL.
  var areURLs = true
  /// Holds the distinct values, where the name is one of a key or of a relation.
  var distinct: ValueSet?
  /// Holds the `__typename` of all objects; empty where they say different ones.
  var typename: String?
  /// Holds the elements of lists; at most one.
  var element: [ValueShape] = []
  var members: [ShapeMember] = []
  private var places: [Text: Int] = [:]
  /// Indicates whether the objects have more names than fields can be made of.
  var isMap = false
  /// Holds the entity type that was made of the objects.
  var entity: Int?
  /// Holds the type that the values are ids of.
  var link: ShapeLink?
  /// Holds what objects of an id alone say, in objects: such a one is a link, if what has the id is somewhere.
  var bare = BareObjects()
  /// Indicates whether the objects are no entities, although each has an id.
  var staysEmbedded = false

  func place(of name: Text) -> Int? { places[name] }

  /// Returns whether columns for the members would take far more memory than the values: the store has a cell for each
  /// column of each row.
  var isSparse: Bool {
    let cells = objects.multipliedReportingOverflow(by: members.count)
    guard cells.overflow || cells.partialValue > Self.mostSparseCells else { return false }
    return cells.overflow || members.reduce(0) { $0 + $1.shape.values } < cells.partialValue / Self.leastShare
  }

  /// Cells that may be empty for the most part.
  private static let mostSparseCells = 100_000_000
  /// Where there are more, one of so many must have a value.
  private static let leastShare = 64

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

  mutating func note(_ number: JSONNumber) {
    guard distinct != nil, number.count <= 18, let integer = number.int64, integer != 0 || number.count == 1 else {
      return note(.ofNumber(number), number.bytes)
    }
    kinds.formUnion(.ofInteger(integer))
    values += 1
    areURLs = false
    distinct?.insert(integer)
  }

  /// Returns whether only the fact that there is a text matters any more.
  var isSettledText: Bool { kinds.contains(.text) && !areURLs && distinct == nil }

  static func isURL(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 8, text[0] == UInt8(ascii: "h") else { return false }
    return text.starts(with: "https://".utf8) || text.starts(with: "http://".utf8)
  }

  /// Makes objects of an id alone objects like the others.
  mutating func settleBare() {
    objects += bare.count
    for id in bare.ids where !isMap {
      let place = place(of: id.name) ?? add(id.name, isCollected: true)
      members[place].shape.merge(id.shape)
    }
    bare = BareObjects()
  }

  /// Passes this shape and all shapes in it on.
  mutating func forEach(_ body: (inout ValueShape) -> Void) {
    body(&self)
    for index in element.indices { element[index].forEach(body) }
    for index in members.indices { members[index].shape.forEach(body) }
  }

  /// Removes the members, which became those of an entity type.
  mutating func removeMembers() {
    members = []
    places = [:]
  }

  /// Returns the shape without the values that were counted, for reading more of them: merged with it, it is the shape
  /// that has read all.
  var emptied: ValueShape {
    var shape = self
    (shape.values, shape.nulls, shape.objects) = (0, 0, 0)
    if distinct != nil { shape.distinct = ValueSet() }
    for index in element.indices { shape.element[index] = element[index].emptied }
    for index in members.indices { shape.members[index].shape = members[index].shape.emptied }
    shape.bare = bare.emptied
    return shape
  }

  /// Returns how many names its objects have, those of objects in them included.
  private var nameCount: Int {
    members.reduce(element.reduce(bare.ids.count) { $0 + $1.nameCount }) { $0 + 1 + $1.shape.nameCount }
  }

  /// Adds what another shape of the same thing has seen, as if it came later. Returns how many names are new.
  @discardableResult
  mutating func merge(_ other: ValueShape) -> Int {
    var added = 0
    // Some of the values would be no set.
    let isComplete = (distinct != nil || values == nulls) && (other.distinct != nil || other.values == other.nulls)
    kinds.formUnion(other.kinds)
    nulls += other.nulls
    values += other.values
    objects += other.objects
    isOfCSV = isOfCSV || other.isOfCSV
    areURLs = areURLs && other.areURLs
    isMap = isMap || other.isMap
    if !isComplete {
      distinct = nil
    } else if let set = other.distinct {
      if distinct == nil { distinct = set } else { distinct?.formUnion(set) }
    }
    noteTypename(other.typename)
    added += bare.merge(other.bare)
    if let inner = other.element.first {
      if element.isEmpty {
        element.append(inner)
        added += inner.nameCount
      } else {
        added += element[0].merge(inner)
      }
    }
    for member in other.members {
      if let place = places[member.name] {
        added += members[place].shape.merge(member.shape)
      } else {
        members.append(member)
        places[member.name] = members.count - 1
        added += 1 + member.shape.nameCount
      }
    }
    if members.count > ShapeReader.mostMembers { isMap = true }
    if isMap { removeMembers() }
    return added
  }

  mutating func noteTypename(_ name: String?) {
    guard let name else { return }
    if typename == nil { typename = name } else if typename != name { typename = "" }
  }
}

/// A summary of objects that have nothing but an id.
struct BareObjects: Sendable {
  /// Counts the objects.
  var count = 0
  /// By the name of the id: its values.
  var ids: [(name: Text, shape: ValueShape)] = []
  /// Holds the numbers of the places where the objects stand.
  var places: [Int] = []

  /// Returns the place of an id, which is new if it was not seen yet.
  mutating func place(of name: Text) -> Int {
    if let place = ids.firstIndex(where: { $0.name == name }) { return place }
    var shape = ValueShape()
    shape.distinct = ValueSet()
    ids.append((name, shape))
    return ids.count - 1
  }

  var emptied: BareObjects {
    BareObjects(ids: ids.map { ($0.name, $0.shape.emptied) }, places: places)
  }

  /// Adds what others have said. Returns how many names are new.
  mutating func merge(_ other: BareObjects) -> Int {
    let before = ids.count
    count += other.count
    for id in other.ids {
      let place = place(of: id.name)
      ids[place].shape.merge(id.shape)
    }
    places += other.places
    return ids.count - before
  }
}
