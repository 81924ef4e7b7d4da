import GQLBase

/// Finds the first of some things that has a name, by the name's bytes.
struct NameIndex {
  private var places: [Text: Int] = [:]

  init(_ names: some Sequence<String>) {
    for (place, name) in names.enumerated() {
      let name = Text(name)
      if places[name] == nil { places[name] = place }
    }
  }

  subscript(_ name: String) -> Int? { places[Text(name)] }

  func contains(_ name: String) -> Bool { self[name] != nil }
}
