import GQLCatalog

/// A relation of the catalog, which has the name that models have for what they know of one.
typealias StoredRelation = GQLCatalog.Relation
