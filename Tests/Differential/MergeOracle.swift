import GQLite

/// A merge of three versions of the data of ``MergeCampaign``, written plainly over what queries answer.
struct MergeOracle {
  /// A user, a team or a label.
  struct Entity: Equatable {
    var isLive: Bool
    var fields: [String: Value]
  }
  typealias State = [String: Entity]

  let base: State
  let mine: State
  let theirs: State
  /// The side of conflicts; nil where these are counted only, and theirs counts.
  let choice: MergeChoice
  private(set) var conflicts = 0
  private(set) var merged: State = [:]

  static let query = """
    {
      User(deleted: INCLUDE) { key: id _status name age views tags team { key: id } labels { key: id } }
      Team(deleted: INCLUDE) { key: id _status title members { key: id } }
      Label(deleted: INCLUDE) { key: id _status title users { key: id } }
    }
    """

  static func state(of answer: Answer) throws -> State {
    let value = try Value(json: answer.jsonString)
    var state: State = [:]
    for type in ["User", "Team", "Label"] {
      for entity in value[type]?.list ?? [] {
        guard case .object(let members) = entity, let id = entity["key"] else { continue }
        var fields: [String: Value] = [:]
        for member in members where member.name != "key" && member.name != "_status" {
          fields[member.name] = links(member.value)
        }
        state["\(type) \(id.int ?? 0)"] = Entity(isLive: entity["_status"] == "CREATED", fields: fields)
      }
    }
    return state
  }

  /// Links as ids.
  private static func links(_ value: Value) -> Value {
    switch value {
    case .object: value["key"] ?? .null
    case .list(let elements): .list(elements.map(links))
    default: value
    }
  }

  init(base: State, mine: State, theirs: State, choice: MergeChoice) {
    (self.base, self.mine, self.theirs, self.choice) = (base, mine, theirs, choice)
    for id in Set(base.keys).union(mine.keys).union(theirs.keys) { mergeEntity(id) }
    for id in merged.keys.sorted() { mergeLinks(id) }
    dropDead()
  }

  private var takesMine: Bool { choice == .mine }

  private func type(_ id: String) -> String { String(id.prefix { $0 != " " }) }

  /// The entity that a field's id means.
  private func target(_ field: String, _ id: Value) -> String {
    let type =
      switch field {
      case "team": "Team"
      case "labels": "Label"
      default: "User"
      }
    return "\(type) \(id.int ?? 0)"
  }

  private static let lists: Set<String> = ["labels", "members", "users"]

  // MARK: - Entities

  private mutating func mergeEntity(_ id: String) {
    guard let old = base[id] else {
      if let new = mine[id] ?? theirs[id], new.isLive { merged[id] = new }
      return
    }
    guard let here = mine[id], let there = theirs[id], old.isLive else { return }
    var fields = there.fields
    switch (here.isLive, there.isLive) {
    case (false, false): return
    case (false, true):
      guard hasWritten(old, there) else { return }
      conflicts += 1
      if takesMine { return }
    case (true, false):
      guard hasWritten(old, here) else { return }
      conflicts += 1
      if !takesMine { return }
      mergeFields(old, here, there, &fields)
    case (true, true): mergeFields(old, here, there, &fields)
    }
    merged[id] = Entity(isLive: true, fields: fields)
  }

  private func hasWritten(_ old: Entity, _ new: Entity) -> Bool {
    for (name, value) in new.fields {
      let before = old.fields[name] ?? .null
      if value == before { continue }
      if Self.lists.contains(name) {
        if (value.list ?? []).contains(where: { !(before.list ?? []).contains($0) }) { return true }
      } else if name == "team" {
        if value != .null { return true }
      } else {
        return true
      }
    }
    return false
  }

  private mutating func mergeFields(_ old: Entity, _ here: Entity, _ there: Entity, _ fields: inout [String: Value]) {
    for name in here.fields.keys.sorted() where !Self.lists.contains(name) && name != "team" {
      let (before, value, newest) = (old.fields[name] ?? .null, here.fields[name] ?? .null, there.fields[name] ?? .null)
      if value == before || value == newest && name != "views" { continue }
      if newest == before {
        fields[name] = value
      } else if name == "views" {
        fields[name] = .int((newest.int ?? 0) + (value.int ?? 0) - (before.int ?? 0))
      } else if name == "tags", let merged = Self.list(before.list ?? [], value.list, newest.list) {
        fields[name] = .list(merged)
      } else {
        conflicts += 1
        if takesMine { fields[name] = value }
      }
    }
  }

