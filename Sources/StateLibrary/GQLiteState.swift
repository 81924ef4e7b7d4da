// What programs import as GQLiteState is models of classes over paths, with the macro. Of the engine only the names that
// their databases need come with it, because both have a `Database`.
@_exported import struct GQLEngine.QueryError
@_exported import struct GQLStorage.StorageOptions
