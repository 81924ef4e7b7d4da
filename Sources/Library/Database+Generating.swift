import GQLEngine
import GQLGenerator

extension Database {
  /// Swift models of the schema, for the library GQLiteModels.
  public var swiftModels: String { SwiftModelWriter.write(catalog) }
}
