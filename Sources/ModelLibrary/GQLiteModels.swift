// What programs import as GQLiteModels is entity models, the engine that text and databases need, and what this module adds
// to them: the macros, text in contexts, entities in databases, and live answers. It stands apart because the models do not
// wait for the engine to be compiled.
@_exported import GQLEngine
@_exported import GQLStorage
@_exported import GQLModels
