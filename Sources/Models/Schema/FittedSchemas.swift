import GQLCatalog

/// The schemas of types in catalogs that were not made of them, or why they do not fit.
///
/// Of many catalogs the oldest is forgotten, as one that is likely no more; of many lists of types in one catalog the
/// oldest list.
struct FittedSchemas {
  /// Types in a version of a catalog.
  struct Place: Hashable {
    let catalog: UInt64
    let types: [ObjectIdentifier]

    init(_ types: [any EntityModelProtocol.Type], in catalog: Catalog) {
      self.catalog = catalog.version
      self.types = types.map { ObjectIdentifier($0) }
    }
  }
  private struct Fits {
    var known: [[ObjectIdentifier]: Result<ModelSchema, any Error>] = [:]
    /// In the order in which they were added.
    var order: [[ObjectIdentifier]] = []
  }

  static var mostCatalogs: Int { 64 }
  static var mostLists: Int { 1024 }

  private var fits: [UInt64: Fits] = [:]
  /// In the order in which they were met.
  private var catalogs: [UInt64] = []

  subscript(_ place: Place) -> Result<ModelSchema, any Error>? { fits[place.catalog]?.known[place.types] }

  /// Precondition: nothing is known of the place.
  mutating func add(_ result: Result<ModelSchema, any Error>, at place: Place) {
    if fits[place.catalog] == nil {
      if catalogs.count >= Self.mostCatalogs { fits[catalogs.removeFirst()] = nil }
      catalogs.append(place.catalog)
    }
    var here = fits.removeValue(forKey: place.catalog) ?? Fits()
    if here.order.count >= Self.mostLists { here.known[here.order.removeFirst()] = nil }
    here.order.append(place.types)
    here.known[place.types] = result
    fits[place.catalog] = here
  }
}
