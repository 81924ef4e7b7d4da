import GQLCatalog
import GQLParser

/// The canonical SDL of a catalog: building it again gives an equal catalog (but for its version).
package func printSchema(_ catalog: Catalog) -> String {
  print(Document(definitions: schemaDefinitions(of: catalog).map { .type($0) } + declaredDefinitions(of: catalog)))
}
