// What programs import as GQLiteModels is entity models, and what this module adds to them: the macros, text, databases
// and live answers. It stands apart because the models do not wait for the engine to be compiled.
@_exported import GQLModels
