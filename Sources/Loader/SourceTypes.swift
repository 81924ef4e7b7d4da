import GQLCatalog

/// A table of the types of a schema by the names that data gives them: of files, tables and keys.
package struct SourceTypes {
  private var types: [String: EntityTypeID] = [:]
  /// By names without case and underscores.
  private var plain: [String: EntityTypeID] = [:]

  package init(_ catalog: Catalog) {
    let named = catalog.types.filter { !$0.isElement }
    for type in named {
      if let source = type.source, types[source] == nil { types[source] = type.id }
    }
    for type in named where types[type.name] == nil { types[type.name] = type.id }
    for type in named where plain[SourceNames.plain(type.name)] == nil { plain[SourceNames.plain(type.name)] = type.id }
  }

  /// Returns the type of that name: as `@source(name:)` says it, else as the type is called, else the same but for
  /// case, what is no letter or digit, and the plural.
  package func type(named name: String) -> EntityTypeID? {
    if let type = types[name] { return type }
    let made = SourceNames.type(name)
    return plain[SourceNames.plain(made)] ?? plain[SourceNames.plain(SourceNames.singular(made))]
  }

  /// Returns the type that says `@source` with that name, or is called so.
  package func type(ofSource name: String) -> EntityTypeID? { types[name] }

  /// Returns the type of a file or key: by its whole name, which tells it from others that are called like it, else by
  /// the name of its type.
  package func type(ofWhole whole: String?, named name: String) -> EntityTypeID? {
    whole.flatMap { types[$0] } ?? type(named: name)
  }
}

extension LoadFile {
  /// Returns the name of a file without the folders that it lies in.
  static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
