// What programs import as GQLite is the engine, and what this module adds to it: data and golden files, and generated
// models. The models' library is made of the engine alone, so that who uses it builds and links no reader of files.
@_exported import GQLEngine
@_exported import GQLStorage