  /// Merges lists in which no element stands twice; nil where both have moved elements, or one is null.
  static func list(_ base: [Value], _ mine: [Value]?, _ theirs: [Value]?) -> [Value]? {
    guard let mine, let theirs else { return nil }
    let known = base.filter { mine.contains($0) && theirs.contains($0) }
    let (here, there) = (mine.filter(known.contains), theirs.filter(known.contains))
    if here != known, there != known, here != there { return nil }
    let (lead, other) = here != known ? (mine, theirs) : (theirs, mine)
    var result = lead.filter { other.contains($0) || !base.contains($0) }
    for (index, element) in other.enumerated() where !lead.contains(element) && !base.contains(element) {
      // Behind the neighbor before it that both have, and whatever was put there already.
      var place = 0
      if let neighbor = other[..<index].last(where: { lead.contains($0) }) {
        place = (result.firstIndex(of: neighbor) ?? -1) + 1
      }
      while place < result.count, !lead.contains(result[place]) || !other.contains(result[place]) { place += 1 }
      result.insert(element, at: place)
    }
    return result
  }

  // MARK: - Links

  private mutating func mergeLinks(_ id: String) {
    guard let old = base[id], let here = mine[id], let there = theirs[id], here.isLive else { return }
    if type(id) == "User" {
      let before = old.fields["team"] ?? .null
      let (value, newest) = (team(here, mine, before), team(there, theirs, before))
      var result = newest
      if value != before {
        if newest == before {
          result = value
        } else if value != newest {
          conflicts += 1
          if takesMine { result = value }
        }
      }
      merged[id]?.fields["team"] = result
    }
    for name in Self.lists {
      guard let before = old.fields[name]?.list else { continue }
      let (value, newest) = (all(name, here, mine, before), all(name, there, theirs, before))
      merged[id]?.fields[name] = .list(
        Self.list(before, value, newest) ?? value + newest.filter { !value.contains($0) })
    }
  }

  /// The team of a user, be it deleted: then it was not taken away.
  private func team(_ user: Entity, _ state: State, _ before: Value) -> Value {
    if !user.isLive { return before }
    let team = user.fields["team"] ?? .null
    if team == .null, before != .null, state[target("team", before)]?.isLive == false { return before }
    return team
  }

  /// A list with what is deleted, in its places.
  private func all(_ name: String, _ entity: Entity, _ state: State, _ before: [Value]) -> [Value] {
    var list = entity.fields[name]?.list ?? []
    if !entity.isLive { return before }
    for (place, element) in before.enumerated()
    where !list.contains(element) && state[target(name, element)]?.isLive == false {
      let neighbor = before[..<place].last(where: list.contains)
      list.insert(element, at: neighbor.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
    }
    return list
  }

  private mutating func dropDead() {
    let present = Set(merged.keys)
    for id in present {
      for (name, value) in merged[id]?.fields ?? [:] {
        var kept = value
        if case .list(let elements) = value, Self.lists.contains(name) {
          kept = .list(elements.filter { present.contains(target(name, $0)) })
        } else if name == "team", value != .null, !present.contains(target(name, value)) {
          kept = .null
        }
        merged[id]?.fields[name] = kept
      }
    }
    // A user is in the list of its one team.
    for id in present.sorted() where type(id) == "Team" {
      let users = present.sorted().filter { type($0) == "User" }.filter {
        merged[$0]?.fields["team"].map { $0 != .null && target("team", $0) == id } ?? false
      }
      let known = (merged[id]?.fields["members"]?.list ?? []).filter { users.contains(target("members", $0)) }
      let others = users.compactMap { Int64($0.dropFirst(5)) }.map { Value.int($0) }.filter { !known.contains($0) }
      merged[id]?.fields["members"] = .list(known + others)
    }
  }

  /// Returns the content of a state, with lists of links as they are or, sorted, as sets.
  static func text(_ state: State, ordersLinks: Bool) -> String {
    state.filter(\.value.isLive).sorted { $0.key < $1.key }.map { id, entity in
      let fields = entity.fields.sorted { $0.key < $1.key }.map { name, value in
        var value = value
        if ordersLinks, lists.contains(name), case .list(let elements) = value {
          value = .list(elements.sorted { ($0.int ?? 0) < ($1.int ?? 0) })
        }
        return "\(name)=\(value)"
      }
      return "\(id): \(fields.joined(separator: " "))"
    }.joined(separator: "\n")
  }
}
